/** A selection of several rows, for one action on all of them. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** The start of a range: the row that was selected last. */
  readonly anchor: string | null;
  /** The rows that were selected before the range. They stay when it shrinks. */
  readonly kept: ReadonlySet<string>;
  /** True if the selection is all that the list finds, also what is not loaded. */
  readonly everything: boolean;
}

export const NONE: Selection = { ids: new Set(), anchor: null, kept: new Set(), everything: false };

/** The fields that a selection needs of a row: its id, and the copies of the mail that are folded under it. */
interface SelectableRow {
  readonly id: string;
  readonly copies?: readonly { readonly id: string }[];
}

/** Adds a row to the selection, or removes it. */
export function toggled({ ids }: Selection, { id, copies = [] }: SelectableRow): Selection {
  const next = new Set(ids);
  // A copy of a chosen mail that came later holds the chosen one.
  const held = [...copies.map((copy) => copy.id), id].filter((one) => next.delete(one));
  if (held.length === 0) next.add(id);
  const kept = new Set(next);
  kept.delete(id);
  return { ids: next, anchor: id, kept, everything: false };
}

/** Makes a range from the anchor to a row, in the order of the list. It replaces the range from the same anchor. */
export function extended(selection: Selection, rows: readonly SelectableRow[], to: string): Selection {
  const from = rows.findIndex(({ id }) => id === selection.anchor);
  const end = rows.findIndex(({ id }) => id === to);
  const last = rows[end];
  if (last === undefined) return selection;
  if (from < 0) return toggled(selection, last);
  const range = rows.slice(Math.min(from, end), Math.max(from, end) + 1);
  const ids = new Set([...selection.kept, ...range.map(({ id }) => id)]);
  return { ...selection, ids, everything: false };
}

export function allOf(rows: readonly { readonly id: string }[]): Selection {
  const ids = new Set(rows.map(({ id }) => id));
  return { ids, anchor: rows.at(-1)?.id ?? null, kept: ids, everything: false };
}

/** Removes deleted rows from the selection. */
export function withoutDeleted(selection: Selection, isGone: (id: string) => boolean): Selection {
  const ids = [...selection.ids].filter((id) => !isGone(id));
  if (ids.length === selection.ids.size) return selection;
  const { anchor, kept, everything } = selection;
  return {
    ids: new Set(ids),
    anchor: anchor !== null && isGone(anchor) ? null : anchor,
    kept: new Set([...kept].filter((id) => !isGone(id))),
    everything: everything && ids.length > 0,
  };
}
