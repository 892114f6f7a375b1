import { describe, expect } from 'vitest';
import { test } from '../support/mailcap.ts';
import { detail, eventually, messagesIn, post, rawOf, sendMail } from '../support/outbound.ts';
import { outcome, send as sendRaw } from './support.ts';

const HERE = 'user@box.mailcap.example.com';

describe('POST send', () => {
  test('answers 202 with the send id, the message id and the status queued', async ({ mailcap, mailbox }) => {
    const { status, body } = await outcome(post(mailcap, mailbox.id, { to: HERE }));
    expect(status).toBe(202);
    const ulid = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(body).toEqual({ outboundSendId: ulid, messageId: ulid, status: 'queued' });
  });

  test('the message appears in its mailbox under the messageId that send returned, at once', async ({
    mailcap,
    mailbox,
  }) => {
    const { messageId } = await sendMail(mailcap, mailbox.id, {
      from: 'Die Bücherei <app@mailcap.example.com>',
      to: '"Lovelace, Ada" <ada@box.mailcap.example.com>, bob@box.mailcap.example.com',
      cc: 'grace@box.mailcap.example.com',
      bcc: 'Hidden <hidden@box.mailcap.example.com>, bob@box.mailcap.example.com',
      replyTo: 'help@mailcap.example.com, desk@mailcap.example.com',
      subject: 'Grüße 👩‍💻',
      textBody: 'Schöne\r\nGrüße\n.\nEnde\r',
      htmlBody: '<p>Schöne <b>Grüße</b></p>',
    });
    expect((await messagesIn(mailcap, mailbox.id)).map(({ id }) => id)).toEqual([messageId]);
    expect(await detail(mailcap, mailbox.id, messageId)).toMatchObject({
      from: 'Die Bücherei <app@mailcap.example.com>',
      to: '"Lovelace, Ada" <ada@box.mailcap.example.com>, bob@box.mailcap.example.com',
      cc: 'grace@box.mailcap.example.com',
      bcc: 'hidden@box.mailcap.example.com',
      replyTo: 'help@mailcap.example.com, desk@mailcap.example.com',
      subject: 'Grüße 👩‍💻',
      textBody: 'Schöne\nGrüße\n.\nEnde\n',
      htmlBody: '<p>Schöne <b>Grüße</b></p>',
      ...{ spfResult: 'none', envelopeFrom: 'app@mailcap.example.com', remoteIp: null },
    });
  });

  test('the members of a group are in the To header, and each is a recipient once', async ({ mailcap, mailbox }) => {
    const { messageId, outboundSendId } = await sendMail(mailcap, mailbox.id, {
      to: 'Team: "B, C" <b@box.mailcap.example.com>, c@box.mailcap.example.com;, Nobody:;, b@box.mailcap.example.com',
      cc: 'undisclosed-recipients:;',
      bcc: 'Hidden: d@box.mailcap.example.com;',
      replyTo: 'Desk: e@box.mailcap.example.com;',
    });
    const header = (await rawOf(mailcap, messageId)).toString('latin1').split('\r\n\r\n')[0]?.replace(/\r\n /g, ' ');
    expect(header).toMatch(
      /^To: "B, C" <b@box\.mailcap\.example\.com>, c@box\.mailcap\.example\.com, b@box\.mailcap\.example\.com$/m,
    );
    expect(header).not.toMatch(/^cc:|^bcc:|[:;]\s*$|Team|Nobody|Hidden|undisclosed/im);
    expect((await eventually(mailcap, outboundSendId)).recipients.map(({ address }) => address)).toEqual(
      ['b', 'c', 'd'].map((name) => `${name}@box.mailcap.example.com`),
    );
  });

  test.for(['undisclosed-recipients:;', 'Team: ;', 'A:;, B:;'])(
    'a to with only empty groups, %s, sends to cc and bcc, and names nobody',
    async (to, { mailcap, mailbox }) => {
      const fields = { to, cc: 'c@box.mailcap.example.com', bcc: 'd@box.mailcap.example.com' };
      const { messageId, outboundSendId } = await sendMail(mailcap, mailbox.id, fields);
      const header = (await rawOf(mailcap, messageId)).toString('latin1').split('\r\n\r\n')[0];
      expect(header).toMatch(/^To: Undisclosed recipients:;$/m);
      expect(header).not.toContain('d@box');
      const { recipients } = await eventually(mailcap, outboundSendId);
      expect(recipients.map(({ address }) => address)).toEqual([
        'c@box.mailcap.example.com',
        'd@box.mailcap.example.com',
      ]);
    },
  );

  test('a sent mail has one Message-ID and Date, every line ends with CRLF, and no Bcc', async ({
    mailcap,
    mailbox,
  }) => {
    const { messageId } = await sendMail(mailcap, mailbox.id, {
      to: HERE,
      bcc: 'secret@box.mailcap.example.com',
      textBody: `a\nb\rc\r\n${'long '.repeat(400)}\nüml`,
    });
    const raw = (await rawOf(mailcap, messageId)).toString('latin1');
    expect(raw).not.toMatch(/secret|bcc/i);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(raw).toMatch(/^[\x20-\x7e\r\n]*$/);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
    for (const name of ['message-id', 'date', 'mime-version', 'from', 'to', 'subject']) {
      expect(raw.match(new RegExp(`^${name}:`, 'gim')), name).toHaveLength(1);
    }
    expect(raw).toMatch(/^Message-ID: <[0-9A-Z]{26}@mailcap\.example\.com>$/m);
  });

  test('the Date follows the clock', async ({ mailcap, mailbox }) => {
    mailcap.ctx.clock.setOffsetMs(-86_400_000);
    const { messageId } = await sendMail(mailcap, mailbox.id, { to: HERE });
    mailcap.ctx.clock.setOffsetMs(0);
    const { headersJson } = await detail(mailcap, mailbox.id, messageId);
    const age = Date.now() - Date.parse(JSON.parse(headersJson ?? '').date);
    expect(Math.abs(age - 86_400_000)).toBeLessThan(60_000);
  });

  test('it counts against the storage and the day’s emails, not against the mailbox’s inbound cap', async ({
    mailcap,
    mailbox,
  }) => {
    const { read } = mailcap.ctx.store;
    const now = mailcap.ctx.clock.now();
    const used = () => read.workspaces.outboundUsed(mailbox.workspaceId, now);
    const before = await used();
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, {
      to: `${HERE}, b@box.mailcap.example.com`,
      cc: HERE,
    });
    expect((await used()) - before).toBe(2);
    expect(await read.mailboxes.inboundUsed(mailbox.id, now)).toBe(0);
    await eventually(mailcap, outboundSendId);
  });

  test('a recipient in several fields or spellings counts as one email', async ({ mailcap, mailbox }) => {
    const { outboundSendId } = await sendMail(mailcap, mailbox.id, {
      to: 'Bob <bob@box.mailcap.example.com>, "bob"@BOX.mailcap.example.com',
      cc: 'BOB@box.mailcap.example.com',
      bcc: 'bob@box.mailcap.example.com, ann@box.mailcap.example.com',
    });
    const { recipients } = await eventually(mailcap, outboundSendId);
    expect(recipients.map(({ address }) => address)).toEqual([
      'bob@box.mailcap.example.com',
      'ann@box.mailcap.example.com',
    ]);
  });

  test('100 recipients are accepted, 101 are 400 invalid_body', async ({ mailcap, mailbox }) => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => `u${i}@simulator.mailcap.example.com`).join(', ');
    expect((await post(mailcap, mailbox.id, { to: many(60), bcc: many(100) })).status).toBe(202);
    expect(await outcome(post(mailcap, mailbox.id, { to: many(101) }))).toEqual({
      ...{ status: 400, body: { error: 'invalid_body' } },
    });
  });

  test('a body of 10 MiB is accepted, a larger one is 413', { timeout: 180_000 }, async ({ mailcap, mailbox }) => {
    const room = 10 * 1024 * 1024 - JSON.stringify({ from: 'app@mailcap.example.com', subject: 'Hi', to: HERE }).length;
    const { messageId } = await sendMail(mailcap, mailbox.id, { to: HERE, textBody: 'x'.repeat(room - 100) });
    expect((await rawOf(mailcap, messageId)).length).toBeGreaterThan(room);
    expect((await post(mailcap, mailbox.id, { to: HERE, textBody: 'x'.repeat(room + 100) })).status).toBe(413);
  });

  test('a retry with the same Idempotency-Key sends nothing and gets the same answer', async ({ mailcap, mailbox }) => {
    const init = { headers: { 'idempotency-key': 'send-once' } };
    const first = await sendMail(mailcap, mailbox.id, { to: HERE }, init);
    const again = await post(mailcap, mailbox.id, { to: HERE }, init);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await outcome(again)).toEqual({ status: 202, body: first });
    expect(await messagesIn(mailcap, mailbox.id)).toHaveLength(1);
  });

  test('a mailbox outside the scope of the key is 404 before the body is checked', async ({ mailcap }) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${mailcap.apiKey}` };
    const path = '/v1/mailboxes/01ARZ3NDEKTSV4RRFFQ69G5FAV/send';
    const answer = await sendRaw(mailcap, { method: 'POST', path, headers, body: '{' });
    expect([answer.status, answer.body]).toEqual([404, '{"error":"not_found"}']);
  });
});

const MALFORMED: readonly [string, Record<string, unknown>][] = [
  ['no from', { from: null }],
  ['two in from', { from: 'a@mailcap.example.com, b@mailcap.example.com' }],
  ['a malformed from', { from: 'app' }],
  ['no to', { to: null, cc: HERE }],
  ['an empty to', { to: ' ' }],
  ['a malformed to', { to: 'a@@x.test' }],
  ['one malformed of two', { to: `${HERE}, x` }],
  ['a group that nobody is in', { to: 'Friends:;' }],
  ['a group that is not closed', { to: `Friends: ${HERE}` }],
  ['a from that is a group', { from: `Friends: ${HERE};` }],
  ['a malformed cc', { cc: 'x' }],
  ['a malformed bcc', { bcc: 'x y@z' }],
  ['a malformed replyTo', { replyTo: '<' }],
  ['neither body', { textBody: null }],
  ['two empty bodies', { textBody: '', htmlBody: '' }],
  ['a from that is no text', { from: 7 }],
  ['a to that is a list', { to: [HERE] }],
  ['a body that is no text', { textBody: {} }],
  ['a subject that is no text', { subject: 1 }],
  ['a line break in the subject', { subject: 'Hi\r\nBcc: victim@x.test' }],
  ['a bare LF in the subject', { subject: 'Hi\nX: y' }],
  ['a bare CR in the subject', { subject: 'Hi\rX: y' }],
  ['a NUL in the subject', { subject: 'Hi\0' }],
  ['a line break in from', { from: 'app@mailcap.example.com\r\nX: y' }],
  ['a line break in a quoted name', { to: `"a\r\nb" <${HERE}>` }],
  ['a folded to', { to: `${HERE},\r\n b@box.mailcap.example.com` }],
  ['a NUL in cc', { cc: `\0${HERE}` }],
  ['a line break in bcc', { bcc: `${HERE}\n` }],
  ['a line break in replyTo', { replyTo: `a@x.test\r\nX: y` }],
];

for (const [what, fields] of MALFORMED) {
  test(`POST send: ${what} is 400 invalid_body, and nothing is sent`, async ({ mailcap, mailbox }) => {
    const answer = await outcome(post(mailcap, mailbox.id, { to: HERE, ...fields }));
    expect(answer).toEqual({ status: 400, body: { error: 'invalid_body' } });
    expect(await messagesIn(mailcap, mailbox.id)).toEqual([]);
  });
}
