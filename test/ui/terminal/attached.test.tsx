import { expect, test } from 'vitest';
import { widthOf } from '../../../src/text/width.ts';
import { type Desk, ENTER, ESC, openDesk, putMail } from './desk.tsx';

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
async function openedOuter(columns: number, rows = 30): Promise<Desk & { readonly id: string }> {
  const desk = await openDesk({ columns, rows });
  await putMail(desk.server, 'An older one', { body: 'older words' });
  const body = holding([], 'See attached.', 'message/rfc822', 'inner.eml', INNER);
  const [head = '', rest = ''] = [body.slice(0, body.indexOf('\r\n')), body.slice(body.indexOf('\r\n') + 4)];
  const id = await putMail(desk.server, 'The outer', { headers: [head], body: rest });
  await desk.shows('The outer');
  desk.press(ENTER);
  await desk.shows('See attached.');
  return { ...desk, id };
}

test.each([40, 80, 120, 200])('an attached mail is read as a mail of its own, at %i columns', async (columns) => {
  const desk = await openedOuter(columns);
  desk.press('a');
  await desk.shows('❯ inner.eml');
  await desk.shows(/r reads\s+a mail/);
  desk.press('r');
  await desk.shows('attached to The outer');
  await desk.shows('Inner');
  await desk.shows('from Bob <bob@inner.test>');
  await desk.shows('to Carol <carol@inner.test>');
  await desk.shows('when 24 Nov 2020, 10:00:00');
  await desk.shows('Inner text');
  const frame = desk.frame();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a mail must not bring a control character to the screen
  expect(frame).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  for (const line of frame.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  desk.press(ESC);
  await desk.shows('See attached.');
  await desk.showsNo('attached to');
});

test('one within it is read too, with its code, its source and its file, and esc leads out step by step', async () => {
  const desk = await openedOuter(100);
  desk.press('a', 'r');
  await desk.shows('Inner text');
  desk.press('l');
  await desk.shows('https://inner.test/verify?t=abc123');
  desk.press(ESC, 'a');
  await desk.shows('❯ innermost.eml');
  desk.press(ENTER);
  await desk.shows('Saved innermost.eml');
  expect(desk.saved.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([INNERMOST]);
  desk.press('r');
  await desk.shows('The deepest words.');
  await desk.shows(/attached to Inner/);
  await desk.shows('when yesterday');
  desk.press('c');
  await desk.shows('Copied the code: 730218');
  desk.press('v');
  await desk.shows('Subject: Innermost');
  desk.press('o');
  await expect.poll(() => desk.browsed).toHaveLength(1);
  expect(desk.browsed[0]).toMatch(new RegExp(`/#/messages/${desk.id}\\?attached=[0-9A-Z]{26}\\.0$`));
  desk.press(ESC);
  await desk.shows('Inner text');
  desk.press(ESC);
  await desk.shows('See attached.');
  desk.press(ESC);
  await desk.shows(/❯ App \S+ The outer/);
});

test('d asks for the message in which it is attached, and n goes to the next message', async () => {
  const desk = await openedOuter(100);
  desk.press('a', 'r');
  await desk.shows('Inner text');
  desk.press('d');
  await desk.shows('Delete "The outer"');
  desk.press('n');
  await desk.shows('Nothing was deleted');
  // The outer message is the newest one, so there is none before it.
  desk.press('N', 'h');
  await desk.shows('date: Tue, 24 Nov 2020');
  desk.press('n');
  await desk.shows('older words');
  desk.press('N');
  await desk.shows('See attached.');
  desk.press('a', 'r');
  await desk.shows('Inner text');
  desk.press('d', 'y');
  await desk.shows('deleted.');
  await desk.showsNo('Inner text');
});

test('a file that is no mail is told as such, and stays in the list', async () => {
  const desk = await openDesk({ columns: 100 });
  const body = '--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nattached\r\n--b--';
  await putMail(desk.server, 'with a file', { headers: ['Content-Type: multipart/mixed; boundary=b'], body });
  await desk.shows('with a file');
  desk.press('a');
  await desk.shows('❯ a.txt');
  expect(desk.frame()).not.toContain('reads a mail');
  desk.press('r');
  await desk.shows('This file is no mail.');
  await desk.shows('❯ a.txt');
});
