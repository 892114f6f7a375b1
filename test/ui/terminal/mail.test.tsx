import stringWidth from 'string-width';
import { expect, test, vi } from 'vitest';
import { json } from '../../http/support.ts';
import { startServer, type TestServer } from '../../support/mailcap.ts';
import { byDay } from '../../support/night.ts';
import { ENTER, ESC, openInbox, putMail } from './open-inbox.tsx';

/** By day every 23rd width, even and odd ones, the narrowest and the widest. Each is rendered anew. */
const WIDTHS = byDay(
  Array.from({ length: 161 }, (_, at) => 40 + at),
  (width) => width % 23 === 17 || width === 200,
);

test('the list has a line for each message, newest first, and new mail appears as it comes', async () => {
  const fixture = await openInbox();
  await fixture.shows('No mail yet');
  await putMail(fixture.server, 'first');
  await fixture.shows(/❯ App \S+ first/);
  await putMail(fixture.server, 'second');
  await fixture.shows(/❯ App \S+ second/);
  const lines = fixture.frame().split('\n');
  expect(lines.findIndex((line) => line.includes('second'))).toBeLessThan(
    lines.findIndex((line) => line.includes('first')),
  );
});

test('new mail does not move what is being read: it waits above, counted, and g shows it', async () => {
  const server = await startServer();
  for (let i = 1; i <= 3; i++) await putMail(server, `mail ${i}`);
  const fixture = await openInbox({ server });
  await fixture.shows('● live');
  await fixture.shows(/❯ App \S+ mail 3/);
  fixture.press('j');
  await fixture.shows(/❯ App \S+ mail 2/);
  const before = rowsOf(fixture.frame());
  await putMail(server, 'late one');
  await putMail(server, 'late two');
  await fixture.shows('2 new');
  expect(rowsOf(fixture.frame())).toEqual(before);
  fixture.press('g');
  await fixture.shows(/❯ App \S+ late two/);
  await server.close();
});

test('enter opens a message: its text, headers and source; esc goes back', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'Your code', { body: 'Your code is 481516.' });
  await fixture.shows('Your code');
  fixture.press(ENTER);
  await fixture.shows('Your code is 481516.');
  await fixture.shows('from App <app@example.com>');
  fixture.press('h');
  await fixture.shows('subject: Your code');
  fixture.press('v');
  await fixture.shows('From: App <app@example.com>');
  fixture.press(ESC);
  await fixture.shows('❯ App');
});

test('a header that is longer than a line is shown whole', async () => {
  const fixture = await openInbox({ columns: 60 });
  const value = Array.from({ length: 250 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
  await putMail(fixture.server, 'signed', { headers: [`X-Signature: ${value}`] });
  await fixture.shows(/❯ App \S+ signed/);
  fixture.press('h');
  await fixture.shows('x-signature:');
  expect(fixture.frame().replace(/\s/g, '')).toContain(`x-signature:${value}`);
});

test('c copies the code of the selected message', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'Sign in', { body: 'Your code is 481516.' });
  await fixture.shows('Sign in');
  fixture.press('c');
  await fixture.shows('Copied the code: 481516');
  expect(fixture.copied).toEqual(['481516']);
});

test('HTML is shown as readable text, its links are listed, and only http links are opened', async () => {
  const fixture = await openInbox();
  const body =
    '<h1>Hi</h1><p>Go <a href="https://x.test/verify?t=1">here</a> or <a href="file:///etc/passwd">there</a></p>';
  await putMail(fixture.server, 'html', { headers: ['Content-Type: text/html'], body });
  await fixture.shows('html');
  fixture.press(ENTER);
  await fixture.shows(/Go here \[1\] or there <file:\/\/\/etc\/passwd>/);
  fixture.press('l');
  await fixture.shows(/❯ \[1\] verify here\n +https:\/\/x.test\/verify/);
  fixture.press(ENTER);
  await fixture.shows('Opening it in the browser');
  expect(fixture.browsed).toEqual(['https://x.test/verify?t=1']);
});

test.each([40, 60, 80, 120, 200])(
  'at %i columns every link that can be followed is counted, and listed by host and end',
  async (columns) => {
    const fixture = await openInbox({ columns });
    const end = 'a-long-token-that-no-narrow-screen-holds/END';
    const body = [
      `<a href="https://mail.shop.example/${end}">Confirm your address</a>`,
      '<a href="mailto:unsubscribe@shop.example">Unsubscribe</a>',
      '<a href="shopapp://orders/42">Open the app</a>',
    ].join(' ');
    await putMail(fixture.server, 'Three ways', { headers: ['Content-Type: text/html'], body });
    await fixture.shows('Three ways');
    fixture.press(ENTER);
    await fixture.shows(/links 3: 1 verify, 1 unsubscribe, 1\s+other/);
    await fixture.shows(/Unsubscribe\s+\[2\]/);
    fixture.press('l');
    await fixture.shows(/❯ \[1\] verify Confirm your addr/);
    await fixture.shows(/mail\.shop\.example\/\S*END/);
    await fixture.shows(/\[2\] unsubscribe Unsubscribe/);
    await fixture.shows('mailto:unsubscribe@shop.example');
    await fixture.shows(/\[3\] other Open the app/);
    await fixture.shows('shopapp://orders/42');
    fixture.press('j', ENTER);
    await fixture.shows(/The inbox opens only http and https\s+links\.\s+This/);
  },
);

test('d deletes, z puts the message back, and q deletes it before the ten seconds are over', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'keep me');
  await putMail(fixture.server, 'drop me');
  await fixture.shows(/❯ App \S+ drop me/);
  fixture.press('d');
  await fixture.shows('"drop me" of App <app@example.com> deleted. Press z to undo it.');
  await fixture.shows(/❯ App \S+ keep me/);
  await fixture.showsNo(/App \S+ drop me/);
  fixture.press('z');
  await fixture.shows(/❯ App \S+ drop me/);
  fixture.press('z');
  await fixture.shows('There is no deletion to undo.');
  fixture.press('d');
  await fixture.showsNo(/App \S+ drop me/);
  expect(await subjectsOn(fixture.server)).toEqual(['drop me', 'keep me']);
  fixture.press('q');
  await vi.waitFor(async () => expect(await subjectsOn(fixture.server)).toEqual(['keep me']));
});

test('/ filters as it is typed, also by the text of a body; enter keeps it, esc takes it back', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'one', { body: 'needle' });
  await putMail(fixture.server, 'two');
  await fixture.shows('two');
  fixture.press('/', 'n', 'e', 'e');
  await fixture.showsNo('two');
  await fixture.shows('one');
  fixture.press(ENTER);
  await fixture.shows('filter: nee');
  fixture.press('/', 'x');
  await fixture.shows('No message contains “neex”');
  fixture.press(ESC);
  await fixture.shows('filter: nee');
});

test('a filter shows what it found in a mail; a half-typed word changes nothing, and a wrong one is told', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'one', { body: 'a needle in the hay' });
  await putMail(fixture.server, 'two');
  await fixture.shows('two');
  fixture.press('/', ...'NEEDLE');
  await fixture.shows('one · a needle in the hay');
  await fixture.showsNo('two');
  fixture.press(' ', ...'from:', ENTER);
  await fixture.shows('filter: NEEDLE from:');
  await fixture.shows('one · a needle in the hay');
  fixture.press(ESC);
  await fixture.shows('two');
  fixture.press('/', ...'form:ada');
  await fixture.shows('form: is no search word');
});

test('pasted text goes to the filter and triggers no keys', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'one');
  await fixture.shows('one');
  fixture.press('\u001b[200~', 'dyq', '\u001b[201~');
  fixture.press('/', '\u001b[200~', 'od\nq', '\u001b[201~', ENTER);
  await fixture.shows('filter: odq');
});

test('an attachment is saved on request', async () => {
  const fixture = await openInbox();
  const body = '--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nattached\r\n--b--';
  await putMail(fixture.server, 'with a file', { headers: ['Content-Type: multipart/mixed; boundary=b'], body });
  await fixture.shows('with a file');
  fixture.press('a');
  await fixture.shows('❯ a.txt');
  fixture.press(ENTER);
  await fixture.shows('Saved a.txt (8 B) in ~/project');
  expect(fixture.saved.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['a.txt', 'attached'],
  ]);
});

test('m switches the mailbox, with what came there meanwhile counted', async () => {
  const server = await startServer();
  const other = await server.addMailbox({ subdomain: 'sign-up', name: 'Sign up' });
  const fixture = await openInbox({ server });
  await fixture.shows('● live');
  await putMail(server, 'over there', { mailboxId: other.id });
  await fixture.shows('1 new in other mailboxes');
  fixture.press('m');
  await fixture.shows(/Sign up .* 1 new/);
  fixture.press('j', ENTER);
  await fixture.shows(/❯ App \S+ over there/);
  await server.close();
});

test('mailboxes that are created one after the other cost few requests, and are all listed in the end', async () => {
  const server = await startServer();
  const fixture = await openInbox({ server });
  await fixture.shows('● live');
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
  fixture.press('m');
  await fixture.shows('1 of 21');
  expect((await counted()) - before).toBeLessThanOrEqual(3);
  await server.close();
});

test('text of a sender controls no terminal, hides nothing and breaks no column', async () => {
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
    const fixture = await openInbox({ server, columns, rows });
    await fixture.shows('zalgo');
    const frame = fixture.frame();
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
  const fixture = await openInbox({ columns: 120, rows: 30 });
  await putMail(fixture.server, 'beside', { body: 'the text of it' });
  await fixture.shows('beside');
  fixture.press(ENTER);
  await fixture.shows('the text of it');
  await fixture.shows(/❯ App \S+ beside/);
  fixture.resize(60, 20);
  await fixture.showsNo('❯');
  expect(fixture.frame()).toContain('the text of it');
  fixture.press(ESC);
  await fixture.shows(/❯ App \S+ beside/);
});

test('on a wide screen the selected message is shown and stays unread until it is opened', async () => {
  const server = await startServer();
  await putMail(server, 'older', { body: 'the text of the older one' });
  await putMail(server, 'newer', { body: 'Your code is 481516.' });
  const fixture = await openInbox({ server, columns: 140, rows: 30 });
  await fixture.shows('Your code is 481516.');
  await fixture.shows(/•❯ App newer #481516/);
  fixture.press('j');
  await fixture.shows('the text of the older one');
  await fixture.shows(/•❯ App older/);
  fixture.press(ENTER);
  await fixture.shows(/ ❯ App older/);
  expect(fixture.frame()).not.toContain('•❯');
  await server.close();
});

test('/ finds in what is read, n goes on, and esc ends the search before it goes back', async () => {
  const fixture = await openInbox();
  const body = ['needle one', ...Array.from({ length: 60 }, (_, at) => `line ${at}`), 'Needle two'].join('\r\n');
  await putMail(fixture.server, 'haystack', { body });
  await fixture.shows('haystack');
  fixture.press(ENTER);
  await fixture.shows('needle one');
  fixture.press('/', 'n', 'e', 'e', 'd', 'l', 'e', ENTER);
  await fixture.shows('1 of 2 matches');
  fixture.press('n');
  await fixture.shows('Needle two');
  await fixture.shows('2 of 2 matches');
  fixture.press(ESC);
  await fixture.showsNo('matches');
  expect(fixture.frame()).toContain('Needle two');
  fixture.press(ESC);
  await fixture.shows(/❯ App ada haystack/);
  await fixture.server.close();
});

test('a mail without a To says so, and names its recipient once', async () => {
  const fixture = await openInbox();
  const path = `/_mailcap/mailboxes/${fixture.server.mailboxId}/messages`;
  const headers = { 'content-type': 'message/rfc822' };
  await fixture.server.api(path, {
    method: 'POST',
    headers,
    body: 'From: a@b.test\r\nSubject: nobody named\r\n\r\nhello',
  });
  await fixture.shows('nobody named');
  fixture.press(ENTER);
  await fixture.shows('to (no To)');
});

test('the terminal gets exactly the lines for its width, at each width from 40 to 200', async () => {
  const fixture = await openInbox();
  fixture.press('?');
  for (const columns of WIDTHS) {
    fixture.resize(columns, 24);
    await expect.poll(() => stringWidth(fixture.frame().split('\n')[0] ?? '')).toBe(columns - 1);
    expect(fixture.frame(), String(columns)).toContain('Everywhere');
    expect(fixture.frame(), String(columns)).toContain('half a screen down');
  }
}, 180_000);

test('help lists every key of the table, and scrolls', async () => {
  const fixture = await openInbox();
  fixture.press('?');
  await fixture.shows('Everywhere');
  fixture.press('G');
  await fixture.shows('not opened yet');
  fixture.press(ESC);
  await fixture.shows('No mail yet');
});

function rowsOf(frame: string): string[] {
  return frame.split('\n').filter((line) => / mail \d/.test(line));
}

async function subjectsOn(server: TestServer): Promise<string[]> {
  const path = `/_mailcap/mailboxes/${server.mailboxId}/messages`;
  const { items } = await json<{ items: { subject: string }[] }>(server.api(path));
  return items.map(({ subject }) => subject);
}

test('s gives a star, T edits the tags and r marks as unread, on the server, in the list and in the open message', async () => {
  const fixture = await openInbox();
  await putMail(fixture.server, 'to mark');
  await fixture.shows(/❯ App \S+ to mark/);
  fixture.press('s');
  await fixture.shows(/❯ App \S+ ★ to mark/);
  fixture.press('T');
  await fixture.shows(/tags ▏\s+commas between them/);
  fixture.press('spring, urgent', ENTER);
  await fixture.shows(/★ to mark \[spring\] \[urgent\]/);
  fixture.press(ENTER);
  await fixture.shows(/tags +spring, urgent/);
  fixture.press('r');
  const found = async (query: string) => {
    const path = `/_mailcap/mailboxes/${fixture.server.mailboxId}/messages?${new URLSearchParams({ query })}`;
    const { items } = await json<{ items: { subject: string }[] }>(fixture.server.api(path));
    return items.map(({ subject }) => subject);
  };
  await vi.waitFor(async () => expect(await found('is:starred is:unread tag:spring tag:urgent')).toEqual(['to mark']));
  fixture.press('T');
  await fixture.shows(/tags spring, urgent▏/);
  fixture.press('spring', ENTER);
  await fixture.shows(/tags +spring, urgentspring/);
  fixture.press('T');
  await fixture.shows('commas between them');
  fixture.press('!', ENTER);
  await fixture.shows(/tag has at most 100 characters/);
  await fixture.shows(/tags +spring, urgentspring(?!!)/);
  await vi.waitFor(async () => expect(await found('tag:urgentspring')).toEqual(['to mark']));
});

test('a message that is read here is read for others, and one that others read or unread is so here', async () => {
  const fixture = await openInbox();
  const { server } = fixture;
  await putMail(server, 'one');
  await putMail(server, 'two');
  await fixture.shows(/•❯ App \S+ two/);
  fixture.press(ENTER);
  const unread = async () => {
    const query = 'is:unread';
    const path = `/_mailcap/mailboxes/${server.mailboxId}/messages?${new URLSearchParams({ query })}`;
    const { items } = await json<{ items: { id: string; subject: string }[] }>(server.api(path));
    return items;
  };
  await vi.waitFor(async () => expect((await unread()).map(({ subject }) => subject)).toEqual(['one']));
  fixture.press(ESC);
  const [one] = await unread();
  await server.api(`/_mailcap/messages/${one?.id}`, { method: 'PATCH', json: { read: true } });
  await fixture.showsNo('•');
  await server.api(`/_mailcap/messages/${one?.id}`, { method: 'PATCH', json: { read: false } });
  await fixture.shows(/• App \S+ one/);
});
