import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { mail, outcome, put, type Summary } from '../http/support.ts';
import { Wire } from '../smtp/wire.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { messagesIn, rawOf } from '../support/outbound.ts';
import { scriptedRelay } from './scripted-relay.ts';

const release = (server: TestServer, id: string, body: unknown) =>
  outcome(server.api(`/_mailcap/messages/${id}/release`, { json: body }));

async function captured(server: TestServer): Promise<string> {
  const wire = await Wire.hello(server.smtp.port);
  await wire.mail('stranger@elsewhere.test', 'Subject: Grüße\r\n\r\n.dot\r\nbody\r\n', 'app@x.test');
  wire.close();
  const [message] = await messagesIn(server, server.mailboxId);
  return message?.id ?? 'none';
}

test('POST release sends a message to the relay unchanged, each time, and returns the replies', async () => {
  await using relay = await scriptedRelay();
  await using server = await startServer({ relay: relay.url });
  const id = await captured(server);
  const answer = await release(server, id, { to: 'Ada <ada@elsewhere.test>, bob@elsewhere.test, ADA@elsewhere.test' });
  expect(answer).toEqual({
    status: 200,
    body: {
      ...{ released: true, relay: '127.0.0.1', from: 'app@x.test' },
      recipients: ['ada@elsewhere.test', 'bob@elsewhere.test'].map((address) => ({
        ...{ address, outcome: 'accepted', reply: expect.stringMatching(/^250 /) },
      })),
    },
  });
  const raw = (await rawOf(server, id)).toString('latin1');
  expect(relay.taken).toEqual([{ from: 'app@x.test', rcptTo: ['ada@elsewhere.test', 'bob@elsewhere.test'], raw }]);
  const client = createClient({ baseUrl: server.url, apiKey: server.apiKey, workspaceId: server.workspaceId });
  expect(await client.local.releaseMessage(id, { to: 'ada@elsewhere.test' })).toMatchObject({ released: true });
  expect(relay.taken).toHaveLength(2);
  expect(await messagesIn(server, server.mailboxId)).toHaveLength(1);
});

test('a released message names no Bcc recipient, and is otherwise the same to the byte', async () => {
  await using relay = await scriptedRelay();
  await using server = await startServer({ relay: relay.url });
  const released = async (raw: string) => {
    const { id } = (await (await put(server, server.mailboxId, raw)).json()) as Summary;
    expect(await release(server, id, { to: 'ada@elsewhere.test' })).toMatchObject({ body: { released: true } });
    expect((await rawOf(server, id)).toString('latin1')).toBe(raw);
    return relay.taken.at(-1)?.raw;
  };
  const kept = ['X-A:  1 ', 'Subject: Bcc: me', 'To: a@x.test,', '\tb@x.test', 'X-Bcc: kept', 'bccs: kept', ''].join(
    '\r\n',
  );
  const body = '\r\nBcc: in the text\r\n\r\nResent-Bcc: too\r\n';
  const hidden = 'bcc : secret@x.test,\r\n more@x.test,\r\n\t last@x.test\r\n';
  for (const raw of [
    `Bcc: secret@x.test\r\n${kept}${body}`,
    `${kept}${hidden}RESENT-BCC:\r\n secret@x.test\r\n${body}`,
    `${kept}${hidden}X-Long: ${'x'.repeat(300_000)}\r\nBCC\r\n : secret@x.test\r\n${body}`,
  ])
    expect((await released(raw))?.replace(/X-Long: x+\r\n/, '')).toBe(kept + body);
  for (const raw of [kept + body, `no header\r\nBcc: text\r\n${body}`]) expect(await released(raw)).toBe(raw);
  // Here the header has no end.
  expect(await released(`${kept}Bcc: secret@x.test\r\n`)).toBe(kept);
});

test('the answer has the reply for each refused or deferred recipient, and nothing is tried again', async () => {
  await using relay = await scriptedRelay({
    rcpt: (address) =>
      address.startsWith('bad') ? '550 5.1.1 no' : address.startsWith('slow') ? '451 4.7.1 later' : '250 ok',
  });
  await using server = await startServer({ relay: relay.url });
  const id = await captured(server);
  expect(await release(server, id, { to: 'bad@x.test, ok@x.test, slow@x.test' })).toMatchObject({
    status: 200,
    body: {
      released: false,
      recipients: [
        { address: 'bad@x.test', outcome: 'refused', reply: expect.stringContaining('5.1.1 no') },
        { address: 'ok@x.test', outcome: 'accepted' },
        { address: 'slow@x.test', outcome: 'deferred', reply: expect.stringContaining('4.7.1 later') },
      ],
    },
  });
  relay.script = { mail: () => 'drop' };
  expect(await release(server, id, { to: 'a@x.test' })).toMatchObject({ body: { released: false } });
  expect(relay.taken).toHaveLength(1);
});

test('without a relay it is 409 no_relay; an invalid list of recipients is 400 invalid_to', async () => {
  await using server = await startServer();
  const { id } = (await (await put(server, server.mailboxId, mail({}))).json()) as Summary;
  expect(await release(server, id, { to: 'a@x.test' })).toEqual({ status: 409, body: { error: 'no_relay' } });
  for (const to of [undefined, '', 'nobody', 5, ['a@x.test'], 'Group:;', 'a@x.test\r\nb@x.test'])
    expect(await release(server, id, { to })).toEqual({ status: 400, body: { error: 'invalid_to' } });
  const many = Array.from({ length: 101 }, (_, i) => `a${i}@x.test`).join(', ');
  expect((await release(server, id, { to: many })).status).toBe(400);
});
