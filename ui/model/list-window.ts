/** Which rows of a long list are drawn, and how far down the first of them stands. */
export interface ListWindow {
  /** The first row drawn. */
  readonly from: number;
  /** The row after the last one drawn. */
  readonly to: number;
  /** Pixels above the first row drawn. */
  readonly offset: number;
  /** Pixels of the whole list. */
  readonly total: number;
}

/** Rows beyond each edge that are drawn too, so that a flick of the wheel meets no gap. */
const OVERSCAN = 6;

/** The rows in sight of a list whose rows are all `rowHeight` pixels high. */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const inSight = Math.ceil(viewHeight / rowHeight) + 1;
  const from = Math.max(0, Math.min(first, count - inSight) - OVERSCAN);
  const to = Math.min(count, first + inSight + OVERSCAN);
  return { from, to: Math.max(from, to), offset: from * rowHeight, total: count * rowHeight };
}

/** Where to scroll so that a row is in sight; as it is where it is already. */
export function scrollToRow(index: number, scrollTop: number, viewHeight: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  const bottom = top + rowHeight;
  return bottom > scrollTop + viewHeight ? bottom - viewHeight : scrollTop;
}
