import { changed, gone, type MessageList } from '../../model/message-list.ts';
import { copiesOf, isOneOf, messagesOf, type WebRow } from './state.ts';

// The copies of one mail are one row: those in several mailboxes, and the sent and the received one. The newest copy
// stands in the list and holds the others. The reader can unfold them, and each then stands at its own place.

type Rows = readonly WebRow[];

/** Returns the row in which a message stands, itself or folded. */
export function rowHolding(rows: Rows, id: string): WebRow | undefined {
  return rows.find((row) => row.id === id || row.copies?.some((copy) => copy.id === id));
}

/** Returns the number of messages of a list, with those that are folded. */
export function messageCount({ rows }: MessageList<WebRow>): number {
  return rows.reduce((sum, { copies }) => sum + 1 + (copies?.length ?? 0), 0);
}

/** Returns the id of the oldest message of a list, from which its next page goes on. Null if the list is empty. */
export function oldestOf({ rows }: MessageList<WebRow>): string | null {
  let oldest = rows.at(-1)?.id ?? null;
  for (const { copies } of rows) {
    const last = copies?.at(-1)?.id;
    if (last !== undefined && oldest !== null && last < oldest) oldest = last;
  }
  return oldest;
}

/**
 * Folds the copies of the mails with these keys. What waits above the list folds by itself, because it must not move a
 * row that is being read.
 */
export function folded(list: MessageList<WebRow>, keys: ReadonlySet<string>): MessageList<WebRow> {
  const groups = new Map<string, WebRow[]>();
  list.rows.forEach((row, index) => {
    if (!keys.has(row.copyKey)) return;
    const place = `${index < list.waiting} ${row.copyKey}`;
    groups.set(place, [...(groups.get(place) ?? []), row]);
  });
  const holders = new Map<string, WebRow>();
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined || group.length === 1) continue;
    const [, ...copies] = new Map(messagesOf(group).map((row) => [row.id, row])).values();
    const holder = { ...first, copies: copies.sort((a, b) => (a.id < b.id ? 1 : -1)) };
    for (const { id } of group) holders.set(id, holder);
  }
  if (holders.size === 0) return list;
  const isFolded = ({ id }: WebRow) => holders.has(id) && holders.get(id)?.id !== id;
  const { rows, ...rest } = gone(list, isFolded);
  const selected = holders.get(list.selected ?? '')?.id ?? rest.selected;
  return { ...rest, selected, rows: rows.map((row) => holders.get(row.id) ?? row) };
}

/** Puts the folded copies of the mails with these keys at their own places. */
export function withoutFolds(list: MessageList<WebRow>, keys: ReadonlySet<string>): MessageList<WebRow> {
  const copies = list.rows.flatMap((row) => (keys.has(row.copyKey) ? (row.copies ?? []) : []));
  if (copies.length === 0) return list;
  const { waiting, top } = list;
  const isAbove = (at: number) => {
    const id = list.rows[at]?.id ?? '';
    return copies.filter((copy) => copy.id > id).length;
  };
  const rows = list.rows.flatMap((row) => (keys.has(row.copyKey) ? copiesOf(row) : row));
  const above = isAbove(waiting);
  return {
    ...list,
    rows: rows.sort((a, b) => (a.id < b.id ? 1 : -1)),
    waiting: waiting + above,
    top: top + isAbove(waiting + top) - above,
  };
}

/** Removes messages, also folded ones. */
export function withoutMessages(list: MessageList<WebRow>, isGone: (id: string) => boolean): MessageList<WebRow> {
  const held = list.rows.filter((row) => row.copies !== undefined && isOneOf(row, { has: isGone }));
  const keys = new Set(held.map(({ copyKey }) => copyKey));
  return folded(
    gone(withoutFolds(list, keys), ({ id }) => isGone(id)),
    keys,
  );
}

/** Changes messages in their places, also folded ones. */
export function withChanged(list: MessageList<WebRow>, change: (row: WebRow) => WebRow): MessageList<WebRow> {
  return changed(list, (row) => {
    const now = change(row);
    const copies = row.copies?.map(change);
    return copies === undefined || copies.every((copy, index) => copy === row.copies?.[index])
      ? now
      : { ...now, copies };
  });
}
