import { expect, test } from 'vitest';
import { widthOf } from '../../../src/text/width.ts';
import { ENTER, ESC, type InboxFixture, openInbox, putMail } from './open-inbox.tsx';

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J \u202egpj.exe';
const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

/** A mail in parts: a text, and an attached file or mail. */
function holding(head: readonly string[], text: string, type: string, name: string, content: string): string {
  const boundary = `in-${name}`;
  return [
    ...[...head, `Content-Type: multipart/mixed; boundary="${boundary}"`, ''],
    ...[`--${boundary}`, 'Content-Type: text/plain; charset=utf-8', '', text],
    ...[`--${boundary}`, `Content-Type: ${type}; name="${name}"`, '', content, `--${boundary}--`],
  ].join('\r\n');
}

const INNERMOST = 'Subject: Innermost\r\nDate: yesterday\r\n\r\nThe deepest words. Your code is 730218.';
const INNER = holding(
  [
    `Subject: ${encoded(`Inner ${HOSTILE}`)}`,
    'From: Bob <bob@inner.test>\r\nTo: Carol <carol@inner.test>\r\nDate: Tue, 24 Nov 2020 10:00:00 +0000',
  ],
  `Inner text ${HOSTILE} https://inner.test/verify?t=abc123`,
  'message/rfc822',
  'innermost.eml',
  INNERMOST,
);

/** Opens an inbox whose newest message has the mails attached, with that message open. */
async function openedOuter(columns: number, rows = 30): Promise<InboxFixture & { readonly id: string }> {
  const fixture = await openInbox({ columns, rows });
  await putMail(fixture.server, 'An older one', { body: 'older words' });
  const body = holding([], 'See attached.', 'message/rfc822', 'inner.eml', INNER);
  const [head = '', rest = ''] = [body.slice(0, body.indexOf('\r\n')), body.slice(body.indexOf('\r\n') + 4)];
  const id = await putMail(fixture.server, 'The outer', { headers: [head], body: rest });
  await fixture.shows('The outer');
  fixture.press(ENTER);
  await fixture.shows('See attached.');
  return { ...fixture, id };
}

test.each([40, 80, 120, 200])('an attached mail is read as a mail of its own, at %i columns', async (columns) => {
  const fixture = await openedOuter(columns);
  fixture.press('a');
  await fixture.shows('❯ inner.eml');
  await fixture.shows(/r reads\s+a mail/);
  fixture.press('r');
  await fixture.shows('attached to The outer');
  await fixture.shows('Inner');
  await fixture.shows('from Bob <bob@inner.test>');
  await fixture.shows('to Carol <carol@inner.test>');
  await fixture.shows('when 24 Nov 2020, 10:00:00');
  await fixture.shows('Inner text');
  const frame = fixture.frame();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a mail must not bring a control character to the screen
  expect(frame).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  for (const line of frame.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  fixture.press(ESC);
  await fixture.shows('See attached.');
  await fixture.showsNo('attached to');
});

test('an attached mail within it is read too, with its code, source and file, and esc leads out step by step', async () => {
  const fixture = await openedOuter(100);
  fixture.press('a', 'r');
  await fixture.shows('Inner text');
  fixture.press('l');
  await fixture.shows('https://inner.test/verify?t=abc123');
  fixture.press(ESC, 'a');
  await fixture.shows('❯ innermost.eml');
  fixture.press(ENTER);
  await fixture.shows('Saved innermost.eml');
  expect(fixture.saved.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([INNERMOST]);
  fixture.press('r');
  await fixture.shows('The deepest words.');
  await fixture.shows(/attached to Inner/);
  await fixture.shows('when yesterday');
  fixture.press('c');
  await fixture.shows('Copied the code: 730218');
  fixture.press('v');
  await fixture.shows('Subject: Innermost');
  fixture.press('o');
  await expect.poll(() => fixture.browsed).toHaveLength(1);
  expect(fixture.browsed[0]).toMatch(new RegExp(`/#/messages/${fixture.id}\\?attached=[0-9A-Z]{26}\\.0$`));
  fixture.press(ESC);
  await fixture.shows('Inner text');
  fixture.press(ESC);
  await fixture.shows('See attached.');
  fixture.press(ESC);
  await fixture.shows(/❯ App The outer/);
});

test('d deletes the message in which it is attached, and n goes to the next message', async () => {
  const fixture = await openedOuter(100);
  fixture.press('a', 'r');
  await fixture.shows('Inner text');
  // The outer message is the newest one, so there is none before it.
  fixture.press('N', 'h');
  await fixture.shows('date: Tue, 24 Nov 2020');
  fixture.press('n');
  await fixture.shows('older words');
  fixture.press('N');
  await fixture.shows('See attached.');
  fixture.press('a', 'r');
  await fixture.shows('Inner text');
  fixture.press('d');
  await fixture.shows('"The outer" of App <app@example.com> deleted.');
  await fixture.showsNo('Inner text');
});

test('a file that is no mail is told as such, and stays in the list', async () => {
  const fixture = await openInbox({ columns: 100 });
  const body = '--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nattached\r\n--b--';
  await putMail(fixture.server, 'with a file', { headers: ['Content-Type: multipart/mixed; boundary=b'], body });
  await fixture.shows('with a file');
  fixture.press('a');
  await fixture.shows('❯ a.txt');
  expect(fixture.frame()).not.toContain('reads a mail');
  fixture.press('r');
  await fixture.shows('This file is no mail.');
  await fixture.shows('❯ a.txt');
});
