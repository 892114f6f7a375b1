import type { TableColumn } from './table.ts';

/** The length of a shortened id. It usually tells ids of one millisecond apart. */
const SHORT_ID = 14;
const SHORTEST = 10;

/** Shortens ids as far as they stay distinct. Every command takes the beginning of an id. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  let length = SHORTEST;
  while (length < SHORT_ID && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 1;
  const beginnings = ids.map((id) => id.slice(0, length));
  const isAlone = new Set(beginnings).size === ids.length;
  return new Map(ids.map((id, at) => [id, isAlone ? (beginnings[at] ?? id) : id]));
}

/** Returns the column of ids. They are whole where there is room, and for programs. */
export function idColumn<Row extends { readonly id: string }>(rows: readonly Row[]): TableColumn<Row> {
  const short = shortIds(rows.map(({ id }) => id));
  return { title: 'ID', of: ({ id }) => id, narrow: ({ id }) => short.get(id) ?? id };
}
