// This script uses the client as a test would, with language features that every runtime with fetch supports.

/**
 * Uses each part of the client and returns the results. They must be the same in every runtime.
 *
 * @param {typeof import('../../dist/src/client/index.js')} mailcap
 * @param {import('../../dist/src/client/index.js').ClientOptions} options
 * @returns {Promise<Record<string, unknown>>}
 */
export async function journey({ createClient, MailcapError }, options) {
  const client = createClient(options);
  const mailbox = await client.mailbox();
  const arrives = (subject, html) =>
    client.local.putMessage(
      mailbox.id,
      `From: app@shop.test\r\nTo: ${mailbox.address}\r\nSubject: ${subject}\r\nContent-Type: text/html\r\n\r\n${html}`,
    );

  const waiting = mailbox.waitForCode({ subject: /code/i });
  await arrives('Welcome', '<p>Welcome.</p><a href="https://shop.test/verify?a=1&amp;b=2">Verify your address</a>');
  await arrives('Your code', '<style>p { color: #123456 }</style><p>Your code is <b>481 516</b>.</p>');
  const code = await waiting;
  const link = await mailbox.waitForLink({ subject: 'welcome' });
  const raw = new TextDecoder().decode(await (await mailbox.messages({ subject: 'code' }))[0].raw());

  const webhook = await client.webhook();
  await webhook.respond([{ status: 503 }, { status: 200 }]);
  const requested = webhook.waitForRequests(2);
  const statuses = [];
  for (let i = 0; i < 2; i++)
    statuses.push((await fetch(webhook.url, { method: 'POST', body: '{"paid":true}' })).status);
  const [request] = await requested;

  const secret = Array.from(
    crypto.getRandomValues(new Uint8Array(20)),
    (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32],
  );
  const authenticator = await client.authenticator({ secret: secret.join(''), period: 120 });
  const first = await authenticator.code();
  const again = await failure(authenticator.code({ timeout: 10 }));

  const missed = await failure(mailbox.waitForMessage({ subject: 'never' }, { timeout: 100 }));
  const abort = new AbortController();
  const aborted = failure(mailbox.waitForMessage({ subject: 'never' }, { signal: abort.signal }));
  abort.abort(new Error('enough'));
  await mailbox.delete();
  const gone = await failure(client.listMessages(mailbox.id));

  return {
    code,
    link: String(link),
    raw: raw.includes('<b>481 516</b>'),
    statuses,
    json: request.json(),
    authenticator: /^\d{6}$/.test(first),
    again: again.code,
    missed: [
      missed.name,
      missed instanceof MailcapError,
      missed.message.includes('within 100 ms matched { subject: "never" }'),
    ],
    pointsHere: /journey/.test(missed.stack.split('\n').find((line) => /^\s+at /.test(line)) ?? ''),
    aborted: (await aborted).message,
    gone: [gone.status, gone.code],
  };
}

async function failure(promise) {
  return promise.then(
    () => new Error('it did not fail'),
    (error) => error,
  );
}
