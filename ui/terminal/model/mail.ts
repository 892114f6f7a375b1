import {
  arrivedAll,
  emptyList,
  gone,
  holdSelection,
  loading,
  loadingFailed,
  type MailRow,
  type MessageList,
  onScreen,
  pageCame,
  resized,
  selectedRowOf,
  wantsMore,
} from '../../model/message-list.ts';
import type { Choice } from './choice.ts';
import type { InboxEffect } from './effects.ts';
import type { AttachmentItem, Mail, MailboxItem } from './resources.ts';
import { type Scroll, TOP } from './scroll.ts';

export type MailView = 'text' | 'html' | 'headers' | 'source';

/** The mail part of an inbox: the mailbox, its list, the filtered list, and the open message. */
export interface MailState {
  readonly mailboxes: Choice<MailboxItem>;
  readonly mailboxId: string | null;
  /** The number of messages that arrived in each mailbox since the reader last opened it. */
  readonly unread: ReadonlyMap<string, number>;
  readonly all: MessageList<MailRow>;
  /** The messages that match {@link filter}; null if no filter is set. */
  readonly found: MessageList<MailRow> | null;
  readonly filter: string;
  readonly open: OpenMail | null;
  /** The message whose deletion can still be undone. It is in no list. */
  readonly deleting: { readonly mailboxId: string; readonly row: MailRow; readonly filter: string } | null;
  /** The ids of messages that the reader opened in this session. With the cloud, nothing else knows them. */
  readonly read: ReadonlySet<string>;
  /** The verification codes of messages whose codes were loaded. */
  readonly codes: ReadonlyMap<string, FoundCodes>;
  /** The beginnings of the texts of messages, beside their codes. */
  readonly snippets: ReadonlyMap<string, string>;
  /** The state of the request for the details of rows: none is pending, one is pending, or the last one failed. */
  readonly asking: 'no' | 'yes' | 'failed';
  /** True if the screen has room for a preview beside the list. */
  readonly besides: boolean;
  /** The preview of the selected message beside the list. */
  readonly preview: Preview | null;
}

/** The verification codes of a message. It holds several if none of them is more likely than the others. */
export type FoundCodes = readonly string[];

/** The data of a message that its row shows besides the summary. */
export interface RowDetails {
  readonly codes: FoundCodes;
  /** The beginning of the text, in one line. */
  readonly snippet: string;
}

export interface Preview {
  readonly id: string;
  /** Null until the mail is loaded. */
  readonly mail: Mail | null;
  readonly failure: string | null;
}

export interface OpenMail {
  /** The id of the message, or of the attachment that is an attached mail. */
  readonly id: string;
  /** The open mail to which this one is attached. Null for a message. */
  readonly outer: OpenMail | null;
  /** Null until the mail is loaded. */
  readonly mail: Mail | null;
  readonly failure: string | null;
  readonly view: MailView;
  /** The command that the reader gave before the mail was loaded. It runs when the mail arrives. */
  readonly next: 'copy-code' | 'links' | 'attachments' | null;
  /** Null until the reader opens the source view and the source is loaded. */
  readonly source: string | null;
  readonly scroll: Scroll;
}

/** Returns the message that is open, or in which the open mail is attached. */
export function outermostOf(open: OpenMail): OpenMail {
  return open.outer === null ? open : outermostOf(open.outer);
}

export function outermostIdOf(open: OpenMail): string {
  return outermostOf(open).id;
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
    deleting: null,
    read: new Set(),
    codes: new Map(),
    snippets: new Map(),
    asking: 'no',
    besides: false,
    preview: null,
  };
}

/** Returns the visible list: the filtered one if a filter is set, otherwise the whole one. */
export function listOf(mail: MailState): MessageList<MailRow> {
  return mail.found ?? mail.all;
}

export function withList(mail: MailState, change: (list: MessageList<MailRow>) => MessageList<MailRow>): MailState {
  return mail.found === null ? { ...mail, all: change(mail.all) } : { ...mail, found: change(mail.found) };
}

/** Changes both lists: the whole one and the filtered one. */
export function withLists(mail: MailState, change: (list: MessageList<MailRow>) => MessageList<MailRow>): MailState {
  return { ...mail, all: change(mail.all), found: mail.found === null ? null : change(mail.found) };
}

export function selectedRow(mail: MailState): MailRow | null {
  return selectedRowOf(listOf(mail));
}

/** Opens a mailbox with an empty list. {@link fetchMore} loads its newest messages. */
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

/** Filters the list by a text. The text '' removes the filter. */
export function filtered(mail: MailState, filter: string): MailState {
  if (filter === mail.filter) return mail;
  return { ...mail, filter, found: filter === '' ? null : emptyList(mail.all.height), open: null };
}

/** Requests the next page of messages if the screen needs one. */
export function fetchMore(mail: MailState): [MailState, InboxEffect[]] {
  const list = listOf(mail);
  if (mail.mailboxId === null || !wantsMore(list)) return [mail, []];
  const before = list.rows.at(-1)?.id ?? null;
  const effect: InboxEffect = { do: 'load-messages', mailboxId: mail.mailboxId, before, query: mail.filter };
  return [withList(mail, loading), [effect]];
}

/** Adds a page to the list. It drops a page that belongs to another mailbox or filter. */
export function messagesCame(
  mail: MailState,
  came: { mailboxId: string; query: string; rows: readonly MailRow[]; complete: boolean },
): MailState {
  if (came.mailboxId !== mail.mailboxId || came.query !== mail.filter) return mail;
  const rows = came.rows.filter(({ id }) => id !== mail.deleting?.row.id);
  return withList(mail, (list) => pageCame(list, rows, came.complete));
}

/** Marks loading as failed. The next command of the reader, or a new connection, retries it. */
export function messagesFailed(mail: MailState, failed: { mailboxId: string; query: string }): MailState {
  const isShown = failed.mailboxId === mail.mailboxId && failed.query === mail.filter;
  return isShown ? withList(mail, loadingFailed) : mail;
}

/**
 * Adds new messages. A filtered list takes those whose summary matches; a match in a body appears when the list is next
 * loaded.
 */
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
  const open = mail.open !== null && isGone(outermostIdOf(mail.open)) ? null : mail.open;
  return { ...withLists(mail, (list) => gone(list, ({ id }) => isGone(id))), open };
}

/** Tells whether nobody has opened a message, or marked it as read. */
export function isUnread({ read }: MailState, row: MailRow): boolean {
  return row.read !== true && !read.has(row.id);
}

/** Opens the selected message. A mail that the preview has loaded already is not loaded again. */
export function mailOpened(mail: MailState): [MailState, InboxEffect[]] {
  const row = selectedRow(mail);
  if (row === null) return [mail, []];
  const { id } = row;
  const open = opening(id, null);
  const read = new Set(mail.read).add(id);
  const opened = withList({ ...mail, open, read }, holdSelection);
  const loaded = mail.preview?.id === id ? mail.preview.mail : null;
  const marks: InboxEffect[] = isUnread(mail, row) ? [{ do: 'mark-read', id }] : [];
  return loaded === null ? [opened, [{ do: 'load-mail', id }, ...marks]] : [mailCame(opened, loaded), marks];
}

/** Opens a mail that is attached to the open one. */
export function attachedOpened(mail: MailState, attachment: AttachmentItem): [MailState, InboxEffect[]] {
  const { open: outer } = mail;
  if (outer === null) return [mail, []];
  const effect: InboxEffect = { do: 'load-attached', messageId: outermostIdOf(outer), attachment };
  return [{ ...mail, open: opening(attachment.id, outer) }, [effect]];
}

function opening(id: string, outer: OpenMail | null): OpenMail {
  return { id, outer, mail: null, failure: null, view: 'text', next: null, source: null, scroll: TOP };
}

export function mailCame(mail: MailState, came: Mail): MailState {
  const { open, preview, codes } = mail;
  // The row follows the feed. The mail may have been read before its last marks.
  const row = listOf(mail).rows.find(({ id }) => id === came.id);
  const loaded = row === undefined ? came : { ...came, read: row.read, starred: row.starred, tags: row.tags };
  const isRow = open?.id !== loaded.id || open.outer === null;
  const known = isRow ? { ...mail, codes: new Map(codes).set(loaded.id, codesToTell(loaded)) } : mail;
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

/** Returns the codes to show: the first one, or all candidates if none is more likely than the others. */
export function codesToTell({ codes }: Pick<Mail, 'codes'>): FoundCodes {
  const told = codes[0]?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
  return told.map(({ code }) => code);
}

/** Returns the body to show first: the text, or the HTML if there is no text. */
export function bodyOf({ text, html }: Pick<Mail, 'text' | 'html'>): 'text' | 'html' {
  return (text === null || text.trim() === '') && html !== null ? 'html' : 'text';
}

/** Returns the views of a message in the order of the tab key. */
export function viewsOf({ text, html }: Pick<Mail, 'text' | 'html'>): readonly MailView[] {
  const bodies: MailView[] = [...(text === null ? [] : ['text' as const]), ...(html === null ? [] : ['html' as const])];
  return [...bodies, 'headers', 'source'];
}

/** Switches between the text body and the HTML body if the mail has both. */
export function otherBody(open: OpenMail): OpenMail {
  if (open.mail === null || open.mail.text === null || open.mail.html === null) return open;
  return { ...open, view: open.view === 'html' ? 'text' : 'html', scroll: { ...TOP, height: open.scroll.height } };
}

/** Shows the headers or the source; the same command again returns to the body. */
export function viewToggled(open: OpenMail, view: MailView): [OpenMail, InboxEffect[]] {
  return viewShown(open, open.view !== view ? view : open.mail === null ? 'text' : bodyOf(open.mail));
}

/** Switches to the next or the previous view. After the last view comes the first one. */
export function viewTurned(open: OpenMail, by: 1 | -1): [OpenMail, InboxEffect[]] {
  if (open.mail === null) return [open, []];
  const views = viewsOf(open.mail);
  const at = views.indexOf(open.view);
  return viewShown(open, views[(at + by + views.length) % views.length] ?? open.view);
}

function viewShown(open: OpenMail, view: MailView): [OpenMail, InboxEffect[]] {
  const next: OpenMail = { ...open, view, scroll: { ...TOP, height: open.scroll.height } };
  if (view !== 'source' || open.source !== null) return [next, []];
  return [next, [{ do: 'load-source', id: open.id, messageId: outermostIdOf(open) }]];
}

export function listsResized(mail: MailState, height: number, besides: boolean): MailState {
  return { ...withLists(mail, (list) => resized(list, height)), besides };
}

/**
 * Returns whether sender, recipient or subject contain a text, regardless of case. The server's search uses the same
 * rule.
 */
export function summaryHas({ from, to, subject }: MailRow, part: string): boolean {
  const wanted = part.toLowerCase();
  return [from, to, subject].some((text) => text.toLowerCase().includes(wanted));
}

// The data that a list shows without opening a message: details of its rows, and a preview of the selected one.

/** The largest number of messages in one request for details. */
const MAX_ASKED = 24;

/** Requests the details and the preview that the list lacks, unless a request is already pending. */
export function requestMissing(mail: MailState): [MailState, InboxEffect[]] {
  const [asked, forRows] = rowDetailsWanted(mail);
  const [shown, forPreview] = previewWanted(asked);
  return [shown, [...forRows, ...forPreview]];
}

function rowDetailsWanted(mail: MailState): [MailState, InboxEffect[]] {
  if (mail.asking !== 'no') return [mail, []];
  const unknown = onScreen(listOf(mail)).filter(({ id }) => !mail.codes.has(id));
  if (unknown.length === 0) return [mail, []];
  const ids = unknown.slice(0, MAX_ASKED).map(({ id }) => id);
  return [{ ...mail, asking: 'yes' }, [{ do: 'load-row-details', ids }]];
}

function previewWanted(mail: MailState): [MailState, InboxEffect[]] {
  if (!mail.besides || mail.open !== null) return [mail, []];
  const id = selectedRow(mail)?.id ?? null;
  if (id === (mail.preview?.id ?? null)) return [mail, []];
  if (id === null) return [{ ...mail, preview: null }, []];
  return [{ ...mail, preview: { id, mail: null, failure: null } }, [{ do: 'load-preview', id }]];
}

/** Stores the details that a request returned. */
export function rowDetailsCame(
  mail: MailState,
  found: readonly (readonly [id: string, details: RowDetails])[],
): MailState {
  const codes = found.map(([id, details]) => [id, details.codes] as const);
  const snippets = found.map(([id, { snippet }]) => [id, snippet] as const);
  return {
    ...mail,
    asking: 'no',
    codes: new Map([...mail.codes, ...codes]),
    snippets: new Map([...mail.snippets, ...snippets]),
  };
}
