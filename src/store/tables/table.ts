import { getOrCreate, increase } from '../../text/maps.ts';
import { SortedList } from './sorted-list.ts';

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

/** Merges rows of two sources, each in the order of `isFirst`. No id is in both. */
export function* merged<Row extends RowWithId>(
  one: Iterator<Row, void, void>,
  other: Iterator<Row, void, void>,
  isFirst: (id: string, other: string) => boolean,
): Generator<Row, void, void> {
  let ours = one.next();
  let theirs = other.next();
  for (;;) {
    if (ours.done !== true && (theirs.done === true || isFirst(ours.value.id, theirs.value.id))) {
      yield ours.value;
      ours = one.next();
    } else if (theirs.done !== true) {
      yield theirs.value;
      theirs = other.next();
    } else return;
  }
}

/** Sorted rows that are objects. */
export class SortedChunks<Row extends RowWithId> extends SortedList<Row, string> implements SortedRows<Row> {
  constructor() {
    super(({ id }, other) => (id < other ? -1 : id === other ? 0 : 1));
  }

  override insert(row: Row): Row | undefined {
    return super.insert(row, row.id);
  }
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
    getOrCreate(this.#groups, value, () => new SortedChunks<Row>()).insert(row);
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
    increase(this.#sums, this.#keyOf(row), by);
    this.total += by;
  }
}
