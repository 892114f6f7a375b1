// A mailbox's messages, newest first, as somebody reads them. The selection follows the message, not the row, and new mail
// never moves what is being read: it waits above, counted, until the reader goes to the top. Until the reader first moves,
// nothing is being read, and the newest mail is what is selected.

/** What a row of a list needs to know of a message. */
export interface Row {
  /** A ULID: a later message's is greater. */
  readonly id: string;
}

export interface MessageList<R extends Row> {
  /** Newest first; the first `waiting` of them are not shown yet. */
  readonly rows: readonly R[];
  readonly waiting: number;
  /** Nothing is being read: the newest is selected as it comes. */
  readonly following: boolean;
  readonly selected: string | null;
  /** The first shown row on the screen. */
  readonly top: number;
  /** Rows the screen has room for. */
  readonly height: number;
  /** All there are have been loaded. */
  readonly complete: boolean;
  readonly loading: boolean;
  /** Loading failed: it is tried again when the reader moves or the server is back, not by itself. */
  readonly failed: boolean;
  /** The reader asked for the oldest; as long as not all are loaded, loading goes on. */
  readonly seekingEnd: boolean;
}

export function emptyList<R extends Row>(height: number): MessageList<R> {
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

/** How many rows can be shown. */
export function shownCount(list: MessageList<Row>): number {
  return list.rows.length - list.waiting;
}

/** The rows on the screen. */
export function onScreen<R extends Row>(list: MessageList<R>): readonly R[] {
  const from = list.waiting + list.top;
  return list.rows.slice(from, from + list.height);
}

/** Where the selection stands among what is shown, -1 where there is none. */
export function selectedIndex(list: MessageList<Row>): number {
  if (list.selected === null) return -1;
  const index = indexOf(list.rows, list.selected);
  return index < list.waiting ? -1 : index - list.waiting;
}

/** Whether the screen is near enough to the end of what is loaded for more to be fetched. */
export function wantsMore(list: MessageList<Row>): boolean {
  if (list.complete || list.loading || list.failed) return false;
  return list.seekingEnd || list.rows.length === 0 || list.top + 3 * list.height >= shownCount(list);
}

export function loading<R extends Row>(list: MessageList<R>): MessageList<R> {
  return { ...list, loading: true };
}

export function loadingFailed<R extends Row>(list: MessageList<R>): MessageList<R> {
  return { ...list, loading: false, failed: true, seekingEnd: false };
}

/** What failed may be tried again. */
export function retried<R extends Row>(list: MessageList<R>): MessageList<R> {
  return list.failed ? { ...list, failed: false } : list;
}

/** Older rows came, newest first. What is there already is left out. `complete`: there are no more. */
export function pageCame<R extends Row>(list: MessageList<R>, page: readonly R[], complete: boolean): MessageList<R> {
  const oldest = list.rows.at(-1)?.id;
  const older = oldest === undefined ? page : page.filter(({ id }) => id < oldest);
  const rows = older.length === 0 ? list.rows : [...list.rows, ...older];
  const next = settle({ ...list, rows, complete, loading: false });
  if (!next.seekingEnd) return next;
  const moved = select(next, shownCount(next) - 1);
  return { ...moved, seekingEnd: !complete };
}

/** Messages came, in any order: one pass over the list, however many they are. */
export function arrivedAll<R extends Row>(list: MessageList<R>, rows: readonly R[]): MessageList<R> {
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

/** A message came. */
export function arrived<R extends Row>(list: MessageList<R>, row: R): MessageList<R> {
  const at = lowerBound(list.rows, row.id);
  if (list.rows[at]?.id === row.id) return list;
  // Below what is loaded it will come with its page.
  if (at === list.rows.length && !list.complete && at > 0) return list;
  const rows = [...list.rows.slice(0, at), row, ...list.rows.slice(at)];
  if (isFree(list)) return settle({ ...list, rows, waiting: 0, following: true });
  if (at <= list.waiting) return { ...list, rows, waiting: list.waiting + 1 };
  // In the middle: what stands on the screen stays where it is.
  return settle({ ...list, rows, top: at - list.waiting <= list.top ? list.top + 1 : list.top });
}

/** Nothing is being read, so what comes may be shown at once. */
function isFree(list: MessageList<Row>): boolean {
  return list.following || shownCount(list) === 0;
}

/** Messages are gone. Where the selected one is, its neighbour is selected, the older one first. */
export function gone<R extends Row>(list: MessageList<R>, isGone: (row: R) => boolean): MessageList<R> {
  const index = selectedIndex(list);
  const rows = list.rows.filter((row) => !isGone(row));
  if (rows.length === list.rows.length) return list;
  const waiting = countLeft(list.rows, 0, list.waiting, isGone);
  const above = countLeft(list.rows, list.waiting, list.waiting + list.top, isGone);
  const next = { ...list, rows, waiting, top: above };
  if (index < 0 || indexOf(rows, list.selected ?? '') >= 0) return settle(next);
  const kept = countLeft(list.rows, list.waiting, list.waiting + index, isGone);
  return select({ ...next, selected: null }, Math.min(kept, shownCount(next) - 1));
}

/** Moves the selection by so many rows, and the screen with it. */
export function moved<R extends Row>(list: MessageList<R>, by: number): MessageList<R> {
  const from = selectedIndex(list);
  return select({ ...list, following: false, seekingEnd: false }, from < 0 ? 0 : from + by);
}

/** To the newest: what waited is shown. */
export function toNewest<R extends Row>(list: MessageList<R>): MessageList<R> {
  return settle({ ...list, waiting: 0, top: 0, following: true, seekingEnd: false });
}

/** To the oldest; where not all are loaded, as far as there are, and on from there as they come. */
export function toOldest<R extends Row>(list: MessageList<R>): MessageList<R> {
  return { ...select({ ...list, following: false }, shownCount(list) - 1), seekingEnd: !list.complete };
}

/** The reader opened what is selected, so what is selected stays. */
export function held<R extends Row>(list: MessageList<R>): MessageList<R> {
  return list.following ? { ...list, following: false } : list;
}

export function resized<R extends Row>(list: MessageList<R>, height: number): MessageList<R> {
  return settle({ ...list, height: Math.max(1, height) });
}

/** Selects a row of what is shown and brings it on the screen; beyond either end it is the end. */
export function select<R extends Row>(list: MessageList<R>, index: number): MessageList<R> {
  const last = shownCount(list) - 1;
  if (last < 0) return { ...list, selected: null, top: 0 };
  const at = Math.min(Math.max(index, 0), last);
  const top = Math.min(Math.max(list.top, at - list.height + 1), at);
  return { ...list, selected: list.rows[list.waiting + at]?.id ?? null, top: clampTop(list, top) };
}

/** Brings top and selection back to something that exists. */
function settle<R extends Row>(list: MessageList<R>): MessageList<R> {
  if (list.following) return select({ ...list, top: 0 }, 0);
  const index = selectedIndex(list);
  if (index < 0) return select(list, list.top);
  const top = Math.min(Math.max(list.top, index - list.height + 1), index);
  return { ...list, top: clampTop(list, top) };
}

function clampTop(list: MessageList<Row>, top: number): number {
  return Math.max(0, Math.min(top, shownCount(list) - list.height));
}

function countLeft<R extends Row>(rows: readonly R[], from: number, to: number, isGone: (row: R) => boolean): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const row = rows[i];
    if (row !== undefined && !isGone(row)) count++;
  }
  return count;
}

function indexOf(rows: readonly Row[], id: string): number {
  const at = lowerBound(rows, id);
  return rows[at]?.id === id ? at : -1;
}

/** The first row, of rows newest first, that is not newer than `id`. */
function lowerBound(rows: readonly Row[], id: string): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && row.id > id) low = middle + 1;
    else high = middle;
  }
  return low;
}
