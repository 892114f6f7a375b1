/** A selection of several rows, for one action on all of them. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** The start of a range: the row that was selected last. */
  readonly anchor: string | null;
}

export const NONE: Selection = { ids: new Set(), anchor: null };

/** Adds a row to the selection, or removes it. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Adds all rows from the anchor to a row, in the order of the list. */
export function extended(selection: Selection, rows: readonly { readonly id: string }[], to: string): Selection {
  const from = rows.findIndex(({ id }) => id === selection.anchor);
  const end = rows.findIndex(({ id }) => id === to);
  if (end < 0) return selection;
  if (from < 0) return toggled(selection, to);
  const range = rows.slice(Math.min(from, end), Math.max(from, end) + 1);
  return { ids: new Set([...selection.ids, ...range.map(({ id }) => id)]), anchor: selection.anchor };
}

export function allOf(rows: readonly { readonly id: string }[]): Selection {
  return { ids: new Set(rows.map(({ id }) => id)), anchor: rows.at(-1)?.id ?? null };
}

/** Removes deleted rows from the selection. */
export function withoutDeleted(selection: Selection, isGone: (id: string) => boolean): Selection {
  const ids = [...selection.ids].filter((id) => !isGone(id));
  if (ids.length === selection.ids.size) return selection;
  const { anchor } = selection;
  return { ids: new Set(ids), anchor: anchor !== null && isGone(anchor) ? null : anchor };
}
