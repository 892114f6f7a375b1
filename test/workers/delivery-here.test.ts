import { describe, expect, test as plain } from 'vitest';
import { systemClock } from '../../src/adapters/system.ts';
import { refuse } from '../../src/domain/errors.ts';
import { MAX_ATTEMPTS } from '../../src/domain/send.ts';
import type { Relay } from '../../src/ports/outbound.ts';
import { json } from '../http/support.ts';
import { steeredStore } from '../smtp/steered-store.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { at } from '../support/moment.ts';
import { detail, eventually, messagesIn, rawOf, sendMail } from '../support/outbound.ts';

const DAY_MS = 86_400_000;

/** Returns the copies in a mailbox after the send is finished. */
async function copies(server: TestServer, sendId: string, mailboxId: string): Promise<string[]> {
  await eventually(server, sendId);
  return (await messagesIn(server, mailboxId)).map(({ id }) => id);
}

describe('mail to mailboxes of this server', () => {
  test('is one copy for each mailbox, whatever the number of recipients, and answers an await', async ({
    mailcap,
    mailbox,
  }) => {
    const [one, other] = [await mailcap.addMailbox(), await mailcap.addMailbox()];
    const waiting = json<{ id: string }>(mailcap.api(`/v1/mailboxes/${one.id}/messages/await?timeout=20`));
    const { outboundSendId, messageId } = await sendMail(mailcap, mailbox.id, {
      to: `${one.address('a')}, ${one.address('b')}`,
      bcc: other.address('hidden'),
    });
    const [copy, ...more] = await copies(mailcap, outboundSendId, one.id);
    expect([more, (await waiting).id]).toEqual([[], copy]);
    expect(await rawOf(mailcap, copy ?? '')).toEqual(await rawOf(mailcap, messageId));
    expect(await mailcap.ctx.store.read.mailboxes.inboundUsed(one.id, mailcap.ctx.clock.now())).toBe(1);
    const facts = await json<Record<string, unknown>>(mailcap.api(`/_mailcap/messages/${copy}`));
    expect(facts).toMatchObject({ source: 'send', clientAddress: null, helo: null, transcript: [] });
    const [hidden] = await copies(mailcap, outboundSendId, other.id);
    expect(await detail(mailcap, other.id, hidden ?? '')).toMatchObject({
      ...{
        to: `${one.address('a')}, ${one.address('b')}`,
        bcc: other.address('hidden'),
        envelopeFrom: 'app@mailcap.example.com',
      },
    });
  });

  test('is freed once no recipient waits for it, and the copies keep their bytes', async ({ mailcap, mailbox }) => {
    const to = await mailcap.addMailbox();
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, { to: to.address() });
    const [copy] = await copies(mailcap, outboundSendId, to.id);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'DELETE' });
    expect((await rawOf(mailcap, copy ?? '')).toString()).toContain('Subject: Hi');
    const [send] = await mailcap.ctx.store.read.sends.list({ mailboxId: mailbox.id, limit: 1 });
    expect([send?.id, send?.raw]).toEqual([outboundSendId, null]);
  });

  test('goes to the inbox mailbox if no other mailbox takes it', async () => {
    await using server = await startServer();
    const mailbox = await server.addMailbox();
    const { outboundSendId } = await sendMail(server, mailbox.id, {
      to: 'a@nobody.mailcap.example.com, b@mailcap.example.com',
    });
    expect(await copies(server, outboundSendId, server.mailboxId)).toHaveLength(1);
  });

  plain(
    'with --catch-all off it bounces as SMTP would refuse it: 550 5.1.1, a report, a suppression entry',
    async () => {
      await using server = await startServer({ catchAll: 'off' });
      const [mailbox, to] = [await server.addMailbox(), await server.addMailbox()];
      const lost = 'a@nobody.mailcap.example.com';
      const { outboundSendId } = await sendMail(server, mailbox.id, { to: `${lost}, ${to.address()}` });
      const { recipients } = await eventually(server, outboundSendId);
      expect(recipients.map(({ state }) => state)).toEqual(['bounced', 'delivered']);
      expect(recipients[0]?.lastReply).toBe('550 5.1.1 No such mailbox here');
      expect(await copies(server, outboundSendId, to.id)).toHaveLength(1);
      const [report] = await messagesIn(server, mailbox.id);
      expect(report?.subject).toBe(`Delivery failed: ${lost}`);
      expect(await detail(server, mailbox.id, report?.id ?? '')).toMatchObject({
        ...{
          from: 'Mail Delivery System <mailer-daemon@mailcap.example.com>',
          to: 'app@mailcap.example.com',
          envelopeFrom: '',
        },
        textBody: expect.stringContaining('550 5.1.1 No such mailbox here'),
      });
      const [entry] = await json<{ recipient: string }[]>(
        server.api(`/v1/workspaces/${server.workspaceId}/suppression`),
      );
      expect(entry?.recipient).toBe(lost);
    },
  );

  plain('past the daily inbound cap it waits, as SMTP would have said 452 4.2.2, and comes the next day', async () => {
    await using server = await startServer({ limits: 'cloud', plans: { business: { inboundPerMailboxPerDay: 1 } } });
    const [mailbox, to] = [await server.addMailbox(), await server.addMailbox()];
    const first = await sendMail(server, mailbox.id, { to: to.address() });
    await eventually(server, first.outboundSendId);
    const second = await sendMail(server, mailbox.id, { to: to.address() });
    const waiting = await eventually(server, second.outboundSendId, ({ recipients }) =>
      expect(recipients[0]?.attempts).toBe(1),
    );
    const lastReply = '452 4.2.2 The mailbox has reached its daily limit';
    expect(waiting.recipients[0]).toMatchObject({ state: 'queued', lastReply });
    server.ctx.clock.setOffsetMs(DAY_MS);
    expect(await copies(server, second.outboundSendId, to.id)).toHaveLength(2);
  });

  plain('what is told of the next attempt is the clock’s time, though attempts go by the real one', async () => {
    await using server = await startServer({ limits: 'cloud', plans: { business: { inboundPerMailboxPerDay: 0 } } });
    server.ctx.clock.setOffsetMs(-30 * DAY_MS);
    const [mailbox, to] = [await server.addMailbox(), await server.addMailbox()];
    const { outboundSendId } = await sendMail(server, mailbox.id, { to: to.address() });
    const { updatedAt, recipients } = await eventually(server, outboundSendId, (send) =>
      expect(send.recipients[0]?.attempts).toBeGreaterThan(1),
    );
    const waitMs = Date.parse(recipients[0]?.nextAttemptAt ?? '') - Date.parse(updatedAt);
    expect(waitMs).toBeGreaterThan(1_000);
    expect(waitMs).toBeLessThan(60_000);
  });
});

describe('the simulator', () => {
  test('complaint@: complained, a feedback report in the sending mailbox, a suppression entry', async ({
    mailcap,
    mailbox,
  }) => {
    const address = 'complaint+report@simulator.mailcap.example.com';
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, { to: address });
    expect((await eventually(mailcap, outboundSendId)).state).toBe('complained');
    const [report] = await messagesIn(mailcap, mailbox.id);
    const raw = (await rawOf(mailcap, report?.id ?? '')).toString();
    expect(raw).toMatch(/^Content-Type: multipart\/report; report-type=feedback-report/m);
    expect(raw).toContain(`Original-Rcpt-To: <${address}>`);
    const entries = await json<object[]>(mailcap.api(`/v1/workspaces/${mailcap.workspaceId}/suppression`));
    expect(entries).toContainEqual(expect.objectContaining({ recipient: address, reason: 'complaint' }));
  });

  test('success@: delivered and dropped', async ({ mailcap, mailbox }) => {
    const before = await mailcap.ctx.store.read.counts();
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, { to: 'success@simulator.mailcap.example.com' });
    expect((await eventually(mailcap, outboundSendId)).state).toBe('delivered');
    expect((await mailcap.ctx.store.read.counts()).messages).toBe(before.messages + 1);
  });

  test('an unknown name is mail without a mailbox', async ({ mailcap, mailbox }) => {
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, { to: 'who@simulator.mailcap.example.com' });
    await eventually(mailcap, outboundSendId);
    expect((await messagesIn(mailcap, mailcap.mailboxId))[0]?.subject).toBe('Hi');
  });
});

test('every change is an event of the same transaction', async ({ mailcap, mailbox }) => {
  const { read } = mailcap.ctx.store;
  const after = await read.events.lastId();
  const address = 'bounce+events@simulator.mailcap.example.com';
  const { outboundSendId, messageId } = await sendMail(mailcap, mailbox.id, { to: address });
  await eventually(mailcap, outboundSendId);
  const items = await read.events.list({ after, mailboxId: mailbox.id, limit: 50, now: at(mailcap.ctx.clock.now()) });
  const all = await read.events.list({ after, limit: 50, now: at(mailcap.ctx.clock.now()) });
  const events = all.flatMap((item) => (item.kind === 'event' ? [[item.event.type, item.event.data]] : []));
  const data = { sendId: outboundSendId, mailboxId: mailbox.id, messageId };
  expect(events).toEqual([
    ['send.updated', { ...data, state: 'queued', recipients: [{ address, state: 'queued' }] }],
    ['send.updated', { ...data, state: 'bounced', recipients: [{ address, state: 'bounced' }] }],
    ['suppression.added', { id: expect.any(String), recipient: address, reason: 'bounce' }],
  ]);
  expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(2);
});

test('deleting a mailbox deletes what it sent', async ({ mailcap }) => {
  const mailbox = await mailcap.addMailbox();
  const { outboundSendId } = await sendMail(mailcap, mailbox.id, { to: 'success@simulator.mailcap.example.com' });
  await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
  expect((await mailcap.api(`/_mailcap/sends/${outboundSendId}`)).status).toBe(404);
});

plain('what is never taken is given up: failed, and a report', async () => {
  let attempts = 0;
  const relay: Relay = {
    name: 'never.test',
    places: 1,
    send: async ({ recipients }) => {
      attempts++;
      return new Map(recipients.map((address) => [address, { kind: 'deferred', reply: '451 4.7.1 Never' }]));
    },
    close: () => {},
  };
  const real = systemClock();
  // Retries wait for no time. The sweeper keeps its own interval.
  const clock = { ...real, after: (ms: number, act: () => void) => real.after(ms === 25_000 ? ms : 0, act) };
  await using server = await startServer({ overrides: { relay, clock } });
  const mailbox = await server.addMailbox({ allowlist: ['*.elsewhere.test'] });
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: 'ada@elsewhere.test' });
  const send = await eventually(server, outboundSendId);
  expect(send.recipients[0]).toMatchObject({ state: 'failed', attempts: MAX_ATTEMPTS, lastReply: '451 4.7.1 Never' });
  expect(attempts).toBe(MAX_ATTEMPTS);
  const [report] = await messagesIn(server, mailbox.id);
  expect((await detail(server, mailbox.id, report?.id ?? '')).textBody).toContain('451 4.7.1 Never');
  expect(await json(server.api(`/v1/workspaces/${server.workspaceId}/suppression`))).toEqual([]);
});

plain('a disk that refuses now and then: it is tried again, and nobody gets a second copy or report', async () => {
  const steered = steeredStore();
  await using server = await startServer({ overrides: { store: steered.store } });
  const [mailbox, to] = [await server.addMailbox(), await server.addMailbox()];
  let transactions = 0;
  const recipients = `${to.address()}, bounce@simulator.mailcap.example.com, success@simulator.mailcap.example.com`;
  // Fails every second transaction after the send exists: the copy is stored, but the result of the delivery is not.
  steered.before.transaction = async () => {
    const [sent] = await steered.store.read.sends.list({ limit: 1 });
    if (sent !== undefined && transactions++ % 2 === 1) throw refuse('storage_unavailable');
  };
  const { outboundSendId } = await sendMail(server, mailbox.id, { to: recipients });
  const send = await eventually(server, outboundSendId);
  steered.before = {};
  expect(send.recipients.map(({ state }) => state)).toEqual(['delivered', 'bounced', 'delivered']);
  expect(transactions).toBe(3);
  expect(await messagesIn(server, to.id)).toHaveLength(1);
  expect((await messagesIn(server, mailbox.id)).map(({ subject }) => subject)).toEqual([
    'Delivery failed: bounce@simulator.mailcap.example.com',
    'Hi',
  ]);
});
