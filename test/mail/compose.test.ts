import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseSendRequest, type SendFields } from '../../src/domain/check-send.ts';
import { composeMessage } from '../../src/mail/compose.ts';
import { parseMail } from '../../src/mail/parse.ts';

const MAIL = { from: 'a@x.test', to: 'b@x.test', subject: 'Hi', textBody: 'hi' };
const long = 'x'.repeat(3_000);

test.each<[string, SendFields]>([
  ['a word in the subject', { subject: `Your ${long} key` }],
  ['words in the subject', { subject: 'word '.repeat(600).trim() }],
  ['spaces in the subject', { subject: `a${' '.repeat(2_500)}b` }],
  ['other letters in the subject', { subject: 'ü👩‍💻'.repeat(500) }],
  ['what looks like encoded words', { subject: `=?utf-8?Q?=41?= ${'=?'.repeat(1_000)}` }],
  ['a display name', { from: `"${long}" <a@x.test>`, to: `"${'n,'.repeat(1_500)}" <b@x.test>` }],
  ['a display name like an encoded word', { to: '"=?utf-8?Q?=41?=" <b@x.test>' }],
  ['many addresses', { to: Array.from({ length: 90 }, (_, at) => `"${'r'.repeat(300)}" <u${at}@x.test>`).join(', ') }],
  ['a line of the text', { textBody: `From here\n.\n${long}\nüx` }],
  ['a line of the HTML', { textBody: null, htmlBody: `<p>${long}</p>` }],
])('no line is over 998 bytes with %s, and all is read as it was sent', async (_what, fields) => {
  const email = parseSendRequest({ ...MAIL, ...fields });
  const raw = await composeMessage(email, { messageId: '<m@x.test>', date: 0 });
  const lines = raw.toString('latin1').split('\r\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
  expect(lines.join('')).not.toMatch(/[\r\n]/);
  const { mail } = await parseMail(raw);
  const withoutEnd = (text: string | null) => text?.replace(/\n$/, '') ?? null;
  expect(mail.subject).toBe(email.subject);
  expect([withoutEnd(mail.textBody), withoutEnd(mail.htmlBody)]).toEqual([email.text, email.html]);
  const shown = email.to.map(({ name, address }) => [name, address]);
  const { addressesOf } = await import('../../src/client/mailbox/message.ts');
  expect(addressesOf(mail.to).map(({ name, address }) => [name, address])).toEqual(shown);
});

const PIECE = 16 * 1024;

test.each([
  ['lines', '<p>Grüße 😀</p>\n'.repeat(60_000)],
  ['one line', `${'a'.repeat(PIECE - 1)}${'😀'.repeat(200_000)}`],
  ['a line end at the end of a piece', `${'a'.repeat(PIECE - 1)}\r\n${'ü'.repeat(500_000)}`],
  ['lone carriage returns', `${'a'.repeat(PIECE - 1)}\r${'b\r'.repeat(300_000)}`],
])('a large part of %s is composed in many turns of the event loop, and read as it was sent', async (_what, html) => {
  let turns = 0;
  let isDone = false;
  const counted = (async () => {
    while (!isDone) {
      await setImmediate();
      turns++;
    }
  })();
  const raw = await composeMessage(
    { ...parseSendRequest(MAIL), text: null, html },
    { messageId: '<m@x.test>', date: 0 },
  );
  isDone = true;
  await counted;
  expect(turns).toBeGreaterThan(20);
  const { mail } = await parseMail(raw);
  expect(mail.htmlBody?.replace(/\n$/, '')).toBe(html.replace(/\r\n?/g, '\n').replace(/\n$/, ''));
});
