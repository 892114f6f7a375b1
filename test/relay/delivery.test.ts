import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import type { MailcapOptions } from '../../src/index.ts';
import type { Relay } from '../../src/ports/outbound.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { json } from '../http/support.ts';
import { startServer, type TestMailbox, type TestServer } from '../support/mailcap.ts';
import { detail, eventually, messagesIn, rawOf, type SendState, sendMail, stateOf } from '../support/outbound.ts';
import { type Script, type ScriptedRelay, scriptedRelay } from './scripted-relay.ts';

const ADA = 'ada@elsewhere.test';
const BOB = 'bob@elsewhere.test';

/** Starts a server that relays to a script, and a mailbox that may send to elsewhere.test. */
async function relaying(
  script: Script,
  options: MailcapOptions = {},
): Promise<{ relay: ScriptedRelay; server: TestServer; mailbox: TestMailbox } & AsyncDisposable> {
  const relay = await scriptedRelay(script);
  const server = await startServer({ relay: relay.url, ...options });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test', '*.mailcap.example.com'] });
  return {
    ...{ relay, server, mailbox },
    async [Symbol.asyncDispose]() {
      relay.cut();
      await server.close();
      await relay[Symbol.asyncDispose]();
    },
  };
}

const reached = (send: SendState) => Object.fromEntries(send.recipients.map(({ address, state }) => [address, state]));
const subjects = async (server: TestServer, mailbox: TestMailbox) =>
  (await messagesIn(server, mailbox.id)).map(({ subject }) => subject);

test('recipients elsewhere get the mail over the relay in one transaction, with the bytes in the mailbox', async () => {
  await using place = await relaying({});
  const { relay, server, mailbox } = place;
  const local = await server.addMailbox();
  const { outboundSendId, messageId } = await sendMail(server, mailbox.id, {
    from: 'App <app@mailcap.example.com>',
    to: `${ADA}, ${local.address()}`,
    bcc: BOB,
    textBody: 'Hello\n.dot\n..two\n',
  });
  const send = await eventually(server, outboundSendId);
  expect(send.state).toBe('delivered');
  expect(send.recipients.find(({ address }) => address === ADA)?.lastReply).toBe('250 2.0.0 Ok: queued');
  const raw = (await rawOf(server, messageId)).toString('latin1');
  expect(relay.taken).toEqual([{ from: 'app@mailcap.example.com', rcptTo: [ADA, BOB], raw }]);
  expect(raw).not.toContain(BOB);
  const [copy] = await messagesIn(server, local.id);
  expect((await rawOf(server, copy?.id ?? '')).toString('latin1')).toBe(raw);
  expect(await detail(server, local.id, copy?.id ?? '')).toMatchObject({
    bcc: null,
    envelopeFrom: 'app@mailcap.example.com',
  });
});

test('connections are reused for the next message', async () => {
  await using place = await relaying({});
  for (let i = 0; i < 5; i++) {
    const { outboundSendId } = await sendMail(place.server, place.mailbox.id, { to: ADA });
    await eventually(place.server, outboundSendId);
  }
  expect([place.relay.taken.length, place.relay.connections]).toEqual([5, 1]);
});

test('a relay that greylists gets the mail again, and accepts it once', async () => {
  await using place = await relaying({ rcpt: (_address, times) => (times < 2 ? '451 4.7.1 Greylisted' : '250 Ok') });
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  const waiting = await eventually(server, outboundSendId, ({ recipients }) => expect(recipients[0]?.attempts).toBe(1));
  expect(waiting.recipients[0]).toMatchObject({ state: 'queued', lastReply: '451 4.7.1 Greylisted' });
  expect(Date.parse(waiting.recipients[0]?.nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(waiting.updatedAt));
  const send = await eventually(server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'delivered', attempts: 3, nextAttemptAt: null });
  expect(relay.taken).toHaveLength(1);
  expect(await subjects(server, mailbox)).toEqual(['Hi']);
});

test('a relay that is not up yet is tried again', async () => {
  const relay = await scriptedRelay();
  const { url } = relay;
  await relay[Symbol.asyncDispose]();
  await using server = await startServer({ relay: url });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  await eventually(server, outboundSendId, ({ recipients }) =>
    expect(recipients[0]).toMatchObject({ state: 'queued', lastReply: expect.stringContaining('ECONNREFUSED') }),
  );
  await using late = await scriptedRelay({}, Number(new URL(url).port));
  expect((await eventually(server, outboundSendId)).state).toBe('delivered');
  expect(late.taken).toHaveLength(1);
});

test('single recipients are refused and deferred by name; the others are delivered', async () => {
  await using place = await relaying({
    rcpt: (address, times) => {
      if (address === BOB) return '550 5.1.1 No such user';
      return address.startsWith('late') && times === 0 ? '450 4.2.1 Later' : '250 Ok';
    },
  });
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: `${ADA}, ${BOB}, late@elsewhere.test` });
  const send = await eventually(server, outboundSendId);
  expect(reached(send)).toEqual({ [ADA]: 'delivered', [BOB]: 'bounced', 'late@elsewhere.test': 'delivered' });
  expect(relay.taken.map(({ rcptTo }) => rcptTo)).toEqual([[ADA], ['late@elsewhere.test']]);
});

test.each<[string, Script]>([
  ['RCPT', { rcpt: () => '550 5.1.1 No such user' }],
  ['MAIL', { mail: () => '550 5.7.1 No such sender' }],
  ['DATA', { data: () => '554 5.7.1 Not wanted' }],
  ['the end of the message', { end: () => '552 5.3.4 Too big' }],
])('a 5xx at %s: bounced, a delivery report in the sending mailbox, a suppression entry', async (_where, script) => {
  await using place = await relaying(script);
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  const send = await eventually(server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({
    state: 'bounced',
    attempts: 1,
    lastReply: expect.stringMatching(/^55\d 5/),
  });
  expect(relay.taken).toEqual([]);
  expect(await subjects(server, mailbox)).toEqual([`Delivery failed: ${ADA}`, 'Hi']);
  const [entry] = await json<{ recipient: string; reason: string }[]>(
    server.api(`/v1/workspaces/${server.workspaceId}/suppression`),
  );
  expect(entry).toMatchObject({ recipient: ADA, reason: 'bounce' });
  const again = await server.api(`/v1/mailboxes/${mailbox.id}/send`, {
    json: { from: 'app@mailcap.example.com', to: ADA, textBody: 'x' },
  });
  expect(again.status).toBe(422);
});

test.each<[string, Script]>([
  ['the greeting', { greet: (connection) => (connection === 1 ? '554 5.3.2 Not now' : '220 Hi') }],
  ['before the greeting', { greet: (connection) => (connection === 1 ? 'drop' : '220 Hi') }],
])('a connection that fails at %s says nothing of the recipient: it is tried again', async (_where, script) => {
  await using place = await relaying(script);
  const { outboundSendId } = await sendMail(place.server, place.mailbox.id, { to: ADA });
  const send = await eventually(place.server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'delivered', attempts: 2 });
});

test('a message whose connection breaks within it was not accepted, and is sent again', async () => {
  let drops = 0;
  await using place = await relaying({ middle: () => (drops++ === 0 ? 'drop' : null) });
  const { relay, server, mailbox } = place;
  // The message exceeds the socket buffers, so its end cannot be on the way when the connection is cut.
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA, textBody: 'x'.repeat(9_000_000) });
  const send = await eventually(server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  expect(relay.taken).toHaveLength(1);
}, 180_000);

test('a message with a 4xx at its end was not accepted, and is sent again', async () => {
  let ends = 0;
  await using place = await relaying({ end: () => (ends++ === 0 ? '451 4.3.0 Try again' : '250 Ok') });
  const { outboundSendId } = await sendMail(place.server, place.mailbox.id, { to: ADA });
  const send = await eventually(place.server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  expect([place.relay.seen.length, place.relay.taken.length]).toEqual([2, 1]);
});

test('a message whose connection breaks after its end may have been accepted, so it is failed, says so, and is never sent again', async () => {
  await using place = await relaying({ end: () => 'drop' });
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  const send = await eventually(server, outboundSendId);
  const lastReply = expect.stringContaining('may have been delivered');
  expect(send.recipients[0]).toMatchObject({ state: 'failed', attempts: 1, lastReply });
  expect(await subjects(server, mailbox)).toEqual([`Delivery failed: ${ADA}`, 'Hi']);
  expect(await json(server.api(`/v1/workspaces/${server.workspaceId}/suppression`))).toEqual([]);
  const { outboundSendId: next } = await sendMail(server, mailbox.id, { to: BOB });
  await eventually(server, next);
  expect(relay.seen.filter(({ rcptTo }) => rcptTo.includes(ADA))).toHaveLength(1);
});

test('mail to one recipient is delivered in the order it was accepted; others do not wait for it', async () => {
  let open = false;
  await using place = await relaying({ rcpt: (address) => (address === ADA && !open ? '450 4.2.1 Later' : '250 Ok') });
  const { relay, server, mailbox } = place;
  const sent: string[] = [];
  for (const subject of ['one', 'two', 'three']) {
    const { outboundSendId } = await sendMail(server, mailbox.id, {
      subject,
      to: ADA,
      cc: `${subject}@elsewhere.test`,
    });
    sent.push(outboundSendId);
  }
  await vi.waitFor(() => expect(relay.taken.flatMap(({ rcptTo }) => rcptTo)).toHaveLength(3), { timeout: 10_000 });
  expect(relay.commands.filter((line) => line.startsWith('RCPT') && line.includes(ADA)).length).toBeGreaterThan(0);
  expect((await stateOf(server, sent[1] ?? '')).recipients[0]).toMatchObject({ state: 'queued', attempts: 0 });
  open = true;
  for (const id of sent) await eventually(server, id);
  const toAda = relay.taken.filter(({ rcptTo }) => rcptTo.includes(ADA));
  expect(toAda.map(({ raw }) => /^Subject: (\w+)/m.exec(raw)?.[1])).toEqual(['one', 'two', 'three']);
});

test('a stop waits for running deliveries, and stores their outcome', async () => {
  const store = memoryStore();
  await using place = await relaying({}, { overrides: { store } });
  const { relay, server, mailbox } = place;
  const holding = new Promise<void>((resolve) => {
    relay.script = {
      end: () => {
        resolve();
        return 'stall';
      },
    };
  });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  await holding;
  const closed = server.close();
  relay.cut();
  await closed;
  const [send] = await store.read.sends.list({ limit: 1 });
  expect([send?.id, send?.state]).toEqual([outboundSendId, 'failed']);
});

test('recipients who are deferred together get the mail together, though the clock ticks between them', async () => {
  const real = systemClock();
  let ticks = 0;
  // Each reading of the clock is 20 ms after the last.
  const clock = { ...real, now: () => real.now() + 20 * ticks++ };
  const script: Script = { rcpt: (_address, times) => (times < 1 ? '451 4.7.1 Greylisted' : '250 Ok') };
  await using place = await relaying(script, { overrides: { clock } });
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA, bcc: BOB });
  expect((await eventually(server, outboundSendId)).state).toBe('delivered');
  expect(relay.taken.map(({ rcptTo }) => rcptTo)).toEqual([[ADA, BOB]]);
});

test('a sign-in that the relay refuses bounces nobody: the mail waits', async () => {
  let refusals = 0;
  await using relay = await scriptedRelay({ auth: () => (refusals++ === 0 ? '535 5.7.8 Who?' : '235 2.7.0 Ok') });
  await using server = await startServer({ relay: relay.url.replace('//', '//me:p%40ss@') });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  const send = await eventually(server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  const given = relay.commands.find((line) => line.startsWith('AUTH PLAIN')) ?? '';
  expect(Buffer.from(given.slice('AUTH PLAIN '.length), 'base64').toString()).toBe('\0me\0p@ss');
});

test('the URL decides about TLS and sign-in: another mailcap as the relay', async () => {
  await using other = await startServer();
  const box = await other.addMailbox();
  const { host, port } = other.smtp;
  const url = `smtp://${box.subdomain}:any@${host}:${port}/?requireTLS=true&tls.rejectUnauthorized=false`;
  await using server = await startServer({ relay: url });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const to = 'üser@bücher.elsewhere.test';
  const { outboundSendId } = await sendMail(server, mailbox.id, { to, subject: 'Grüße' });
  expect((await eventually(server, outboundSendId)).state).toBe('delivered');
  const [message] = await messagesIn(other, box.id);
  expect(message?.subject).toBe('Grüße');
  const facts = await json<Record<string, unknown>>(other.api(`/_mailcap/messages/${message?.id}`));
  expect(facts).toMatchObject({
    tls: { protocol: expect.stringMatching(/^TLS/) },
    user: box.subdomain,
    envelope: { mailFrom: 'app@mailcap.example.com', rcptTo: ['üser@xn--bcher-kva.elsewhere.test'] },
  });
});

test('a relay that hangs delays a stop by its grace period at most; the next start sends the mail', async () => {
  const store = memoryStore();
  const real = systemClock();
  // A stop waits up to ten seconds. The test shortens this time.
  const clock = { ...real, after: (ms: number, act: () => void) => real.after(ms === 10_000 ? 50 : ms, act) };
  await using place = await relaying({ rcpt: () => 'stall' }, { overrides: { store, clock } });
  const { relay, server, mailbox } = place;
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: ADA });
  await vi.waitFor(() => expect(relay.commands.some((line) => line.startsWith('RCPT'))).toBe(true), {
    timeout: 15_000,
  });
  await server.close();
  const [waiting] = await store.read.sends.list({ limit: 1 });
  expect(waiting?.recipients[0]).toMatchObject({ state: 'queued', attempts: 1, handedOver: false });
  relay.script = {};
  await using next = await startServer({ relay: relay.url, overrides: { store } });
  expect((await eventually(next, outboundSendId)).state).toBe('delivered');
  expect(relay.taken).toHaveLength(1);
});

test('a message that the relay may have when the server ends is failed at the next start, and not sent again', async () => {
  const store = memoryStore();
  let release = () => {};
  const never: Relay = {
    ...{ name: 'relay.test', places: 1, close: () => {} },
    send: async ({ recipients, handOver }) => {
      await handOver(recipients);
      return new Map(
        await new Promise<[]>((resolve) => {
          release = () => resolve([]);
        }),
      );
    },
  };
  const server = await startServer({ overrides: { store, relay: never } });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: `${ADA}, ${BOB}` });
  await vi.waitFor(
    async () => {
      const [send] = await store.read.sends.list({ limit: 1 });
      expect(send?.recipients[0]?.handedOver).toBe(true);
    },
    { timeout: 15_000 },
  );
  // The next server has only the store, as after a kill.
  await using relay = await scriptedRelay();
  await using next = await startServer({ relay: relay.url, overrides: { store } });
  const send = await eventually(next, outboundSendId);
  const lastReply = expect.stringContaining('may have been delivered');
  expect(send.recipients).toMatchObject([ADA, BOB].map((address) => ({ address, state: 'failed', lastReply })));
  expect([relay.seen, (await subjects(next, mailbox))[0]]).toEqual([[], `Delivery failed: ${ADA}, ${BOB}`]);
  release();
  await server.close();
});
