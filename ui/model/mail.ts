import type { Choice } from './choice.ts';
import type { Effect } from './effects.ts';
import {
  arrivedAll,
  emptyList,
  gone,
  held,
  loading,
  loadingFailed,
  type MessageList,
  pageCame,
  resized,
  selectedIndex,
  wantsMore,
} from './message-list.ts';
import type { Mail, MailboxItem, MailRow } from './resources.ts';
import { type Scroll, TOP } from './scroll.ts';

export type MailView = 'text' | 'html' | 'headers' | 'source';

/** The mail side of an inbox: which mailbox, its list or what is found in it, the message that is open. */
export interface MailState {
  readonly mailboxes: Choice<MailboxItem>;
  readonly mailboxId: string | null;
  /** What came to each mailbox since it was last looked at. */
  readonly unread: ReadonlyMap<string, number>;
  readonly all: MessageList<MailRow>;
  /** What contains {@link filter}; null where nothing is filtered. */
  readonly found: MessageList<MailRow> | null;
  readonly filter: string;
  readonly open: OpenMail | null;
}

export interface OpenMail {
  readonly id: string;
  /** Null until it is loaded. */
  readonly mail: Mail | null;
  readonly failure: string | null;
  readonly view: MailView;
  /** What the reader asked of it before it was loaded. */
  readonly next: 'copy-code' | 'links' | 'attachments' | null;
  /** Null until it is asked for and loaded. */
  readonly source: string | null;
  readonly scroll: Scroll;
}

export function emptyMail(height: number): MailState {
  return {
    mailboxes: { items: [], index: 0 },
    mailboxId: null,
    unread: new Map(),
    all: emptyList(height),
    found: null,
    filter: '',
    open: null,
  };
}

/** The list that is shown. */
export function listOf(mail: MailState): MessageList<MailRow> {
  return mail.found ?? mail.all;
}

export function withList(mail: MailState, change: (list: MessageList<MailRow>) => MessageList<MailRow>): MailState {
  return mail.found === null ? { ...mail, all: change(mail.all) } : { ...mail, found: change(mail.found) };
}

export function selectedRow(mail: MailState): MailRow | null {
  const list = listOf(mail);
  return list.rows[list.waiting + selectedIndex(list)] ?? null;
}

/** Looks into a mailbox, from its newest message on. */
export function mailboxOpened(mail: MailState, mailboxId: string): MailState {
  const unread = new Map(mail.unread);
  unread.delete(mailboxId);
  return { ...mail, mailboxId, unread, all: emptyList(mail.all.height), found: null, filter: '', open: null };
}

/** Shows only what contains a text; everything where it is ''. */
export function filtered(mail: MailState, filter: string): MailState {
  if (filter === mail.filter) return mail;
  return { ...mail, filter, found: filter === '' ? null : emptyList(mail.all.height), open: null };
}

/** What is still to be fetched for what is on the screen. */
export function fetchMore(mail: MailState): [MailState, Effect[]] {
  const list = listOf(mail);
  if (mail.mailboxId === null || !wantsMore(list)) return [mail, []];
  const before = list.rows.at(-1)?.id ?? null;
  const effect: Effect = { do: 'load-messages', mailboxId: mail.mailboxId, before, query: mail.filter };
  return [withList(mail, loading), [effect]];
}

/** A page came; one that was asked for another mailbox or filter is late, and dropped. */
export function messagesCame(
  mail: MailState,
  came: { mailboxId: string; query: string; rows: readonly MailRow[]; complete: boolean },
): MailState {
  if (came.mailboxId !== mail.mailboxId || came.query !== mail.filter) return mail;
  return withList(mail, (list) => pageCame(list, came.rows, came.complete));
}

/** Loading failed: it is tried again when the reader next does something, or the server is back. */
export function messagesFailed(mail: MailState, mailboxId: string): MailState {
  return mailboxId === mail.mailboxId ? withList(mail, loadingFailed) : mail;
}

/** Messages came to a mailbox. Where a filter is on, a body that matches is found when the list is next loaded. */
export function messagesArrived(mail: MailState, mailboxId: string, rows: readonly MailRow[]): MailState {
  if (mailboxId !== mail.mailboxId) {
    return { ...mail, unread: new Map(mail.unread).set(mailboxId, (mail.unread.get(mailboxId) ?? 0) + rows.length) };
  }
  const matching = mail.found === null ? [] : rows.filter((row) => summaryHas(row, mail.filter));
  const found = mail.found === null ? null : arrivedAll(mail.found, matching);
  return { ...mail, all: arrivedAll(mail.all, rows), found };
}

export function messagesGone(mail: MailState, mailboxId: string, isGone: (id: string) => boolean): MailState {
  if (mailboxId !== mail.mailboxId) return mail;
  const without = (list: MessageList<MailRow>) => gone(list, ({ id }) => isGone(id));
  const found = mail.found === null ? null : without(mail.found);
  const open = mail.open !== null && isGone(mail.open.id) ? null : mail.open;
  return { ...mail, all: without(mail.all), found, open };
}

export function mailOpened(mail: MailState): [MailState, Effect[]] {
  const row = selectedRow(mail);
  if (row === null) return [mail, []];
  const open: OpenMail = { id: row.id, mail: null, failure: null, view: 'text', next: null, source: null, scroll: TOP };
  return [withList({ ...mail, open }, held), [{ do: 'load-mail', id: row.id }]];
}

export function mailCame(mail: MailState, loaded: Mail): MailState {
  if (mail.open?.id !== loaded.id) return mail;
  const view = mail.open.view === 'text' && loaded.text === null && loaded.htmlText !== null ? 'html' : mail.open.view;
  return { ...mail, open: { ...mail.open, mail: loaded, failure: null, view } };
}

/** The other body, where a mail has a text and an HTML one. */
export function otherBody(open: OpenMail): OpenMail {
  if (open.mail === null || open.mail.text === null || open.mail.htmlText === null) return open;
  return { ...open, view: open.view === 'html' ? 'text' : 'html', scroll: { ...open.scroll, top: 0 } };
}

/** Headers or source in place of the body, and back again; the text of a mail that has both bodies, or its HTML. */
export function viewChanged(open: OpenMail, view: MailView): [OpenMail, Effect[]] {
  const back: MailView = open.mail !== null && open.mail.text === null ? 'html' : 'text';
  const next: OpenMail = { ...open, view: open.view === view ? back : view, scroll: { ...open.scroll, top: 0 } };
  const load = next.view === 'source' && open.source === null;
  return [next, load ? [{ do: 'load-source', id: open.id }] : []];
}

export function listsResized(mail: MailState, height: number): MailState {
  return {
    ...mail,
    all: resized(mail.all, height),
    found: mail.found === null ? null : resized(mail.found, height),
  };
}

/** As the server's search judges what a summary knows of. */
export function summaryHas({ from, to, subject }: MailRow, part: string): boolean {
  const wanted = part.toLowerCase();
  return [from, to, subject].some((text) => text.toLowerCase().includes(wanted));
}
