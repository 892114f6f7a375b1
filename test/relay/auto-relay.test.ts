import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Log } from '../../src/ports/system.ts';
import { json, outcome, put } from '../http/support.ts';
import { Wire } from '../smtp/wire.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { messagesIn, sendMail } from '../support/outbound.ts';
import { type ScriptedRelay, scriptedRelay } from './scripted-relay.ts';

const BODY = 'From: app@x.test\r\nBcc: secret@x.test\r\nSubject: Hi\r\n\r\n.dot\r\n';

async function send(server: TestServer, to: readonly string[], raw = BODY): Promise<void> {
  const wire = await Wire.hello(server.smtp.port);
  await wire.sayAll('MAIL FROM:<app@x.test>', ...to.map((one) => `RCPT TO:<${one}>`), 'DATA');
  wire.write(raw.replace(/^\./gm, '..'));
  expect(await wire.say('.')).toMatch(/^250/);
  wire.close();
}

const takes = (relay: ScriptedRelay, count: number) =>
  vi.waitFor(() => expect(relay.taken).toHaveLength(count), { timeout: 10_000 });

/** A log that keeps its lines. */
function heard() {
  const lines: string[] = [];
  const tell = (line: string, fields?: object) => void lines.push(`${line} ${JSON.stringify(fields)}`);
  const log: Log = { error: tell, warn: tell, info: tell, debug: () => {} };
  return { log, lines };
}

test('mail that comes by SMTP leaves at once, without Bcc and with a line that tells of this server', async () => {
  await using relay = await scriptedRelay();
  await using server = await startServer({ relay: relay.url, autoRelay: [{}] });
  await send(server, ['ada@elsewhere.test', 'bob@elsewhere.test']);
  await takes(relay, 1);
  const [{ raw, ...envelope } = { raw: '' }] = relay.taken;
  expect(envelope).toEqual({ from: 'app@x.test', rcptTo: ['ada@elsewhere.test', 'bob@elsewhere.test'] });
  expect(raw).toMatch(
    /^Received: by mailcap\.example\.com \(mailcap\) id \w{26}; .*\r\nFrom: app@x\.test\r\nSubject: Hi\r\n\r\n\.dot\r\n$/,
  );
  expect(await messagesIn(server, server.mailboxId)).toHaveLength(1);
});

test('rules decide who gets it: the last that matches, and none for an address means yes', async () => {
  await using relay = await scriptedRelay();
  const rules = [{ deny: '@elsewhere' }, { allow: '^ada@' }, { deny: '(?i)BOSS' }];
  await using server = await startServer({ relay: relay.url, autoRelay: [{ rules }] });
  await send(server, ['bob@elsewhere.test']);
  await send(server, ['ada@elsewhere.test', 'bob@elsewhere.test', 'eve@x.test', 'boss@x.test']);
  await takes(relay, 1);
  expect(relay.taken).toMatchObject([{ rcptTo: ['ada@elsewhere.test', 'eve@x.test'] }]);
});

test('a copy goes to other addresses over another server, once for a mail in two mailboxes, from another sender', async () => {
  await using relay = await scriptedRelay();
  const rule = { relay: relay.url, to: ['qa@x.test', 'ops@x.test'], from: 'robot@x.test' };
  await using server = await startServer({ autoRelay: [rule] });
  const [one, two] = [await server.addMailbox(), await server.addMailbox()];
  await send(server, [one.address(), two.address()]);
  await send(server, [one.address()], 'Subject: second\r\nfrom:\r\n app@x.test\r\n\r\nFrom: body\r\n');
  await takes(relay, 2);
  expect(relay.taken).toMatchObject([
    { from: 'robot@x.test', rcptTo: ['qa@x.test', 'ops@x.test'] },
    { from: 'robot@x.test', rcptTo: ['qa@x.test', 'ops@x.test'] },
  ]);
  expect(relay.taken[1]?.raw).toMatch(
    /^Received: .*\r\nFrom: <robot@x\.test>\r\nSubject: second\r\n\r\nFrom: body\r\n$/,
  );
});

test('a recipient that is not taken for now is tried again, alone, and one that is refused is not', async () => {
  const rcpt = (address: string, times: number) =>
    address.startsWith('busy') && times === 0
      ? '451 4.3.0 Later'
      : address.startsWith('no')
        ? '550 5.1.1 No'
        : '250 Ok';
  await using relay = await scriptedRelay({ rcpt });
  await using server = await startServer({ relay: relay.url, autoRelay: [{}] });
  await send(server, ['ada@x.test', 'busy@x.test', 'no@x.test']);
  await takes(relay, 2);
  expect(relay.taken.map(({ rcptTo }) => rcptTo)).toEqual([['ada@x.test'], ['busy@x.test']]);
});

test('what a mailbox sends, and what an import brings, does not leave by itself', async () => {
  await using relay = await scriptedRelay();
  await using server = await startServer({ relay: relay.url, autoRelay: [{}] });
  const mailbox = await server.addMailbox();
  await sendMail(server, mailbox.id, { to: mailbox.address() });
  await put(server, mailbox.id, BODY);
  await vi.waitFor(async () => expect(await messagesIn(server, mailbox.id)).toHaveLength(3), 10_000);
  await send(server, ['last@x.test']);
  await takes(relay, 1);
  expect(relay.seen.map(({ rcptTo }) => rcptTo)).toEqual([['last@x.test']]);
});

test('a circle of servers ends', async () => {
  const smtpPort = await freePort();
  const { log, lines } = heard();
  const relay = `smtp://127.0.0.1:${smtpPort}`;
  await using server = await startServer({ smtpPort, autoRelay: [{ relay }], overrides: { log } });
  await send(server, ['ada@x.test']);
  await vi.waitFor(() => expect(lines.join('\n')).toMatch(/not delivered.*goes in a circle/), 20_000);
  expect(await messagesIn(server, server.mailboxId)).toHaveLength(27);
});

test('a release obeys its rules and has the sender that they give', async () => {
  await using relay = await scriptedRelay();
  const release = { rules: [{ deny: '' }, { allow: '@ok\\.test$' }], sender: 'bounce@x.test' };
  await using server = await startServer({ relay: relay.url, release });
  await send(server, ['ada@x.test']);
  const [message] = await messagesIn(server, server.mailboxId);
  const to = (address: string) =>
    outcome(server.api(`/_mailcap/messages/${message?.id}/release`, { json: { to: address } }));
  expect(await to('a@ok.test, eve@x.test')).toMatchObject({
    ...{ status: 400, body: { error: 'invalid_to', message: expect.stringContaining('eve@x.test') } },
  });
  expect(relay.seen).toEqual([]);
  expect(await to('a@ok.test')).toMatchObject({ status: 200, body: { from: 'bounce@x.test' } });
  expect(relay.taken).toMatchObject([{ from: 'bounce@x.test', rcptTo: ['a@ok.test'] }]);
  const shown = await json(fetch(`${server.url}/api/v1/webui`));
  expect(shown).toMatchObject({
    MessageRelay: { ReturnPath: 'bounce@x.test', AllowedRecipients: '@ok\\.test$', BlockedRecipients: '' },
  });
});

test.for([
  [{ autoRelay: [{}] }, /without a relay/],
  [{ autoRelay: [{ relay: 'http://x' }] }, /expected an SMTP URL/],
  [{ autoRelay: [{ relay: 'smtp://x', to: [] }] }, /a list of addresses/],
  [{ autoRelay: [{ relay: 'smtp://x', to: ['nobody'] }] }, /an address/],
  [{ release: { rules: [{ allow: '(' }] } }, /a regular expression/],
  [{ release: { rules: [{ allow: 'a', deny: 'b' }] } }, /allow.*deny/],
  [{ release: { to: ['a@x.test'] } }, /there is no such key/],
  [{ mailWebhook: { url: 'file:///etc' } }, /expected url/],
  [{ mailWebhook: { url: 'http://x', often: 1 } }, /there is no such key/],
] as const)('%j is refused at the start', async ([options, why]) => {
  // The types of the options refuse most of these, and a config file has none.
  await expect(startServer(JSON.parse(JSON.stringify(options)))).rejects.toThrow(why);
});

/** Starts a server that keeps what is posted to it. */
async function hook() {
  const bodies: { headers: object; body: { Subject: string; Tags: string[] } }[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      bodies.push({ headers: req.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      res.statusCode = bodies.length === 1 ? 500 : 200;
      res.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return { bodies, url: `http://127.0.0.1:${port}/mail?x=1` };
}

test('the webhook for new mail has Mailpit’s summary with its tags, also where the server is guarded', async () => {
  const { bodies, url } = await hook();
  const tagging = { xTags: true };
  await using server = await startServer({
    ...{ mailWebhook: { url }, label: 'Shop', tagging, host: '0.0.0.0', auth: 'off' },
  });
  for (const subject of ['one', 'two', 'three'])
    await send(server, ['ada@x.test'], `From: App <app@x.test>\r\nSubject: ${subject}\r\nX-Tags: News\r\n\r\nText\r\n`);
  await vi.waitFor(() => expect(bodies).toHaveLength(3), 10_000);
  expect(bodies.map(({ body }) => body.Subject).sort()).toEqual(['one', 'three', 'two']);
  expect(bodies[0]).toEqual({
    headers: expect.objectContaining({ 'content-type': 'application/json', 'mailpit-label': 'Shop' }),
    body: {
      ...{ ID: expect.stringMatching(/^\w{26}$/), MessageID: '', Read: false, Subject: expect.any(String) },
      ...{ From: { Name: 'App', Address: 'app@x.test' }, To: [], Cc: [], ReplyTo: [], Username: '' },
      ...{ Bcc: [{ Name: '', Address: 'ada@x.test' }], Created: expect.any(String), Tags: ['News'] },
      ...{ Size: expect.any(Number), Attachments: 0, Snippet: 'Text' },
    },
  });
});

test('with a limit, mail that comes soon after another is not posted', async () => {
  const { bodies, url } = await hook();
  await using server = await startServer({ mailWebhook: { url, everySeconds: 3_600 } });
  for (const subject of ['one', 'two', 'three']) await send(server, ['ada@x.test'], `Subject: ${subject}\r\n\r\nx\r\n`);
  await vi.waitFor(() => expect(bodies).toHaveLength(1), 10_000);
  await server.close();
  expect(bodies.map(({ body }) => body.Subject)).toEqual(['one']);
});

test('Mailpit’s metrics are those of the server', async () => {
  await using server = await startServer({ tagging: { xTags: true } });
  await send(server, ['ada@x.test'], 'X-Tags: Big "sale"\r\n\r\nx\r\n');
  const answer = await fetch(`${server.url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  const names = text.match(/^# TYPE .*$/gm);
  expect(names).toEqual(
    [
      ...['database_size_bytes gauge', 'memory_usage_bytes gauge', 'messages gauge', 'messages_deleted_total counter'],
      ...['messages_unread gauge', 'smtp_accepted_size_bytes_total counter', 'smtp_accepted_total counter'],
      ...['smtp_ignored_total counter', 'smtp_rejected_total counter', 'tag_messages gauge', 'uptime_seconds gauge'],
    ].map((name) => `# TYPE mailpit_${name}`),
  );
  expect(text).toContain('\nmailpit_messages 1\n');
  expect(text).toContain('\nmailpit_smtp_accepted_total 1\n');
  expect(text).toContain('\nmailpit_tag_messages{tag="Big sale"} 1\n');
});
