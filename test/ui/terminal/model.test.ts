import { expect, test } from 'vitest';
import { commandOf, type FocusPlace, footerOf, type InboxCommand, TERMINAL_KEYS } from '../../../ui/model/keys.ts';
import type { MailRow } from '../../../ui/model/message-list.ts';
import type { InboxEffect } from '../../../ui/terminal/model/effects.ts';
import { focusPlace, type Inbox, initialInbox } from '../../../ui/terminal/model/inbox.ts';
import type { Input } from '../../../ui/terminal/model/inputs.ts';
import { selectedRow } from '../../../ui/terminal/model/mail.ts';
import type { Mail } from '../../../ui/terminal/model/resources.ts';
import { update } from '../../../ui/terminal/model/update.ts';

const row = (number: number, subject = `mail ${number}`): MailRow => ({
  id: String(number).padStart(6, '0'),
  from: 'app@x.test',
  to: 'ada@inbox.mailcap.example.com',
  subject,
  receivedAt: number,
  sizeBytes: 100,
  attachmentCount: 0,
});
const mailOf = (number: number, over: Partial<Mail> = {}): Mail => ({
  ...row(number),
  date: null,
  cc: null,
  bcc: null,
  replyTo: null,
  text: 'hello',
  html: null,
  headers: [],
  envelope: null,
  spf: null,
  attachments: [],
  codes: [],
  links: [],
  parseError: null,
  ...over,
});

/** An inbox that a test drives with inputs, and the effects that it requested. */
class InboxFixture {
  inbox: Inbox;
  effects: InboxEffect[];

  constructor(count: number) {
    const [inbox, effects] = initialInbox(10);
    this.inbox = inbox;
    this.effects = [...effects];
    const mailboxes = ['a', 'b'].map((id) => ({ id, name: id, address: `*@${id}.mailcap.example.com` }));
    this.give({ is: 'mailboxes', mailboxes, openId: 'a' });
    const rows = Array.from({ length: count }, (_, i) => row(count - i));
    this.give({ is: 'messages', mailboxId: 'a', query: '', rows, complete: true });
    this.effects = [];
  }

  give(input: Input): this {
    const [inbox, effects] = update(this.inbox, input);
    this.inbox = inbox;
    this.effects.push(...effects);
    return this;
  }

  press(...commands: InboxCommand[]): this {
    for (const command of commands) this.give({ is: 'command', command });
    return this;
  }

  get asked(): InboxEffect[] {
    return this.effects.splice(0);
  }
}

test('an inbox asks for the mailboxes, then for the messages of the one to begin with', () => {
  const [inbox, effects] = initialInbox(10);
  expect(effects).toEqual([{ do: 'load-mailboxes' }]);
  const mailboxes = ['a', 'b'].map((id) => ({ id, name: id, address: id }));
  const [next, more] = update(inbox, { is: 'mailboxes', mailboxes, openId: 'b' });
  expect(next.mail.mailboxId).toBe('b');
  expect(more).toEqual([{ do: 'load-messages', mailboxId: 'b', before: null, query: '' }]);
});

test('new mail of another mailbox is counted, and loaded when that mailbox is opened', () => {
  const fixture = new InboxFixture(3).give({ is: 'messages-arrived', mailboxId: 'b', rows: [row(9)] });
  expect(fixture.inbox.mail.unread.get('b')).toBe(1);
  fixture.press('mailboxes', 'next', 'open');
  expect(fixture.inbox.mail).toMatchObject({ mailboxId: 'b', filter: '' });
  expect(fixture.inbox.mail.unread.has('b')).toBe(false);
  expect(fixture.asked).toEqual([{ do: 'load-messages', mailboxId: 'b', before: null, query: '' }]);
});

test('an open message is loaded; an answer for another one is dropped', () => {
  const fixture = new InboxFixture(3).press('next', 'open');
  expect(fixture.asked).toEqual([
    { do: 'load-mail', id: row(2).id },
    { do: 'mark-read', id: row(2).id },
  ]);
  fixture.give({ is: 'mail', mail: mailOf(1) });
  expect(fixture.inbox.mail.open?.mail).toBeNull();
  fixture.give({ is: 'mail', mail: mailOf(2) });
  expect(fixture.inbox.mail.open?.mail?.subject).toBe('mail 2');
  expect(focusPlace(fixture.press('back').inbox)).toBe('messages');
});

test('a message that has only HTML is shown as HTML', () => {
  const fixture = new InboxFixture(1)
    .press('open')
    .give({ is: 'mail', mail: mailOf(1, { text: null, html: { text: 'hi', spans: [], links: [] } }) });
  expect(fixture.inbox.mail.open?.view).toBe('html');
  expect(fixture.press('headers').inbox.mail.open?.view).toBe('headers');
  expect(fixture.press('headers').inbox.mail.open?.view).toBe('html');
});

test('the code of a message that is not loaded yet is copied when it is', () => {
  const fixture = new InboxFixture(1).press('copy-code');
  expect(fixture.asked).toEqual([
    { do: 'load-mail', id: row(1).id },
    { do: 'mark-read', id: row(1).id },
  ]);
  const codes = [{ code: '481516', reason: 'after “code”', ambiguous: false }];
  fixture.give({ is: 'mail', mail: mailOf(1, { codes }) });
  expect(fixture.asked).toEqual([{ do: 'copy', text: '481516', what: 'the code' }]);
});

test('if a message has several codes, none is copied', () => {
  const codes = ['1234', '5678'].map((code) => ({ code, reason: '', ambiguous: true }));
  const fixture = new InboxFixture(1).press('open').give({ is: 'mail', mail: mailOf(1, { codes }) });
  fixture.effects = [];
  fixture.press('copy-code');
  expect(fixture.asked).toEqual([]);
  expect(fixture.inbox.notice?.text).toContain('1234, 5678');
});

test('a deleted message leaves the list at once, and the server when its time to undo is over', () => {
  const fixture = new InboxFixture(3).press('delete');
  expect(fixture.asked).toEqual([{ do: 'await-undo', id: row(3).id }]);
  expect(selectedRow(fixture.inbox.mail)?.subject).toBe('mail 2');
  fixture.effects = [];
  fixture.give({ is: 'undo-over', id: row(2).id });
  expect(fixture.asked).toEqual([]);
  fixture.give({ is: 'undo-over', id: row(3).id });
  expect(fixture.asked).toEqual([{ do: 'delete-message', id: row(3).id }]);
  fixture.give({ is: 'deletion-done', id: row(3).id });
  fixture.press('undo-delete');
  expect(fixture.inbox.notice?.text).toBe('There is no deletion to undo.');
});

test('the next deletion ends the time to undo the one before', () => {
  const fixture = new InboxFixture(3).press('delete', 'delete');
  expect(fixture.asked).toEqual([
    { do: 'await-undo', id: row(3).id },
    { do: 'delete-message', id: row(3).id },
    { do: 'await-undo', id: row(2).id },
  ]);
  fixture.press('undo-delete');
  expect(selectedRow(fixture.inbox.mail)?.subject).toBe('mail 2');
});

test('a message that the server could not delete is back in the list', () => {
  const fixture = new InboxFixture(3).press('delete').give({ is: 'undo-over', id: row(3).id });
  fixture.give({ is: 'deletion-failed', id: row(3).id, reason: 'The server is gone.' });
  expect(selectedRow(fixture.inbox.mail)?.subject).toBe('mail 3');
  expect(fixture.inbox.notice).toEqual({ text: 'The server is gone.', tone: 'bad' });
});

test('a mark is shown at once, and taken back if the server refuses it', () => {
  const fixture = new InboxFixture(2).press('star');
  const before = { read: false, starred: false, tags: [] };
  expect(fixture.asked).toEqual([{ do: 'mark', id: row(2).id, change: { starred: true }, before }]);
  expect(selectedRow(fixture.inbox.mail)).toMatchObject({ starred: true });
  fixture.press('mark-read');
  expect(fixture.asked).toMatchObject([{ change: { read: true }, before: { starred: true, read: false } }]);
  fixture.press('mark-read', 'mark-read', 'star');
  const changes = fixture.asked.map((effect) => (effect.do === 'mark' ? effect.change : null));
  expect(changes).toEqual([{ read: false }, { read: true }, { starred: false }]);
  fixture.give({ is: 'marks-refused', id: row(2).id, marks: { ...before, starred: true }, reason: 'Full.' });
  expect(selectedRow(fixture.inbox.mail)).toMatchObject({ starred: true, read: false });
  expect(fixture.inbox.notice).toEqual({ text: 'Full.', tone: 'bad' });
});

test('a mail that was loaded before its last marks has those of its row', () => {
  const fixture = new InboxFixture(1).press('open');
  fixture.give({ is: 'marked', marks: new Map([[row(1).id, { read: true, starred: true, tags: ['a'] }]]) });
  fixture.give({ is: 'mail', mail: mailOf(1, { read: true, starred: false, tags: [] }) });
  expect(fixture.inbox.mail.open?.mail).toMatchObject({ starred: true, tags: ['a'] });
  fixture.give({ is: 'marked', marks: new Map([[row(1).id, { read: true, starred: false, tags: ['b'] }]]) });
  expect(fixture.inbox.mail.open?.mail).toMatchObject({ starred: false, tags: ['b'] });
});

test('tags are typed with commas between them; esc leaves them as they were', () => {
  const fixture = new InboxFixture(1);
  fixture.give({ is: 'marked', marks: new Map([[row(1).id, { read: true, starred: false, tags: ['a', 'b'] }]]) });
  fixture.press('tag');
  expect(fixture.inbox.overlay).toMatchObject({ kind: 'filter', of: 'tags', text: 'a, b' });
  expect(focusPlace(fixture.inbox)).toBe('filter');
  fixture.give({ is: 'typed', text: 'a, c' }).press('undo');
  expect([fixture.inbox.overlay, fixture.asked]).toEqual([null, []]);
  fixture.press('tag').give({ is: 'typed', text: ' b ,, c d ' }).press('keep');
  expect(fixture.inbox.overlay).toBeNull();
  expect(fixture.asked).toMatchObject([{ do: 'mark', change: { tags: ['b', 'c d'] }, before: { tags: ['a', 'b'] } }]);
  expect(selectedRow(fixture.inbox.mail)?.tags).toEqual(['b', 'c d']);
});

test('with the cloud there are no marks to change', () => {
  const server = { url: 'https://api.mailcap.test', local: false } as const;
  const fixture = new InboxFixture(1).give({ is: 'server', server: server as never });
  for (const command of ['star', 'mark-read', 'tag'] as const) {
    expect(fixture.press(command).inbox).toMatchObject({
      overlay: null,
      notice: { text: 'The cloud keeps no marks.' },
    });
    expect(fixture.asked).toEqual([]);
  }
});

test('a page that is loaded while a deletion can be undone leaves the message out', () => {
  const fixture = new InboxFixture(3).press('delete').press('filter');
  const rows = [row(3), row(2)];
  fixture.give({ is: 'typed', text: 'mail' });
  fixture.give({ is: 'messages', mailboxId: 'a', query: 'mail', rows, complete: true });
  expect(fixture.inbox.mail.found?.rows).toEqual([row(2)]);
});

test('a message that is deleted elsewhere while it is read is shown as deleted', () => {
  const fixture = new InboxFixture(3).press('open');
  fixture.give({ is: 'messages-gone', mailboxId: 'a', ids: [row(2).id], upTo: null });
  expect(fixture.inbox.notice).toBeNull();
  fixture.give({ is: 'messages-gone', mailboxId: 'a', ids: [row(3).id], upTo: null });
  expect(fixture.inbox.mail.open).toBeNull();
  expect(fixture.inbox.notice?.text).toBe('The open message was deleted.');
});

test('a filter searches the mailbox, takes in new mail that matches, and esc ends it', () => {
  const fixture = new InboxFixture(3).press('filter').give({ is: 'typed', text: 'code' });
  expect(fixture.asked).toEqual([{ do: 'load-messages', mailboxId: 'a', before: null, query: 'code' }]);
  fixture.give({ is: 'messages', mailboxId: 'a', query: 'cod', rows: [row(1)], complete: true });
  expect(fixture.inbox.mail.found?.rows).toEqual([]);
  fixture.give({ is: 'messages', mailboxId: 'a', query: 'code', rows: [row(2, 'your code')], complete: true });
  fixture.press('back');
  fixture.give({ is: 'messages-arrived', mailboxId: 'a', rows: [row(7, 'Code again'), row(8, 'other')] });
  expect(fixture.inbox.mail.found?.rows.map(({ subject }) => subject)).toEqual(['Code again', 'your code']);
  fixture.press('back');
  expect(fixture.inbox.mail.found).toBeNull();
  expect(fixture.inbox.mail.all.rows).toHaveLength(5);
});

test('n goes to the next message, and opens it if one was open', () => {
  const fixture = new InboxFixture(3).press('open', 'find-next');
  expect(fixture.inbox.mail.open?.id).toBe(row(2).id);
  fixture.press('find-previous');
  expect(fixture.inbox.mail.open?.id).toBe(row(3).id);
});

test('a lost connection is shown; when it is back, what was missed is loaded', () => {
  const fixture = new InboxFixture(2).give({ is: 'connected' });
  expect(fixture.asked).toEqual([]);
  fixture.give({ is: 'disconnected', reason: 'refused' });
  expect(fixture.inbox.connection).toEqual({ state: 'lost', reason: 'refused' });
  fixture.give({ is: 'connected' });
  expect(fixture.asked).toEqual([{ do: 'load-mailboxes' }]);
});

test('codes that expired are requested once', () => {
  const fixture = new InboxFixture(0).press('tab', 'tab');
  expect(fixture.asked).toEqual([{ do: 'load-webhooks' }, { do: 'load-authenticators' }]);
  const authenticators = [{ id: 't', name: 'bank', code: '1', expiresAt: 1_000, periodSeconds: 30 }];
  fixture.give({ is: 'authenticators', authenticators }).give({ is: 'tick', now: 999 });
  expect(fixture.asked).toEqual([]);
  fixture.give({ is: 'tick', now: 1_000 }).give({ is: 'tick', now: 1_001 });
  expect(fixture.asked).toEqual([{ do: 'load-code', id: 't' }]);
  fixture.give({ is: 'code', id: 't', code: '2', expiresAt: 31_000 }).press('copy-code');
  expect(fixture.asked).toEqual([{ do: 'copy', text: '2', what: 'the code of bank' }]);
});

test('no key means two things in one place', () => {
  const places = new Set<FocusPlace>(TERMINAL_KEYS.flatMap((key) => key.in));
  for (const place of places) {
    const keys = TERMINAL_KEYS.filter((key) => key.in.includes(place)).flatMap((key) => key.keys);
    expect(keys, place).toEqual([...new Set(keys)]);
  }
});

test('ctrl-c quits wherever the reader is', () => {
  for (const place of new Set(TERMINAL_KEYS.flatMap((key) => key.in)))
    expect(commandOf('ctrl-c', place), place).toBe('quit');
});

test('a key does what the help says for its place', () => {
  expect(commandOf('c', 'message')).toBe('copy-code');
  expect(commandOf('c', 'request')).toBe('copy-curl');
  expect(commandOf('c', 'help')).toBeNull();
  expect(footerOf('filter')).toEqual([
    { key: 'enter', word: 'keep' },
    { key: 'esc', word: 'undo' },
  ]);
});

test('a mailbox that does not load is not requested in a loop; a key or the return of the server tries again', () => {
  const fixture = new InboxFixture(0);
  fixture.give({ is: 'mailboxes', mailboxes: [{ id: 'c', name: 'c', address: 'c' }], openId: 'c' });
  expect(fixture.asked).toEqual([{ do: 'load-messages', mailboxId: 'c', before: null, query: '' }]);
  fixture.give({ is: 'messages-failed', mailboxId: 'c', query: '', reason: 'refused' }).give({ is: 'tick', now: 1 });
  expect(fixture.asked).toEqual([]);
  expect(fixture.inbox.notice).toEqual({ text: 'refused', tone: 'bad' });
  fixture.press('next');
  expect(fixture.asked).toEqual([{ do: 'load-messages', mailboxId: 'c', before: null, query: '' }]);
});

test('after a reset nothing is open until the lists are loaded', () => {
  const fixture = new InboxFixture(3).press('open');
  fixture.effects = [];
  fixture.give({ is: 'reset', because: 'the server was reset' });
  expect(fixture.inbox.mail).toMatchObject({ mailboxId: null, open: null });
  expect(fixture.asked).toEqual([{ do: 'load-mailboxes' }]);
  fixture.give({ is: 'mailboxes', mailboxes: [{ id: 'z', name: 'z', address: 'z' }], openId: 'a' });
  expect(fixture.asked).toEqual([{ do: 'load-messages', mailboxId: 'z', before: null, query: '' }]);
});

test('a captured request that is not loaded yet is copied as curl when it is', () => {
  const fixture = new InboxFixture(0).press('tab');
  const webhook = { id: 'w', name: 'w', url: 'http://x/w', requestCount: 1, forwardUrl: null };
  const row = { id: '1', method: 'POST', path: '/', contentType: null, sizeBytes: 0, receivedAt: 1 };
  const request = { ...row, responseStatus: 200, forward: 'none', forwardHttpStatus: null } as const;
  fixture.give({ is: 'webhooks', webhooks: [webhook] }).press('open');
  fixture.give({ is: 'requests', webhookId: 'w', rows: [request], complete: true });
  fixture.effects = [];
  fixture.press('copy-curl');
  expect(fixture.asked).toEqual([{ do: 'load-request', id: '1' }]);
  const more = {
    sourceIp: null,
    headers: [],
    bodyText: '',
    forwardAttempts: 0,
    forwardError: null,
    forwardResponse: null,
  };
  fixture.give({ is: 'request', request: { ...request, ...more, curl: 'curl it' } });
  expect(fixture.asked).toEqual([{ do: 'copy', text: 'curl it', what: 'the curl command' }]);
});

test('help does not scroll past its end', () => {
  const fixture = new InboxFixture(0).press('help').give({ is: 'measured', lines: 30, height: 20, matches: [] });
  fixture.press('last', 'next', 'next');
  expect(fixture.inbox.overlay).toMatchObject({ kind: 'help', scroll: { top: 10 } });
});

test("with the cloud API, which can't delete, d asks nothing", () => {
  const fixture = new InboxFixture(2)
    .give({ is: 'server', server: { url: 'https://cloud.test', local: false } })
    .press('delete');
  expect(focusPlace(fixture.inbox)).toBe('messages');
  expect(fixture.inbox.notice?.text).toBe('The cloud API can not delete.');
});

test('requests that made room for newer ones leave the list, and the server counts again', () => {
  const fixture = new InboxFixture(0);
  const webhooks = [{ id: 'w', name: 'Payments', url: 'http://x.test/hooks/k', requestCount: 3, forwardUrl: null }];
  const rows = ['3', '2', '1'].map((id) => ({
    ...{ id, method: 'POST', path: '/', contentType: null, sizeBytes: 0, receivedAt: Number(id), responseStatus: 200 },
    ...({ forward: 'none', forwardHttpStatus: null } as const),
  }));
  fixture.give({ is: 'webhooks', webhooks });
  fixture.press('tab', 'open').give({ is: 'requests', webhookId: 'w', rows, complete: true });
  fixture.give({ is: 'requests-trimmed', webhookId: 'w', upTo: '2' });
  expect(fixture.inbox.webhooks.requests.rows.map(({ id }) => id)).toEqual(['3']);
  expect(fixture.asked).toContainEqual({ do: 'load-webhooks' });
  fixture.give({ is: 'requests-trimmed', webhookId: 'another', upTo: '9' });
  expect(fixture.inbox.webhooks.requests.rows).toHaveLength(1);
});
