import { Buffer } from 'node:buffer';
import { createTransport } from 'nodemailer';
import { Resend } from 'resend';
import { expect } from 'vitest';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { receiver } from './support.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const NOBODY = '00000000-0000-7000-8000-000000000000';

const sdkFor = ({ url }: TestServer) => new Resend('re_any', { baseUrl: `${url}/providers/resend` });

function ok<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data as T;
}

/** Sends a mail with a file and a picture by SMTP. Returns its Message-ID. */
async function sendTo({ smtp }: TestServer, to: readonly string[], html = '<img src="cid:logo"><img src="cid:no">') {
  const { messageId } = await createTransport({ ...smtp, secure: false }).sendMail({
    envelope: { from: 'bounces@sender.test', to: [...to] },
    from: 'Zoë <zoe@sender.test>',
    to: ['Support <support@acme.test>'],
    cc: 'cc@elsewhere.test',
    replyTo: 'answers@sender.test',
    subject: 'Re: Ihre Frage ✓',
    text: 'Ja, gern.',
    html,
    attachments: [
      { filename: 'Grüße.html', content: '<script>1</script>', contentType: 'text/html' },
      { filename: 'logo.png', content: PNG, cid: 'logo' },
    ],
  });
  return messageId;
}

/** The event of a request, as the SDK verifies it. */
function eventIn(resend: Resend, request: Awaited<ReturnType<typeof receiver>>['requests'][number], secret: string) {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    String(request.headers[`svix-${name}`]),
  );
  const headers = { id: id ?? '', timestamp: timestamp ?? '', signature: signature ?? '' };
  return resend.webhooks.verify({ payload: request.body, headers, webhookSecret: secret });
}

const receiving = { sending: 'enabled', receiving: 'enabled' } as const;

test('the app is told of a mail for its domains, reads it and downloads its files', async () => {
  await using mailcap = await startServer();
  await using app = await receiver();
  const resend = sdkFor(mailcap);
  const { signing_secret } = ok(
    await resend.webhooks.create({ endpoint: app.url, events: ['email.received', 'email.sent'] }),
  );
  ok(await resend.webhooks.create({ endpoint: `${app.url}/others`, events: ['email.sent'] }));
  const made = ok(await resend.domains.create({ name: 'acme.test', capabilities: receiving }));
  expect(made).toMatchObject({ capabilities: receiving, records: [{ record: 'Receiving', name: 'acme.test' }] });
  ok(await resend.domains.create({ name: 'other.test', capabilities: receiving }));
  const to = ['Support+7@acme.test', 'sales@other.test', 'support@sub.acme.test'];
  const messageId = await sendTo(mailcap, to);
  await app.received(1);

  const [request] = app.requests;
  const event = request === undefined ? null : eventIn(resend, request, signing_secret);
  if (event?.type !== 'email.received') throw new Error('no email.received came');
  const { email_id: id, attachments } = event.data;
  const shown = {
    from: expect.stringMatching(/^"?Zoë"? <zoe@sender\.test>$/),
    to: ['support@acme.test'],
    cc: ['cc@elsewhere.test'],
    bcc: [],
    received_for: to.slice(0, 2),
    message_id: messageId,
    subject: 'Re: Ihre Frage ✓',
  };
  expect(event.data).toEqual({
    ...{ ...shown, email_id: id, created_at: expect.any(String) },
    attachments: [
      expect.objectContaining({ filename: 'logo.png', content_disposition: 'inline', content_id: 'logo' }),
      expect.objectContaining({ filename: 'Grüße.html', content_disposition: 'attachment', content_id: null }),
    ],
  });

  const list = ok(await resend.emails.receiving.list());
  expect(list).toMatchObject({ has_more: false, data: [{ ...shown, id, reply_to: ['answers@sender.test'] }] });
  const email = ok(await resend.emails.receiving.get(id));
  expect(email).toMatchObject({ ...shown, object: 'email', text: expect.stringContaining('Ja, gern.') });
  expect(email.html).toBe(`<img src="data:image/png;base64,${PNG.toString('base64')}"><img src="cid:no">`);
  expect(email.headers).toMatchObject({ 'message-id': messageId });
  expect(ok(await resend.emails.receiving.get(id, { html_format: 'cid' })).html).toContain('src="cid:logo"');
  expect(await (await fetch(email.raw?.download_url ?? '')).text()).toContain(`Message-ID: ${messageId}`);

  const files = ok(await resend.emails.receiving.attachments.list({ emailId: id }));
  expect(files.data.map((one) => one.id)).toEqual(attachments.map((one) => one.id));
  const [first, second] = files.data.map((one) => one.id);
  const rest = await resend.emails.receiving.attachments.list({ emailId: id, limit: 1, after: first ?? '' });
  expect(ok(rest)).toMatchObject({ has_more: false, data: [{ id: second }] });
  for (const options of [{ after: NOBODY }, { before: NOBODY }])
    expect((await resend.emails.receiving.attachments.list({ emailId: id, ...options })).error?.name).toBe('not_found');
  const start = await resend.emails.receiving.attachments.list({ emailId: id, limit: 1 });
  expect(ok(start)).toMatchObject({ has_more: true, data: [{ id: first }] });
  const picture = ok(await resend.emails.receiving.attachments.get({ emailId: id, id: first ?? '' }));
  expect(picture).toMatchObject({ object: 'attachment', filename: 'logo.png', size: 8, content_type: 'image/png' });
  expect(Buffer.from(await (await fetch(picture.download_url)).arrayBuffer())).toEqual(PNG);
  // A page that a mail holds is saved, and not run on the origin of the inbox.
  const page = await fetch(files.data[1]?.download_url ?? '');
  expect(page.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(await page.text()).toBe('<script>1</script>');

  const forwarded = ok(
    await resend.emails.receiving.forward({ emailId: id, to: 'boss@inbox.test', from: 'a@acme.test' }),
  );
  expect(ok(await resend.emails.get(forwarded.id)).subject).toBe('Re: Ihre Frage ✓');
  // The event of the email that was sent: the rule did not take it, and nothing else came of the mail.
  await app.received(3);
  const types = app.requests.map(({ body }) => JSON.parse(body).type as string).sort();
  expect(types).toEqual(['email.received', 'email.sent', 'email.sent']);
});

test('a URL of a file needs its signature, and expires', async () => {
  await using mailcap = await startServer();
  const resend = sdkFor(mailcap);
  ok(await resend.domains.create({ name: 'acme.test', capabilities: receiving }));
  await sendTo(mailcap, ['a@acme.test']);
  const listed = async () => ok(await resend.emails.receiving.list()).data;
  await expect.poll(async () => (await listed()).length).toBe(1);
  const [{ id, attachments } = { id: '', attachments: [] }] = await listed();
  const { raw } = ok(await resend.emails.receiving.get(id));
  const url = raw?.download_url ?? '';
  const statusOf = async (one: string) => (await fetch(one)).status;
  expect(await statusOf(url)).toBe(200);
  for (const wrong of [
    url.replace('/raw?', `/${attachments[0]?.id}?`),
    url.replace(/expires=\d+/, 'expires=99999999999999'),
    url.replace(/signature=./, 'signature='),
    url.replace(id, NOBODY),
    url.replace(/\?.*/, ''),
  ])
    expect(await statusOf(wrong)).toBe(404);
  await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: 3_700 } });
  expect(await statusOf(url)).toBe(404);
});

test('a domain receives only as long as it says so', async () => {
  await using mailcap = await startServer();
  const resend = sdkFor(mailcap);
  const { id } = ok(await resend.domains.create({ name: 'acme.test' }));
  expect(ok(await resend.domains.get(id))).toMatchObject({ capabilities: { receiving: 'disabled' } });
  // An app that never gets the mail, so that only the record tells.
  const count = async () => ok(await resend.emails.receiving.list()).data.length;
  const arrive = async () => {
    await sendTo(mailcap, ['a@acme.test']);
    await sendTo(mailcap, ['a@always.test']);
  };
  ok(await resend.domains.create({ name: 'always.test', capabilities: receiving }));
  await arrive();
  await expect.poll(count).toBe(1);
  ok(await resend.domains.update({ id, capabilities: receiving }));
  await arrive();
  await expect.poll(count).toBe(3);
  expect(ok(await resend.domains.list()).data.find((one) => one.id === id)).toMatchObject({ capabilities: receiving });
  ok(await resend.domains.remove(id));
  await arrive();
  await expect.poll(count).toBe(4);
  const [newest, older] = ok(await resend.emails.receiving.list()).data;
  const page = ok(await resend.emails.receiving.list({ limit: 1, after: newest?.id ?? '' }));
  expect(page).toMatchObject({ has_more: true, data: [{ id: older?.id }] });
});

test('what is not there, or gone, is not found', async ({ mailcap }) => {
  const resend = sdkFor(mailcap);
  expect((await resend.emails.receiving.get(NOBODY)).error).toMatchObject({ name: 'not_found' });
  const file = { emailId: NOBODY, id: NOBODY };
  expect((await resend.emails.receiving.attachments.get(file)).error).toMatchObject({ name: 'not_found' });
  for (const capabilities of [{ receiving: 'yes' }, { sending: 'disabled', receiving: 'enabled' }, []]) {
    const made = await resend.domains.create({ name: 'refused.test', capabilities } as never);
    expect(made.error).toMatchObject({ name: 'validation_error' });
  }
  expect(ok(await resend.domains.list()).data.map(({ name }) => name)).not.toContain('refused.test');
  const { id } = ok(await resend.domains.create({ name: 'gone.test', capabilities: receiving }));
  await sendTo(mailcap, ['a@gone.test']);
  const received = async () =>
    ok(await resend.emails.receiving.list()).data.find((one) => one.received_for.includes('a@gone.test'));
  await expect.poll(received).toBeDefined();
  const [{ subject } = { subject: '' }] = ok(await resend.emails.receiving.list()).data;
  const query = new URLSearchParams({ query: `subject:"${subject}"` });
  expect((await mailcap.api(`/_mailcap/messages?${query}`, { method: 'DELETE' })).status).toBeLessThan(300);
  const gone = await resend.emails.receiving.get((await received())?.id ?? '');
  ok(await resend.domains.remove(id));
  expect(gone.error).toMatchObject({ name: 'not_found' });
});
