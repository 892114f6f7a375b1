import { expect, test } from 'vitest';
import type { InboxEffect } from '../../../ui/model/effects.ts';
import { focusPlace, type Inbox, initialInbox } from '../../../ui/model/inbox.ts';
import type { Input } from '../../../ui/model/inputs.ts';
import { commandOf, type FocusPlace, footerOf, type InboxCommand, TERMINAL_KEYS } from '../../../ui/model/keys.ts';
import { selectedRow } from '../../../ui/model/mail.ts';
import type { Mail, MailRow } from '../../../ui/model/resources.ts';
import { update } from '../../../ui/model/update.ts';

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
class Desk {
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

test('what comes to another mailbox is counted there, and looked at when it is opened', () => {
  const desk = new Desk(3).give({ is: 'messages-arrived', mailboxId: 'b', rows: [row(9)] });
  expect(desk.inbox.mail.unread.get('b')).toBe(1);
  desk.press('mailboxes', 'next', 'open');
  expect(desk.inbox.mail).toMatchObject({ mailboxId: 'b', filter: '' });
  expect(desk.inbox.mail.unread.has('b')).toBe(false);
  expect(desk.asked).toEqual([{ do: 'load-messages', mailboxId: 'b', before: null, query: '' }]);
});

test('an open message is loaded; an answer for another one is dropped', () => {
  const desk = new Desk(3).press('next', 'open');
  expect(desk.asked).toEqual([{ do: 'load-mail', id: row(2).id }]);
  desk.give({ is: 'mail', mail: mailOf(1) });
  expect(desk.inbox.mail.open?.mail).toBeNull();
  desk.give({ is: 'mail', mail: mailOf(2) });
  expect(desk.inbox.mail.open?.mail?.subject).toBe('mail 2');
  expect(focusPlace(desk.press('back').inbox)).toBe('messages');
});

test('a message that has only HTML is shown as that', () => {
  const desk = new Desk(1)
    .press('open')
    .give({ is: 'mail', mail: mailOf(1, { text: null, html: { text: 'hi', spans: [], links: [] } }) });
  expect(desk.inbox.mail.open?.view).toBe('html');
  expect(desk.press('headers').inbox.mail.open?.view).toBe('headers');
  expect(desk.press('headers').inbox.mail.open?.view).toBe('html');
});

test('the code of a message that is not loaded yet is copied when it is', () => {
  const desk = new Desk(1).press('copy-code');
  expect(desk.asked).toEqual([{ do: 'load-mail', id: row(1).id }]);
  const codes = [{ code: '481516', reason: 'after “code”', ambiguous: false }];
  desk.give({ is: 'mail', mail: mailOf(1, { codes }) });
  expect(desk.asked).toEqual([{ do: 'copy', text: '481516', what: 'the code' }]);
});

test('of several codes none is copied', () => {
  const codes = ['1234', '5678'].map((code) => ({ code, reason: '', ambiguous: true }));
  const desk = new Desk(1).press('open').give({ is: 'mail', mail: mailOf(1, { codes }) });
  desk.effects = [];
  desk.press('copy-code');
  expect(desk.asked).toEqual([]);
  expect(desk.inbox.notice?.text).toContain('1234, 5678');
});

test('deleting asks first, and no means no', () => {
  const desk = new Desk(3).press('delete');
  expect(focusPlace(desk.inbox)).toBe('confirm');
  desk.press('no');
  expect(desk.asked).toEqual([]);
  desk.press('delete', 'yes');
  expect(desk.asked).toEqual([{ do: 'delete-message', id: row(3).id, what: '"mail 3" of app@x.test' }]);
  desk.give({ is: 'messages-gone', mailboxId: 'a', ids: [row(3).id], upTo: null });
  expect(selectedRow(desk.inbox.mail)?.subject).toBe('mail 2');
});

test('a message that is deleted elsewhere while it is read is told as deleted', () => {
  const desk = new Desk(3).press('open');
  desk.give({ is: 'messages-gone', mailboxId: 'a', ids: [row(2).id], upTo: null });
  expect(desk.inbox.notice).toBeNull();
  desk.give({ is: 'messages-gone', mailboxId: 'a', ids: [row(3).id], upTo: null });
  expect(desk.inbox.mail.open).toBeNull();
  expect(desk.inbox.notice?.text).toBe('The open message was deleted.');
});

test('a filter searches the mailbox, takes in new mail that matches, and esc ends it', () => {
  const desk = new Desk(3).press('filter').give({ is: 'typed', text: 'code' });
  expect(desk.asked).toEqual([{ do: 'load-messages', mailboxId: 'a', before: null, query: 'code' }]);
  desk.give({ is: 'messages', mailboxId: 'a', query: 'cod', rows: [row(1)], complete: true });
  expect(desk.inbox.mail.found?.rows).toEqual([]);
  desk.give({ is: 'messages', mailboxId: 'a', query: 'code', rows: [row(2, 'your code')], complete: true });
  desk.press('back');
  desk.give({ is: 'messages-arrived', mailboxId: 'a', rows: [row(7, 'Code again'), row(8, 'other')] });
  expect(desk.inbox.mail.found?.rows.map(({ subject }) => subject)).toEqual(['Code again', 'your code']);
  desk.press('back');
  expect(desk.inbox.mail.found).toBeNull();
  expect(desk.inbox.mail.all.rows).toHaveLength(5);
});

test('n goes to the next message, and takes the open one along', () => {
  const desk = new Desk(3).press('open', 'find-next');
  expect(desk.inbox.mail.open?.id).toBe(row(2).id);
  desk.press('find-previous');
  expect(desk.inbox.mail.open?.id).toBe(row(3).id);
});

test('a lost connection is shown; when it is back, what was missed is loaded', () => {
  const desk = new Desk(2).give({ is: 'connected' });
  expect(desk.asked).toEqual([]);
  desk.give({ is: 'disconnected', reason: 'refused' });
  expect(desk.inbox.connection).toEqual({ state: 'lost', reason: 'refused' });
  desk.give({ is: 'connected' });
  expect(desk.asked).toEqual([{ do: 'load-mailboxes' }]);
});

test('codes that are over are asked for once', () => {
  const desk = new Desk(0).press('tab', 'tab');
  expect(desk.asked).toEqual([{ do: 'load-webhooks' }, { do: 'load-authenticators' }]);
  const authenticators = [{ id: 't', name: 'bank', code: '1', expiresAt: 1_000, periodSeconds: 30 }];
  desk.give({ is: 'authenticators', authenticators }).give({ is: 'tick', now: 999 });
  expect(desk.asked).toEqual([]);
  desk.give({ is: 'tick', now: 1_000 }).give({ is: 'tick', now: 1_001 });
  expect(desk.asked).toEqual([{ do: 'load-code', id: 't' }]);
  desk.give({ is: 'code', id: 't', code: '2', expiresAt: 31_000 }).press('copy-code');
  expect(desk.asked).toEqual([{ do: 'copy', text: '2', what: 'the code of bank' }]);
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

test('a key does what its place says', () => {
  expect(commandOf('c', 'message')).toBe('copy-code');
  expect(commandOf('c', 'request')).toBe('copy-curl');
  expect(commandOf('c', 'help')).toBeNull();
  expect(footerOf('confirm')).toEqual([
    { key: 'y', word: 'yes' },
    { key: 'n', word: 'no' },
  ]);
});

test('a mailbox that does not load is not asked in a circle; any key, or a server that is back, tries again', () => {
  const desk = new Desk(0);
  desk.give({ is: 'mailboxes', mailboxes: [{ id: 'c', name: 'c', address: 'c' }], openId: 'c' });
  expect(desk.asked).toEqual([{ do: 'load-messages', mailboxId: 'c', before: null, query: '' }]);
  desk.give({ is: 'messages-failed', mailboxId: 'c', reason: 'refused' }).give({ is: 'tick', now: 1 });
  expect(desk.asked).toEqual([]);
  expect(desk.inbox.notice).toEqual({ text: 'refused', tone: 'bad' });
  desk.press('next');
  expect(desk.asked).toEqual([{ do: 'load-messages', mailboxId: 'c', before: null, query: '' }]);
});

test('after a reset nothing is open until it is known what there is', () => {
  const desk = new Desk(3).press('open');
  desk.effects = [];
  desk.give({ is: 'reset', because: 'the server was reset' });
  expect(desk.inbox.mail).toMatchObject({ mailboxId: null, open: null });
  expect(desk.asked).toEqual([{ do: 'load-mailboxes' }]);
  desk.give({ is: 'mailboxes', mailboxes: [{ id: 'z', name: 'z', address: 'z' }], openId: 'a' });
  expect(desk.asked).toEqual([{ do: 'load-messages', mailboxId: 'z', before: null, query: '' }]);
});

test('a captured request that is not loaded yet is copied as curl when it is', () => {
  const desk = new Desk(0).press('tab');
  const webhook = { id: 'w', name: 'w', url: 'http://x/w', requestCount: 1, forwardUrl: null };
  const row = { id: '1', method: 'POST', path: '/', contentType: null, sizeBytes: 0, receivedAt: 1 };
  const request = { ...row, responseStatus: 200, forward: 'none', forwardHttpStatus: null } as const;
  desk.give({ is: 'webhooks', webhooks: [webhook] }).press('open');
  desk.give({ is: 'requests', webhookId: 'w', rows: [request], complete: true });
  desk.effects = [];
  desk.press('copy-curl');
  expect(desk.asked).toEqual([{ do: 'load-request', id: '1' }]);
  const more = {
    sourceIp: null,
    headers: [],
    bodyText: '',
    forwardAttempts: 0,
    forwardError: null,
    forwardResponse: null,
  };
  desk.give({ is: 'request', request: { ...request, ...more, curl: 'curl it' } });
  expect(desk.asked).toEqual([{ do: 'copy', text: 'curl it', what: 'the curl command' }]);
});

test('help does not scroll past its end', () => {
  const desk = new Desk(0).press('help').give({ is: 'measured', lines: 30, height: 20, matches: [] });
  desk.press('last', 'next', 'next');
  expect(desk.inbox.overlay).toMatchObject({ kind: 'help', scroll: { top: 10 } });
});

test('the cloud API deletes nothing, so nothing is asked', () => {
  const desk = new Desk(2).give({ is: 'server', server: { url: 'https://cloud.test', local: false } }).press('delete');
  expect(focusPlace(desk.inbox)).toBe('messages');
  expect(desk.inbox.notice?.text).toBe('The cloud API can not delete.');
});

test('requests that made room for newer ones leave the list, and the server counts again', () => {
  const desk = new Desk(0);
  const webhooks = [{ id: 'w', name: 'Payments', url: 'http://x.test/hooks/k', requestCount: 3, forwardUrl: null }];
  const rows = ['3', '2', '1'].map((id) => ({
    ...{ id, method: 'POST', path: '/', contentType: null, sizeBytes: 0, receivedAt: Number(id), responseStatus: 200 },
    ...({ forward: 'none', forwardHttpStatus: null } as const),
  }));
  desk.give({ is: 'webhooks', webhooks });
  desk.press('tab', 'open').give({ is: 'requests', webhookId: 'w', rows, complete: true });
  desk.give({ is: 'requests-trimmed', webhookId: 'w', upTo: '2' });
  expect(desk.inbox.hooks.requests.rows.map(({ id }) => id)).toEqual(['3']);
  expect(desk.asked).toContainEqual({ do: 'load-webhooks' });
  desk.give({ is: 'requests-trimmed', webhookId: 'another', upTo: '9' });
  expect(desk.inbox.hooks.requests.rows).toHaveLength(1);
});
