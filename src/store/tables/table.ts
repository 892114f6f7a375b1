// Rows in the order of their ids, in chunks. Inserting, removing and finding a row cost about the same among ten rows
// and among a million.

const CHUNK_ROWS = 512;

export interface RowWithId {
  readonly id: string;
}

/** Rows that can be read in the order of their ids. */
export interface SortedRows<Row extends RowWithId> {
  readonly size: number;
  /** Yields the rows, the oldest first. `after` excludes ids up to it. */
  ascending(after?: string): Generator<Row, void, void>;
  /** Yields the rows, the newest first. `before` excludes ids from it on. */
  descending(before?: string): Generator<Row, void, void>;
}

/** Sorted rows that are objects. */
export class SortedChunks<Row extends RowWithId> implements SortedRows<Row> {
  #chunks: Row[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  insert(row: Row): void {
    const chunks = this.#chunks;
    const last = chunks.at(-1);
    const newest = last?.at(-1);
    if (last === undefined || newest === undefined || row.id > newest.id) {
      if (last === undefined || last.length >= CHUNK_ROWS) chunks.push([row]);
      else last.push(row);
      this.#size++;
      return;
    }
    const at = this.#chunkOf(row.id);
    const chunk = chunks[at] ?? last;
    const index = lowerBound(chunk, row.id);
    if (chunk[index]?.id === row.id) {
      chunk[index] = row;
      return;
    }
    chunk.splice(index, 0, row);
    this.#size++;
    if (chunk.length > 2 * CHUNK_ROWS) chunks.splice(at + 1, 0, chunk.splice(CHUNK_ROWS));
  }

  remove(id: string): void {
    const at = this.#chunkOf(id);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = lowerBound(chunk, id);
    if (chunk[index]?.id !== id) return;
    chunk.splice(index, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Yields the rows, the newest first. `before` excludes ids from it on. */
  *descending(before?: string): Generator<Row, void, void> {
    let at = before === undefined ? this.#chunks.length - 1 : this.#chunkOf(before);
    let index =
      before === undefined ? (this.#chunks[at]?.length ?? 0) - 1 : lowerBound(this.#chunks[at] ?? [], before) - 1;
    for (; at >= 0; at--, index = (this.#chunks[at]?.length ?? 0) - 1) {
      for (; index >= 0; index--) {
        const row = this.#chunks[at]?.[index];
        if (row !== undefined) yield row;
      }
    }
  }

  /** Yields the rows, the newest first, without the newest `count`. */
  *descendingPast(count: number): Generator<Row, void, void> {
    let left = count;
    let at = this.#chunks.length - 1;
    for (; at >= 0 && left >= (this.#chunks[at]?.length ?? 0); at--) left -= this.#chunks[at]?.length ?? 0;
    for (; at >= 0; at--, left = 0) {
      const chunk = this.#chunks[at] ?? [];
      for (let index = chunk.length - 1 - left; index >= 0; index--) {
        const row = chunk[index];
        if (row !== undefined) yield row;
      }
    }
  }

  /** Yields the rows, the oldest first. `after` excludes ids up to it. */
  *ascending(after?: string): Generator<Row, void, void> {
    let at = after === undefined ? 0 : this.#chunkOf(after);
    let index = 0;
    if (after !== undefined) {
      const chunk = this.#chunks[at] ?? [];
      index = lowerBound(chunk, after);
      if (chunk[index]?.id === after) index++;
    }
    for (; at < this.#chunks.length; at++, index = 0) {
      for (; index < (this.#chunks[at]?.length ?? 0); index++) {
        const row = this.#chunks[at]?.[index];
        if (row !== undefined) yield row;
      }
    }
  }

  /** Returns the chunk that holds `id` or would hold it: the last one that starts at or below it. */
  #chunkOf(id: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first.id <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Returns the first index whose id is equal to or above `id`. */
function lowerBound<Row extends RowWithId>(chunk: readonly Row[], id: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = chunk[middle];
    if (row !== undefined && row.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An index that a table keeps up to date. */
interface Index<Row> {
  add(row: Row): void;
  remove(row: Row): void;
}

/** A table of immutable rows by id, with its indexes. */
export class Table<Row extends RowWithId> {
  readonly #rows = new Map<string, Row>();
  readonly #indexes: readonly Index<Row>[];

  constructor(indexes: readonly Index<Row>[]) {
    this.#indexes = indexes;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  values(): IterableIterator<Row> {
    return this.#rows.values();
  }

  /** Inserts a row. Returns the row that it replaces, if any. */
  put(row: Row): Row | undefined {
    const old = this.#rows.get(row.id);
    if (old !== undefined) for (const index of this.#indexes) index.remove(old);
    this.#rows.set(row.id, row);
    for (const index of this.#indexes) index.add(row);
    return old;
  }

  /** Removes a row. Returns it, or undefined if there was none. */
  remove(id: string): Row | undefined {
    const old = this.#rows.get(id);
    if (old === undefined) return undefined;
    this.#rows.delete(id);
    for (const index of this.#indexes) index.remove(old);
    return old;
  }
}

/** An index with one row for each value, where a row may have any number of values. */
export class KeysIndex<Row extends RowWithId> implements Index<Row> {
  readonly #ids = new Map<string, string>();
  readonly #keysOf: (row: Row) => readonly string[];

  constructor(keysOf: (row: Row) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  get size(): number {
    return this.#ids.size;
  }

  add(row: Row): void {
    for (const value of this.#keysOf(row)) this.#ids.set(value, row.id);
  }

  remove(row: Row): void {
    for (const value of this.#keysOf(row)) this.#ids.delete(value);
  }

  idOf(value: string): string | undefined {
    return this.#ids.get(value);
  }
}

/** An index with one row for each value. */
export class UniqueIndex<Row extends RowWithId> extends KeysIndex<Row> {
  constructor(keyOf: (row: Row) => string | null) {
    super((row) => [keyOf(row)].filter((value) => value !== null));
  }
}

/** An index that groups rows by value, each group in the order of ids. */
export class GroupIndex<Row extends RowWithId> implements Index<Row> {
  readonly #groups = new Map<string, SortedChunks<Row>>();
  readonly #empty = new SortedChunks<Row>();
  readonly #keyOf: (row: Row) => string | null;

  constructor(keyOf: (row: Row) => string | null) {
    this.#keyOf = keyOf;
  }

  add(row: Row): void {
    const value = this.#keyOf(row);
    if (value === null) return;
    let group = this.#groups.get(value);
    if (group === undefined) {
      group = new SortedChunks<Row>();
      this.#groups.set(value, group);
    }
    group.insert(row);
  }

  remove(row: Row): void {
    const value = this.#keyOf(row);
    const group = value === null ? undefined : this.#groups.get(value);
    if (value === null || group === undefined) return;
    group.remove(row.id);
    if (group.size === 0) this.#groups.delete(value);
  }

  of(value: string): SortedChunks<Row> {
    return this.#groups.get(value) ?? this.#empty;
  }
}

/** An index of all rows, or of the rows that `counts` accepts, in the order of ids. */
export class OrderIndex<Row extends RowWithId> implements Index<Row> {
  readonly rows = new SortedChunks<Row>();
  readonly #counts: (row: Row) => boolean;

  constructor(counts: (row: Row) => boolean = () => true) {
    this.#counts = counts;
  }

  add(row: Row): void {
    if (this.#counts(row)) this.rows.insert(row);
  }

  remove(row: Row): void {
    if (this.#counts(row)) this.rows.remove(row.id);
  }
}

/** An index that keeps the sum of a number over all rows with the same value, so that no scan is needed. */
export class SumIndex<Row extends RowWithId> implements Index<Row> {
  readonly #sums = new Map<string, number>();
  readonly #keyOf: (row: Row) => string;
  readonly #amountOf: (row: Row) => number;
  total = 0;

  constructor(keyOf: (row: Row) => string, amountOf: (row: Row) => number) {
    this.#keyOf = keyOf;
    this.#amountOf = amountOf;
  }

  add(row: Row): void {
    this.#change(row, this.#amountOf(row));
  }

  remove(row: Row): void {
    this.#change(row, -this.#amountOf(row));
  }

  of(value: string): number {
    return this.#sums.get(value) ?? 0;
  }

  /** Returns the value with the largest sum, or null if there is none. It looks at every value. */
  largest(): string | null {
    let found: string | null = null;
    let most = 0;
    for (const [value, sum] of this.#sums) {
      if (sum <= most) continue;
      found = value;
      most = sum;
    }
    return found;
  }

  #change(row: Row, by: number): void {
    const value = this.#keyOf(row);
    const sum = this.of(value) + by;
    this.total += by;
    if (sum === 0) this.#sums.delete(value);
    else this.#sums.set(value, sum);
  }
}
