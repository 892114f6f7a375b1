import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { byDay } from '../../support/night.ts';
import { ENTER, ESC, openDesk, putMail } from './desk.tsx';

/** By day every 23rd width, even and odd ones, the narrowest and the widest. Each is rendered anew. */
const WIDTHS = byDay(
  Array.from({ length: 161 }, (_, at) => 40 + at),
  (width) => width % 23 === 17 || width === 200,
);

test('the list has a line for each message, newest first, and new mail appears as it comes', async () => {
  const desk = await openDesk();
  await desk.shows('No mail yet');
  await putMail(desk.server, 'first');
  await desk.shows(/❯ App \S+ first/);
  await putMail(desk.server, 'second');
  await desk.shows(/❯ App \S+ second/);
  const lines = desk.frame().split('\n');
  expect(lines.findIndex((line) => line.includes('second'))).toBeLessThan(
    lines.findIndex((line) => line.includes('first')),
  );
});

test('new mail does not move what is being read: it waits above, counted, and g shows it', async () => {
  const server = await startServer();
  for (let i = 1; i <= 3; i++) await putMail(server, `mail ${i}`);
  const desk = await openDesk({ server });
  await desk.shows('● live');
  await desk.shows(/❯ App \S+ mail 3/);
  desk.press('j');
  await desk.shows(/❯ App \S+ mail 2/);
  const before = rowsOf(desk.frame());
  await putMail(server, 'late one');
  await putMail(server, 'late two');
  await desk.shows('2 new');
  expect(rowsOf(desk.frame())).toEqual(before);
  desk.press('g');
  await desk.shows(/❯ App \S+ late two/);
  await server.close();
});

test('enter opens a message: its text, headers and source; esc goes back', async () => {
  const desk = await openDesk();
  await putMail(desk.server, 'Your code', { body: 'Your code is 481516.' });
  await desk.shows('Your code');
  desk.press(ENTER);
  await desk.shows('Your code is 481516.');
  await desk.shows('from App <app@example.com>');
  desk.press('h');
  await desk.shows('subject: Your code');
  desk.press('v');
  await desk.shows('From: App <app@example.com>');
  desk.press(ESC);
  await desk.shows('❯ App');
});

test('a header that is longer than a line is shown whole', async () => {
  const desk = await openDesk({ columns: 60 });
  const value = Array.from({ length: 250 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
  await putMail(desk.server, 'signed', { headers: [`X-Signature: ${value}`] });
  await desk.shows(/❯ App \S+ signed/);
  desk.press('h');
  await desk.shows('x-signature:');
  expect(desk.frame().replace(/\s/g, '')).toContain(`x-signature:${value}`);
});

test('c copies the code of the selected message', async () => {
  const desk = await openDesk();
  await putMail(desk.server, 'Sign in', { body: 'Your code is 481516.' });
  await desk.shows('Sign in');
  desk.press('c');
  await desk.shows('Copied the code: 481516');
  expect(desk.copied).toEqual(['481516']);
});

test('HTML is shown as readable text, its links are listed, and only http links are opened', async () => {
  const desk = await openDesk();
  const body =
    '<h1>Hi</h1><p>Go <a href="https://x.test/verify?t=1">here</a> or <a href="file:///etc/passwd">there</a></p>';
  await putMail(desk.server, 'html', { headers: ['Content-Type: text/html'], body });
  await desk.shows('html');
  desk.press(ENTER);
  await desk.shows(/Go here \[1\] or there <file:\/\/\/etc\/passwd>/);
  desk.press('l');
  await desk.shows(/❯ \[1\] verify here\n +https:\/\/x.test\/verify/);
  desk.press(ENTER);
  await desk.shows('Opening it in the browser');
  expect(desk.browsed).toEqual(['https://x.test/verify?t=1']);
});

test.each([40, 60, 80, 120, 200])(
  'at %i columns every link that can be followed is counted, and listed by host and end',
  async (columns) => {
    const desk = await openDesk({ columns });
    const end = 'a-long-token-that-no-narrow-screen-holds/END';
    const body = [
      `<a href="https://mail.shop.example/${end}">Confirm your address</a>`,
      '<a href="mailto:unsubscribe@shop.example">Unsubscribe</a>',
      '<a href="shopapp://orders/42">Open the app</a>',
    ].join(' ');
    await putMail(desk.server, 'Three ways', { headers: ['Content-Type: text/html'], body });
    await desk.shows('Three ways');
    desk.press(ENTER);
    await desk.shows(/links 3: 1 verify, 1 unsubscribe, 1\s+other/);
    await desk.shows(/Unsubscribe\s+\[2\]/);
    desk.press('l');
    await desk.shows(/❯ \[1\] verify Confirm your addr/);
    await desk.shows(/mail\.shop\.example\/\S*END/);
    await desk.shows(/\[2\] unsubscribe Unsubscribe/);
    await desk.shows('mailto:unsubscribe@shop.example');
    await desk.shows(/\[3\] other Open the app/);
    await desk.shows('shopapp://orders/42');
    desk.press('j', ENTER);
    await desk.shows(/The inbox opens only http and https\s+links\.\s+This/);
  },
);

test('d asks, and deletes on y', async () => {
  const desk = await openDesk();
  await putMail(desk.server, 'keep me');
  await putMail(desk.server, 'drop me');
  await desk.shows(/❯ App \S+ drop me/);
  desk.press('d');
  await desk.shows('Delete "drop me" of App <app@example.com>?');
  desk.press('n');
  await desk.showsNo('Delete "');
  desk.press('d', 'y');
  await desk.shows(/❯ App \S+ keep me/);
  await desk.shows('"drop me" of App <app@example.com> deleted.');
  await desk.showsNo(/❯? App ada drop me/);
});

test('/ filters as it is typed, also by the text of a body; enter keeps it, esc takes it back', async () => {
  const desk = await openDesk();
  await putMail(desk.server, 'one', { body: 'needle' });
  await putMail(desk.server, 'two');
  await desk.shows('two');
  desk.press('/', 'n', 'e', 'e');
  await desk.showsNo('two');
  await desk.shows('one');
  desk.press(ENTER);
  await desk.shows('filter: nee');
  desk.press('/', 'x');
  await desk.shows('No message contains “neex”');
  desk.press(ESC);
  await desk.shows('filter: nee');
});

test('what is pasted is text for the filter and no keys', async () => {
  const desk = await openDesk();
  await putMail(desk.server, 'one');
  await desk.shows('one');
  desk.press('\u001b[200~', 'dyq', '\u001b[201~');
  desk.press('/', '\u001b[200~', 'od\nq', '\u001b[201~', ENTER);
  await desk.shows('filter: odq');
});

test('an attachment is saved on request', async () => {
  const desk = await openDesk();
  const body = '--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nattached\r\n--b--';
  await putMail(desk.server, 'with a file', { headers: ['Content-Type: multipart/mixed; boundary=b'], body });
  await desk.shows('with a file');
  desk.press('a');
  await desk.shows('❯ a.txt');
  desk.press(ENTER);
  await desk.shows('Saved a.txt (8 B) in ~/project');
  expect(desk.saved.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([['a.txt', 'attached']]);
});

test('m switches the mailbox, with what came there meanwhile counted', async () => {
  const server = await startServer();
  const other = await server.addMailbox({ subdomain: 'sign-up', name: 'Sign up' });
  const desk = await openDesk({ server });
  await desk.shows('● live');
  await putMail(server, 'over there', { mailboxId: other.id });
  await desk.shows('1 new in other mailboxes');
  desk.press('m');
  await desk.shows(/Sign up .* 1 new/);
  desk.press('j', ENTER);
  await desk.shows(/❯ App \S+ over there/);
  await server.close();
});

test('mailboxes made one after the other cost few requests, and are all there in the end', async () => {
  const server = await startServer();
  const desk = await openDesk({ server });
  await desk.shows('● live');
  const counted = async () => {
    const text = await (await server.api('/_mailcap/metrics')).text();
    const lines = text
      .split('\n')
      .filter((line) => /GET.*"\/v1\/mailboxes"/.test(line) && /_(total|count)\{/.test(line));
    return Number(lines[0]?.split(' ').at(-1) ?? Number.NaN);
  };
  const before = await counted();
  for (let i = 1; i <= 20; i++) {
    const path = `/v1/workspaces/${server.workspaceId}/mailboxes`;
    expect((await server.api(path, { json: { name: `box ${i}` } })).status).toBe(201);
  }
  desk.press('m');
  await desk.shows('1 of 21');
  expect((await counted()) - before).toBeLessThanOrEqual(3);
  await server.close();
});

test('what a stranger wrote drives no terminal, hides nothing and breaks no column', async () => {
  const server = await startServer();
  const subjects = [
    '\u001b[2Jgone\u0007',
    'abc \u202egpj.exe',
    '🎉 👩‍👩‍👧‍👦 family',
    'ご注文の確認'.repeat(40),
    'x'.repeat(10_000),
    'a\u0300\u0301\u0302\u0303\u0304\u0305\u0306 zalgo',
  ];
  for (const subject of subjects) {
    await putMail(server, `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`, { from: `${subject} <a@x.test>` });
  }
  for (const [columns, rows] of [
    [80, 24],
    [40, 15],
    [200, 50],
  ] as const) {
    const desk = await openDesk({ server, columns, rows });
    await desk.shows('zalgo');
    const frame = desk.frame();
    expect([...frame].filter((character) => character !== '\n' && /[\p{Cc}\p{Bidi_Control}]/u.test(character))).toEqual(
      [],
    );
    const lines = frame.split('\n');
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    if (columns < 48) continue;
    const ends = lines
      .filter((line) => /\d\d:\d\d( │|$)/.test(line))
      .map((line) => stringWidth(line.replace(/ │.*/, '')));
    expect(new Set(ends).size).toBe(1);
  }
  await server.close();
});

test('on a wide screen list and message stand side by side; when it gets narrow, one at a time', async () => {
  const desk = await openDesk({ columns: 120, rows: 30 });
  await putMail(desk.server, 'beside', { body: 'the text of it' });
  await desk.shows('beside');
  desk.press(ENTER);
  await desk.shows('the text of it');
  await desk.shows(/❯ App \S+ beside/);
  desk.resize(60, 20);
  await desk.showsNo('❯');
  expect(desk.frame()).toContain('the text of it');
  desk.press(ESC);
  await desk.shows(/❯ App \S+ beside/);
});

test('on a wide screen what is selected is shown before it is opened, and stays unread until it is', async () => {
  const server = await startServer();
  await putMail(server, 'older', { body: 'the text of the older one' });
  await putMail(server, 'newer', { body: 'Your code is 481516.' });
  const desk = await openDesk({ server, columns: 140, rows: 30 });
  await desk.shows('Your code is 481516.');
  await desk.shows(/•❯ App ada newer #481516/);
  desk.press('j');
  await desk.shows('the text of the older one');
  await desk.shows(/•❯ App ada older/);
  desk.press(ENTER);
  await desk.shows(/ ❯ App ada older/);
  expect(desk.frame()).not.toContain('•❯');
  await server.close();
});

test('/ finds in what is read, n goes on, and esc ends the search before it goes back', async () => {
  const desk = await openDesk();
  const body = ['needle one', ...Array.from({ length: 60 }, (_, at) => `line ${at}`), 'Needle two'].join('\r\n');
  await putMail(desk.server, 'haystack', { body });
  await desk.shows('haystack');
  desk.press(ENTER);
  await desk.shows('needle one');
  desk.press('/', 'n', 'e', 'e', 'd', 'l', 'e', ENTER);
  await desk.shows('1 of 2 matches');
  desk.press('n');
  await desk.shows('Needle two');
  await desk.shows('2 of 2 matches');
  desk.press(ESC);
  await desk.showsNo('matches');
  expect(desk.frame()).toContain('Needle two');
  desk.press(ESC);
  await desk.shows(/❯ App ada haystack/);
  await desk.server.close();
});

test('a mail without a To says so, and names its recipient once', async () => {
  const desk = await openDesk();
  const path = `/_mailcap/mailboxes/${desk.server.mailboxId}/messages`;
  const headers = { 'content-type': 'message/rfc822' };
  await desk.server.api(path, {
    method: 'POST',
    headers,
    body: 'From: a@b.test\r\nSubject: nobody named\r\n\r\nhello',
  });
  await desk.shows('nobody named');
  desk.press(ENTER);
  await desk.shows('to (no To)');
});

test('what is laid out for a width is what the terminal gets, at each from 40 to 200', async () => {
  const desk = await openDesk();
  desk.press('?');
  for (const columns of WIDTHS) {
    desk.resize(columns, 24);
    await expect.poll(() => stringWidth(desk.frame().split('\n')[0] ?? '')).toBe(columns - 1);
    expect(desk.frame(), String(columns)).toContain('Everywhere');
    expect(desk.frame(), String(columns)).toContain('half a screen down');
  }
}, 180_000);

test('help tells every key of the table, and scrolls', async () => {
  const desk = await openDesk();
  desk.press('?');
  await desk.shows('Everywhere');
  desk.press('G');
  await desk.shows('not opened yet');
  desk.press(ESC);
  await desk.shows('No mail yet');
});

function rowsOf(frame: string): string[] {
  return frame.split('\n').filter((line) => / mail \d/.test(line));
}
