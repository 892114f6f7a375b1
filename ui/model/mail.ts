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
  /** Messages that were opened here. */
  readonly read: ReadonlySet<string>;
  /** The codes in messages, as far as they are known. */
  readonly codes: ReadonlyMap<string, FoundCodes>;
  /** Whether codes were asked for and are not here yet, or could not be had. */
  readonly asking: 'no' | 'yes' | 'failed';
  /** There is room beside the list for the message that is selected. */
  readonly besides: boolean;
  /** The selected message, shown beside the list. */
  readonly preview: Preview | null;
}

/** The codes in a message; of several candidates that are as good as each other, all. */
export type FoundCodes = readonly string[];

export interface Preview {
  readonly id: string;
  /** Null until it is loaded. */
  readonly mail: Mail | null;
  readonly failure: string | null;
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
    read: new Set(),
    codes: new Map(),
    asking: 'no',
    besides: false,
    preview: null,
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
  return {
    ...mail,
    mailboxId,
    unread,
    all: emptyList(mail.all.height),
    found: null,
    filter: '',
    open: null,
    preview: null,
  };
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

/** Opens what is selected; what is shown beside the list already is not loaded again. */
export function mailOpened(mail: MailState): [MailState, Effect[]] {
  const row = selectedRow(mail);
  if (row === null) return [mail, []];
  const { id } = row;
  const open: OpenMail = { id, mail: null, failure: null, view: 'text', next: null, source: null, scroll: TOP };
  const read = new Set(mail.read).add(id);
  const opened = withList({ ...mail, open, read }, held);
  const loaded = mail.preview?.id === id ? mail.preview.mail : null;
  return loaded === null ? [opened, [{ do: 'load-mail', id }]] : [mailCame(opened, loaded), []];
}

export function mailCame(mail: MailState, loaded: Mail): MailState {
  const { open, preview, codes } = mail;
  const known = { ...mail, codes: new Map(codes).set(loaded.id, codesToTell(loaded)) };
  const beside = preview?.id === loaded.id ? { ...known, preview: { ...preview, mail: loaded, failure: null } } : known;
  if (open?.id !== loaded.id) return preview?.id === loaded.id ? beside : mail;
  const view = open.view === 'text' ? bodyOf(loaded) : open.view;
  return { ...beside, open: { ...open, mail: loaded, failure: null, view } };
}

export function mailFailed(mail: MailState, id: string, failure: string): MailState {
  const { open, preview } = mail;
  return {
    ...mail,
    open: open?.id === id ? { ...open, failure } : open,
    preview: preview?.id === id ? { ...preview, failure } : preview,
  };
}

/** The first code; of several candidates that are as good as each other, all. */
export function codesToTell({ codes }: Pick<Mail, 'codes'>): FoundCodes {
  const told = codes[0]?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
  return told.map(({ code }) => code);
}

/** The body that is shown first. */
export function bodyOf({ text, html }: Pick<Mail, 'text' | 'html'>): 'text' | 'html' {
  return (text === null || text.trim() === '') && html !== null ? 'html' : 'text';
}

/** The views a message has, in the order in which they are told. */
export function viewsOf({ text, html }: Pick<Mail, 'text' | 'html'>): readonly MailView[] {
  const bodies: MailView[] = [...(text === null ? [] : ['text' as const]), ...(html === null ? [] : ['html' as const])];
  return [...bodies, 'headers', 'source'];
}

/** The other body, where a mail has a text and an HTML one. */
export function otherBody(open: OpenMail): OpenMail {
  if (open.mail === null || open.mail.text === null || open.mail.html === null) return open;
  return { ...open, view: open.view === 'html' ? 'text' : 'html', scroll: { ...TOP, height: open.scroll.height } };
}

/** Headers or source in place of the body, and back again to the body. */
export function viewToggled(open: OpenMail, view: MailView): [OpenMail, Effect[]] {
  return viewShown(open, open.view !== view ? view : open.mail === null ? 'text' : bodyOf(open.mail));
}

/** The next view of a message, or the one before; around at the ends. */
export function viewTurned(open: OpenMail, by: 1 | -1): [OpenMail, Effect[]] {
  if (open.mail === null) return [open, []];
  const views = viewsOf(open.mail);
  const at = views.indexOf(open.view);
  return viewShown(open, views[(at + by + views.length) % views.length] ?? open.view);
}

function viewShown(open: OpenMail, view: MailView): [OpenMail, Effect[]] {
  const next: OpenMail = { ...open, view, scroll: { ...TOP, height: open.scroll.height } };
  return [next, view === 'source' && open.source === null ? [{ do: 'load-source', id: open.id }] : []];
}

export function listsResized(mail: MailState, height: number, besides: boolean): MailState {
  return {
    ...mail,
    besides,
    all: resized(mail.all, height),
    found: mail.found === null ? null : resized(mail.found, height),
  };
}

/** As the server's search judges what a summary knows of. */
export function summaryHas({ from, to, subject }: MailRow, part: string): boolean {
  const wanted = part.toLowerCase();
  return [from, to, subject].some((text) => text.toLowerCase().includes(wanted));
}
