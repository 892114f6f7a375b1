import type { MatchedSnippet } from '../../src/text/around-match.ts';
import { firstIndex } from '../../src/text/first-index.ts';

// The messages of a mailbox, newest first. The selection follows a message, not a row. New mail never moves the text
// that is being read: it waits above the list as a number until the reader goes to the top. Until the reader first
// moves the selection, the newest mail stays selected.

/** The only field that a list needs of its rows. */
export interface ListRow {
  /** A ULID. The id of a later message sorts after it. */
  readonly id: string;
}

/** A message as a row of the list. */
export interface MailRow extends ListRow {
  /** Absent for an email. A text message has no subject. */
  readonly kind?: 'sms' | undefined;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  /** Tells whether somebody has marked it as read. The cloud API has no marks. */
  readonly read?: boolean | undefined;
  readonly starred?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The places where a search found its words. Only the result of a search has them. */
  readonly matches?: readonly MatchedSnippet[];
}

export interface MessageList<R extends ListRow> {
  /** All loaded rows, newest first. The first `waiting` rows are hidden. */
  readonly rows: readonly R[];
  readonly waiting: number;
  /** True until the reader moves. Each new message is then selected when it arrives. */
  readonly following: boolean;
  readonly selected: string | null;
  /** The index of the first row on the screen, not counting hidden rows. */
  readonly top: number;
  /** The number of rows that fit on the screen. */
  readonly height: number;
  /** True if the last page was loaded. */
  readonly complete: boolean;
  readonly loading: boolean;
  /** True if loading failed. The list retries when the reader moves or the connection returns, not by itself. */
  readonly failed: boolean;
  /** True after the reader jumped to the oldest message. Pages are loaded until the last one arrives. */
  readonly seekingEnd: boolean;
}

export function emptyList<R extends ListRow>(height: number): MessageList<R> {
  return {
    rows: [],
    waiting: 0,
    following: true,
    selected: null,
    top: 0,
    height,
    complete: false,
    loading: false,
    failed: false,
    seekingEnd: false,
  };
}

/** Returns the number of rows that are not hidden. */
export function shownCount(list: MessageList<ListRow>): number {
  return list.rows.length - list.waiting;
}

export function onScreen<R extends ListRow>(list: MessageList<R>): readonly R[] {
  const from = list.waiting + list.top;
  return list.rows.slice(from, from + list.height);
}

/** Returns the index of the selected row among the rows that are not hidden, or -1 if there is none. */
export function selectedIndex(list: MessageList<ListRow>): number {
  if (list.selected === null) return -1;
  const index = indexOf(list.rows, list.selected);
  return index < list.waiting ? -1 : index - list.waiting;
}

export function selectedRowOf<R extends ListRow>(list: MessageList<R>): R | null {
  return list.rows[list.waiting + selectedIndex(list)] ?? null;
}

/** Returns whether to load the next page because the screen is near the last loaded row. */
export function wantsMore(list: MessageList<ListRow>): boolean {
  if (list.complete || list.loading || list.failed) return false;
  return list.seekingEnd || list.rows.length === 0 || list.top + 5 * list.height >= shownCount(list);
}

export function loading<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return { ...list, loading: true };
}

export function loadingFailed<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return { ...list, loading: false, failed: true, seekingEnd: false };
}

/** Clears the failed state, so that loading is tried again. */
export function retried<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return list.failed ? { ...list, failed: false } : list;
}

/**
 * Appends a page of older rows, newest first, without rows that are in the list. `complete` is true for the last page.
 */
export function pageCame<R extends ListRow>(
  list: MessageList<R>,
  page: readonly R[],
  complete: boolean,
): MessageList<R> {
  const oldest = list.rows.at(-1)?.id;
  const older = oldest === undefined ? page : page.filter(({ id }) => id < oldest);
  const rows = older.length === 0 ? list.rows : [...list.rows, ...older];
  const next = settle({ ...list, rows, complete, loading: false });
  if (!next.seekingEnd) return next;
  const moved = select(next, shownCount(next) - 1);
  return { ...moved, seekingEnd: !complete };
}

/** Adds new messages in any order with one pass over the list. */
export function arrivedAll<R extends ListRow>(list: MessageList<R>, rows: readonly R[]): MessageList<R> {
  const newest = list.rows[0]?.id ?? '';
  const newer = rows.filter(({ id }) => id > newest).sort((a, b) => (a.id < b.id ? 1 : -1));
  const rest = rows.filter(({ id }) => id <= newest).reduce(arrived, list);
  const distinct = newer.filter(({ id }, index) => id !== newer[index - 1]?.id);
  const [first] = distinct;
  if (first === undefined) return rest;
  const all = [...distinct, ...rest.rows];
  if (isFree(rest)) return settle({ ...rest, rows: all, waiting: 0, following: true });
  return { ...rest, rows: all, waiting: rest.waiting + distinct.length };
}

/** Adds one message at its place in the list. */
export function arrived<R extends ListRow>(list: MessageList<R>, row: R): MessageList<R> {
  const at = lowerBound(list.rows, row.id);
  if (list.rows[at]?.id === row.id) return list;
  // This row belongs to a page that is not loaded. It arrives with that page.
  if (at === list.rows.length && !list.complete && at > 0) return list;
  const rows = [...list.rows.slice(0, at), row, ...list.rows.slice(at)];
  if (isFree(list)) return settle({ ...list, rows, waiting: 0, following: true });
  if (at <= list.waiting) return { ...list, rows, waiting: list.waiting + 1 };
  // The row goes into the middle. The rows on the screen must not move.
  return settle({ ...list, rows, top: at - list.waiting <= list.top ? list.top + 1 : list.top });
}

/** Returns whether a new message may appear at once, because the reader has not moved yet. */
function isFree(list: MessageList<ListRow>): boolean {
  return list.following || shownCount(list) === 0;
}

/** Changes rows in their places. A row that `change` returns as it is stays the same object, which views rely on. */
export function changed<R extends ListRow>(list: MessageList<R>, change: (row: R) => R): MessageList<R> {
  const rows = list.rows.map(change);
  return rows.every((row, index) => row === list.rows[index]) ? list : { ...list, rows };
}

/** Removes messages. If the selected one is removed, its older neighbour is selected, or else its newer one. */
export function gone<R extends ListRow>(list: MessageList<R>, isGone: (row: R) => boolean): MessageList<R> {
  const index = selectedIndex(list);
  const rows = list.rows.filter((row) => !isGone(row));
  if (rows.length === list.rows.length) return list;
  const countLeft = (from: number, to: number) => list.rows.slice(from, to).filter((row) => !isGone(row)).length;
  const waiting = countLeft(0, list.waiting);
  const above = countLeft(list.waiting, list.waiting + list.top);
  const next = { ...list, rows, waiting, top: above };
  // Nothing is left that new mail could move, so none of it waits. The list would look empty.
  if (waiting > 0 && rows.length === waiting) return toNewest(next);
  if (index < 0 || indexOf(rows, list.selected ?? '') >= 0) return settle(next);
  const kept = countLeft(list.waiting, list.waiting + index);
  return select({ ...next, selected: null }, Math.min(kept, shownCount(next) - 1));
}

/** Puts removed rows back at their places, and selects the newest of them. Rows that wait above the list stay there. */
export function restored<R extends ListRow>(list: MessageList<R>, rows: readonly R[]): MessageList<R> {
  // A row beyond the loaded pages comes with its page.
  const oldest = list.complete ? '' : (list.rows.at(-1)?.id ?? null);
  const isLoaded = ({ id }: R) => oldest !== null && id > oldest && indexOf(list.rows, id) < 0;
  const missing = rows.filter(isLoaded).sort((a, b) => (a.id < b.id ? 1 : -1));
  const [newest] = missing;
  if (newest === undefined) return list;
  const oldestWaiting = list.rows[list.waiting - 1]?.id;
  const all = [...list.rows, ...missing].sort((a, b) => (a.id < b.id ? 1 : -1));
  const waiting = oldestWaiting === undefined ? 0 : indexOf(all, oldestWaiting) + 1;
  const next = { ...list, rows: all, waiting, following: false };
  return select(next, Math.max(0, indexOf(all, newest.id) - waiting));
}

/** Moves the selection by a number of rows and scrolls it into view. An empty list goes on following new mail. */
export function moved<R extends ListRow>(list: MessageList<R>, by: number): MessageList<R> {
  if (shownCount(list) === 0) return list;
  const from = selectedIndex(list);
  return select({ ...list, following: false, seekingEnd: false }, from < 0 ? 0 : from + by);
}

/** Selects the newest message and shows all hidden rows. */
export function toNewest<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return settle({ ...list, waiting: 0, top: 0, following: true, seekingEnd: false });
}

/**
 * Selects the oldest loaded message. If more pages exist, they are loaded and the selection moves on to the last one.
 */
export function toOldest<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return { ...select({ ...list, following: false }, shownCount(list) - 1), seekingEnd: !list.complete };
}

/** Keeps the selection on the message that the reader opened, also when new mail arrives. */
export function holdSelection<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  return list.following ? { ...list, following: false } : list;
}

export function resized<R extends ListRow>(list: MessageList<R>, height: number): MessageList<R> {
  return settle({ ...list, height: Math.max(1, height) });
}

/** Selects a row by its index and scrolls it into view. An index out of range selects the first or the last row. */
export function select<R extends ListRow>(list: MessageList<R>, index: number): MessageList<R> {
  const last = shownCount(list) - 1;
  if (last < 0) return { ...list, selected: null, top: 0 };
  const at = Math.min(Math.max(index, 0), last);
  const top = Math.min(Math.max(list.top, at - list.height + 1), at);
  return { ...list, selected: list.rows[list.waiting + at]?.id ?? null, top: clampTop(list, top) };
}

/** Moves the scroll position and the selection back into the range of existing rows. */
function settle<R extends ListRow>(list: MessageList<R>): MessageList<R> {
  if (list.following) return select({ ...list, top: 0 }, 0);
  const index = selectedIndex(list);
  if (index < 0) return select(list, list.top);
  const top = Math.min(Math.max(list.top, index - list.height + 1), index);
  return { ...list, top: clampTop(list, top) };
}

function clampTop(list: MessageList<ListRow>, top: number): number {
  return Math.max(0, Math.min(top, shownCount(list) - list.height));
}

function indexOf(rows: readonly ListRow[], id: string): number {
  const at = lowerBound(rows, id);
  return rows[at]?.id === id ? at : -1;
}

/** Returns the index of the first row that is not newer than `id`. The rows must be sorted newest first. */
function lowerBound(rows: readonly ListRow[], id: string): number {
  return firstIndex(rows.length, (at) => (rows[at]?.id ?? '') <= id);
}
