import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstUlidAt } from '../../../src/text/ulid-digits.ts';
import { extended, NONE, toggled, withoutDeleted } from '../../../ui/web/app/selection.ts';
import { lineDiff } from '../../../ui/web/compare/line-diff.ts';
import { asTest } from '../../../ui/web/mail/as-test.ts';
import { elementsOf, scrollToRow, windowOf } from '../../../ui/web/mail/list-window.ts';
import { headersOf, mimeTree, trace } from '../../../ui/web/mail/mail-source.ts';
import { mboxOf } from '../../../ui/web/mail/mbox.ts';
import { paletteFind, paletteGuess } from '../../../ui/web/parts/palette-find.ts';
import { timelineItem, timelineOf } from '../../../ui/web/timeline/timeline.ts';
import { hexRows, jsonTokens, prettyBody } from '../../../ui/web/webhooks/request-body.ts';
import { anyText } from '../../support/any-text.ts';

const rows = ['5', '4', '3', '2', '1'].map((id) => ({ id }));

test('a difference gives back both texts, whatever they are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const of = (left: string) =>
        lines
          .filter(({ is }) => is !== left)
          .map((line) => line.text)
          .join('\n');
      expect(of('new')).toBe(before);
      expect(of('gone')).toBe(after);
    }),
  );
});

test('some dozens of 100,000 rows are drawn, wherever the list is scrolled to', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7_000_000 }), (scrollTop) => {
      const { from, to, total, offset } = windowOf(scrollTop, 900, 60, 100_000);
      expect(to - from).toBeLessThan(40);
      expect(offset).toBe(from * 60);
      expect(total).toBe(6_000_000);
      const first = Math.min(99_999, Math.floor(scrollTop / 60));
      if (scrollTop + 900 <= total) expect(from <= first && first < to).toBe(true);
    }),
  );
});

test('a visible row is not scrolled; one above or below moves to the edge', () => {
  expect([scrollToRow(3, 100, 600, 60), scrollToRow(0, 100, 600, 60), scrollToRow(20, 100, 600, 60)]).toEqual([
    100, 0, 660,
  ]);
});

test('a drawn row keeps its element, and a new one takes that of a row which is gone', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1 }), (drawings) => {
      let elements: ReadonlyMap<string, number> = new Map();
      let most = 0;
      for (const drawn of drawings) {
        const before = elements;
        elements = elementsOf(before, drawn);
        most = Math.max(most, drawn.length);
        expect([...elements.keys()].sort()).toEqual([...drawn].sort());
        expect(new Set(elements.values()).size).toBe(drawn.length);
        for (const id of drawn) if (before.has(id)) expect(elements.get(id)).toBe(before.get(id));
        expect(Math.max(-1, ...elements.values())).toBeLessThan(most);
      }
    }),
  );
});

test('a range is selected from the anchor in both directions, and deleted rows leave the selection', () => {
  const down = extended(toggled(NONE, { id: '4' }), rows, '2');
  expect([...down.ids]).toEqual(['4', '3', '2']);
  expect([...extended(toggled(NONE, { id: '2' }), rows, '4').ids].sort()).toEqual(['2', '3', '4']);
  // The range ends at the new row, and what was chosen before it stays.
  expect([...extended(down, rows, '3').ids].sort()).toEqual(['3', '4']);
  const two = toggled(toggled(NONE, { id: '5' }), { id: '3' });
  expect([...extended(extended(two, rows, '1'), rows, '2').ids].sort()).toEqual(['2', '3', '5']);
  expect([...withoutDeleted(down, (id) => id === '3').ids]).toEqual(['4', '2']);
});

const MAIL = [
  'Received: from a.test (a [10.0.0.1]) by b.test with ESMTP id 2; Sun, 22 Nov 2026 05:00:03 +0000',
  'Received: from me by a.test; Sun, 22 Nov 2026 05:00:01 +0000 (UTC)',
  'Subject: One',
  ' two',
  'Content-Type: multipart/mixed; boundary="x y"',
  '',
  'a preamble',
  '--x y',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello',
  '--x y',
  'Content-Type: image/png; name*0="lo"; name*1="go.png"',
  'Content-Transfer-Encoding: BASE64',
  '',
  'AAAA',
  '--x y--',
  'an epilogue',
].join('\r\n');

test('a mail’s headers are unfolded, its parts are numbered as IMAP does, its way is told oldest first', () => {
  expect(headersOf(MAIL)).toContainEqual(['Subject', 'One two']);
  const tree = mimeTree(MAIL);
  expect(
    tree.parts.map(({ number, type, filename, encoding, body }) => [number, type, filename, encoding, body]),
  ).toEqual([
    ['1', 'text/plain', null, null, 'Hello'],
    ['2', 'image/png', 'logo.png', 'base64', 'AAAA'],
  ]);
  expect(trace(headersOf(MAIL)).map(({ from, by, tookMs }) => [from, by, tookMs])).toEqual([
    ['me', 'a.test', null],
    ['a.test', 'b.test', 2_000],
  ]);
});

test('whatever the bytes of a mail, its parts are found within a bound', () => {
  fc.assert(fc.property(anyText(), (source) => void mimeTree(source)));
  const nested = `Content-Type: multipart/mixed; boundary=a\n\n${'--a\nContent-Type: multipart/mixed; boundary=a\n\n'.repeat(2_000)}`;
  const count = (part: ReturnType<typeof mimeTree>): number =>
    1 + part.parts.reduce((sum, child) => sum + count(child), 0);
  expect(count(mimeTree(nested))).toBeLessThanOrEqual(501);
});

test('JSON is formatted with all of its tokens; text that only claims to be JSON stays as it came', () => {
  const pretty = prettyBody('{"a":[1,-2.5e3,true,null],"b":"x\\"y"}', 'application/json');
  expect(pretty.as).toBe('json');
  expect(
    jsonTokens(pretty.text)
      .map(({ text }) => text)
      .join(''),
  ).toBe(pretty.text);
  expect(jsonTokens('{"a": 1}').map(({ is }) => is)).toEqual(['sign', 'name', 'sign', 'sign', 'number', 'sign']);
  expect(prettyBody('{broken', 'application/json')).toEqual({ as: 'text', text: '{broken' });
  expect(prettyBody('a=1&b=%C3%BC', 'application/x-www-form-urlencoded').text).toBe('a = 1\nb = ü');
});

test('bytes stand in rows of sixteen', () => {
  const [row] = hexRows(new TextEncoder().encode('Hello, world\u0000\n!?more'), 1);
  expect(row).toEqual({
    offset: '00000000',
    hex: '48 65 6c 6c 6f 2c 20 77 6f 72 6c 64 00 0a 21 3f',
    text: 'Hello, world..!?',
  });
});

test('an mbox quotes lines that look like its own, and keeps every other byte', () => {
  const raw = Uint8Array.from([...new TextEncoder().encode('Subject: x\r\n\r\nFrom me\r\n>From you\r\n'), 0xff]);
  const [head, body] = mboxOf([{ from: 'A <a@b.test>', receivedAt: 0, raw }]);
  expect(new TextDecoder().decode(head)).toBe('From a@b.test Thu Jan 01 00:00:00 1970\n'.replace(' 01 ', '  1 '));
  expect(Buffer.from(body ?? []).toString('latin1')).toBe('Subject: x\n\n>From me\n>>From you\n\u00ff\n');
});

test('the palette ranks beginnings of names first, then other parts, and guesses by letters in order', () => {
  const items = ['Reset the server', 'Faults', 'Default'].map((title) => ({ id: title, title, group: 'Go to' }));
  expect(paletteFind(items, 'fault').map(({ title }) => title)).toEqual(['Faults', 'Default']);
  const guessed = (text: string) => paletteGuess(items, text).map(({ title }) => title);
  expect(paletteFind(items, 'rsrv')).toEqual([]);
  expect([guessed('rsrv'), guessed('dft'), guessed('fl'), guessed('xyz')]).toEqual([
    ...[['Reset the server'], ['Default'], [], []],
  ]);
});

test('the palette takes one or two letters for the beginning of a word', () => {
  const items = ['Runs', 'Mark as read or unread', 'Previous view', 'Settings for your app'].map((title) => ({
    ...{ id: title, title, group: 'Go to', also: 'else-run' },
  }));
  const found = (text: string) => paletteFind(items, text).map(({ title }) => title);
  expect([found('ru'), found('re'), found('unr'), found('else')]).toEqual([
    ...[['Runs'], ['Mark as read or unread'], ['Mark as read or unread'], items.map(({ title }) => title)],
  ]);
});

test('the palette puts the guess with the closest letters first', () => {
  const items = ['signs in with a code', 'resets the password'].map((title) => ({
    id: title,
    title,
    group: 'Mailbox',
  }));
  expect(paletteGuess(items, 'isncode').map(({ title }) => title)).toEqual(['signs in with a code']);
  expect(paletteGuess(items, 'paswd').map(({ title }) => title)).toEqual(['resets the password']);
});

test('a copied test has the subject as a string literal, whatever the sender wrote', () => {
  const found = {
    subject: `it's \\ "done"`,
    mailboxId: 'M',
    subdomain: 'box',
    code: true,
    linkKind: null,
    phone: null,
  };
  expect(asTest(found, 'Vitest', 'http://x')).toContain(`waitForCode({ subject: 'it\\'s \\\\ "done"' })`);
  expect(asTest(found, 'Shell', 'http://x')).toBe(
    `npx mailcap messages wait --mailbox box --subject 'it'\\''s \\ "done"' --code`,
  );
});

test('a copied test of a text message claims its number, and waits for texts', () => {
  const phone = '+12025550101';
  const found = { subject: '', mailboxId: 'M', subdomain: 'box', code: true, linkKind: null, phone };
  const lines = (['Playwright', 'Vitest', 'curl', 'Shell'] as const).map((kind) => asTest(found, kind, 'http://x'));
  expect(lines.slice(2)).toEqual([
    'curl -fsSG http://x/_mailcap/mailboxes/M/await -d kind=sms -d timeout=30',
    'npx mailcap messages wait --mailbox box --sms --code',
  ]);
  for (const test of lines.slice(0, 2)) {
    expect(test).toContain(`const mailbox = await createMailbox({ phones: ['+12025550101'] });`);
    expect(test).toContain('createMailbox })');
    expect(test).toContain('await mailbox.waitForCode();');
    expect(test).not.toContain('mailbox.address');
  }
  expect(asTest({ ...found, code: false }, 'Vitest', 'http://x')).toContain('await mailbox.waitForSms();');
});

test('the timeline is newest first, each thing once, of the kinds and the mailbox that are asked for', () => {
  const event = (id: string, type: string, mailboxId: string) => ({
    id,
    type,
    at: new Date(Number(id)).toISOString(),
    workspaceId: null,
    data: { mailboxId },
  });
  const items = [
    event('1', 'message.received', 'a'),
    event('2', 'mailbox.created', 'a'),
    event('3', 'message.received', 'b'),
  ].map(timelineItem);
  const ids = (mailboxId: string | null, kinds: string[]) =>
    timelineOf([...items, ...items], { mailboxId, kinds }).map(({ id }) => id);
  expect([ids(null, []), ids('a', []), ids(null, ['mail'])]).toEqual([
    ['3', '2', '1'],
    ['2', '1'],
    ['3', '1'],
  ]);
});

test('the timeline names a text message and a mailbox that is gone', () => {
  const item = (type: string, data: object) =>
    timelineItem({ id: '1', type, at: new Date(0).toISOString(), workspaceId: null, data: { ...data } });
  const title = (type: string, data: object) => item(type, data).title;
  expect(title('message.received', { kind: 'sms', subject: null })).toBe('Text message');
  expect(title('message.received', { kind: 'email', subject: '' })).toBe('(no subject)');
  expect(item('mailbox.deleted', { subdomain: 'sign-up', name: 'Sign up' })).toMatchObject({
    ...{ title: 'Mailbox deleted', detail: 'Sign up · sign-up' },
  });
  expect(title('mailbox.updated', { subdomain: 'inbox', name: 'Desk' })).toBe('Mailbox changed');
  expect(item('webhook.updated', { name: 'Invoices' })).toMatchObject({ title: 'Webhook changed', detail: 'Invoices' });
});

test('the timeline tells no marks of a message that is gone, and links to none', () => {
  const event = (id: string, type: string, data: object) =>
    timelineItem({ id, type, at: new Date(Number(id)).toISOString(), workspaceId: null, data: { ...data } });
  const marked = (id: string, mailboxId: string, message: string) =>
    event(id, 'message.updated', { mailboxId, messages: [{ id: message, read: true, starred: true, tags: [] }] });
  const came = (id: string, mailboxId: string) => event(id, 'message.received', { mailboxId, subject: `Mail ${id}` });
  const deleted = (id: string, data: object) => event(id, 'message.deleted', { count: 1, reason: 'deleted', ...data });
  const all = { mailboxId: null, kinds: [] };
  const lines = timelineOf(
    [
      ...[came('1', 'a'), came('2', 'a'), came('3', 'b'), came('4', 'c')],
      ...[marked('5', 'a', '1'), marked('6', 'a', '2'), marked('7', 'b', '3'), marked('8', 'c', '4')],
      deleted('91', { mailboxId: 'a', ids: ['1'], upTo: null }),
      deleted('92', { mailboxId: 'b', ids: null, upTo: '3', reason: 'cleared' }),
      ...[event('93', 'mailbox.deleted', { mailboxId: 'c' }), came('94', 'b')],
    ],
    all,
  );
  expect(lines.map(({ title, leadsTo }) => [title, leadsTo])).toEqual([
    ['Mail 94', { message: '94' }],
    ['Mailbox deleted', null],
    ['1 message cleared', null],
    ['1 message deleted', null],
    ['Marked read, starred', { message: '2' }],
    ['Mail 4', null],
    ['Mail 3', null],
    ['Mail 2', { message: '2' }],
    ['Mail 1', null],
  ]);
});

test('the timeline says a stage of SMTP and the state of a send as people read them', () => {
  const detail = (type: string, data: object) =>
    timelineItem({ id: '1', type, at: new Date(0).toISOString(), workspaceId: null, data: { ...data } }).detail;
  expect(detail('smtp.refused', { stage: 'rcpt', recipient: 'ada@x.test' })).toBe('at RCPT TO · ada@x.test');
  expect(detail('fault.applied', { stage: 'http' })).toBe('at an HTTP request');
  const recipients = [
    { address: 'ada@x.test', state: 'delivered' },
    { address: 'bob@x.test', state: 'bounced' },
  ];
  expect(detail('send.updated', { state: 'delivered', recipients })).toBe('ada@x.test, bob@x.test bounced');
});

test('the ULID of a moment comes before every ULID of it', () => {
  expect(firstUlidAt(1_469_918_176_385)).toBe('01ARYZ6S410000000000000000');
});
