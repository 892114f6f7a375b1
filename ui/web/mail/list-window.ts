/** The range of rows to draw from a long list, and its position in pixels. */
export interface ListWindow {
  /** The index of the first row to draw. */
  readonly from: number;
  /** The index after the last row to draw. */
  readonly to: number;
  /** The height in pixels of the rows above the first drawn one. */
  readonly offset: number;
  /** The height of the whole list in pixels. */
  readonly total: number;
}

/** The number of rows drawn beyond each edge, so that fast scrolling shows no gap. */
const OVERSCAN = 2;

/** Returns the rows that are visible in a list whose rows are all `rowHeight` pixels high. */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const inSight = Math.ceil(viewHeight / rowHeight) + 1;
  const from = Math.max(0, Math.min(first, count - inSight) - OVERSCAN);
  const to = Math.min(count, first + inSight + OVERSCAN);
  return { from, to: Math.max(from, to), offset: from * rowHeight, total: count * rowHeight };
}

/** Returns the scroll position that makes a row visible. It stays the same if the row is visible already. */
export function scrollToRow(index: number, scrollTop: number, viewHeight: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  const bottom = top + rowHeight;
  return bottom > scrollTop + viewHeight ? bottom - viewHeight : scrollTop;
}

/**
 * Assigns the visible rows to DOM elements. A row keeps its element while it is visible. A new row reuses the element
 * of a row that left, because changing an element is cheaper than replacing it.
 */
export function elementsOf(before: ReadonlyMap<string, number>, ids: readonly string[]): ReadonlyMap<string, number> {
  const now = new Map<string, number>();
  for (const id of ids) {
    const kept = before.get(id);
    if (kept !== undefined) now.set(id, kept);
  }
  const taken = new Set(now.values());
  let next = 0;
  for (const id of ids) {
    if (now.has(id)) continue;
    while (taken.has(next)) next++;
    now.set(id, next++);
  }
  return now;
}
