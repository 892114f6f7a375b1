import { type AppendTable, blobsOf, type Change, isAppendTable, type TableName } from '../tables/state.ts';
import { CommitScope } from '../tables/transactions.ts';
import {
  type AppendPut,
  arraysOf,
  type BatchWrites,
  isAppendPut,
  parameterCount,
  putRows,
  putSql,
} from './append-tables.ts';
import { type Bodies, blobIdOf, insertBlobsSql } from './bodies.ts';
import {
  type DatabaseConnection,
  type RunStatement,
  type Statement,
  type StatementValue,
  statement,
} from './connection.ts';
import type { SmallChange, SmallKind, SmallState } from './small-state.ts';

const COUNT_BLOBS = statement(
  'count blobs',
  `with changed as (select id, change from unnest($1::bigint[], $2::int[]) as changed (id, change)),
   held as (delete from loose_blobs using changed where loose_blobs.id = changed.id),
   gone as (delete from blobs using changed where blobs.id = changed.id and refs + change <= 0)
   update blobs set refs = refs + change from changed where blobs.id = changed.id and refs + change > 0`,
);
const UNWRITE = statement('unwrite blobs', 'delete from blobs where id = any ($1::bigint[])');

/**
 * Writes that are not sent to the database yet: those of one transaction, or those of all finished transactions of a
 * batch.
 */
class Unsent {
  readonly puts = new Map<AppendTable, Map<string, AppendPut>>();
  readonly blobs = new Map<number, number>();
  readonly late = new Set<number>();

  get isEmpty(): boolean {
    return this.puts.size + this.blobs.size + this.late.size === 0;
  }

  put(put: AppendPut): void {
    const table = this.puts.get(put[1]) ?? new Map<string, AppendPut>();
    this.puts.set(put[1], table);
    // One statement can't replace a row twice, so only the last version is sent.
    table.set(put[2].id, put);
  }

  count(blob: number, by: number): void {
    this.blobs.set(blob, (this.blobs.get(blob) ?? 0) + by);
  }

  take(later: Unsent): void {
    for (const table of later.puts.values()) for (const put of table.values()) this.put(put);
    for (const [blob, by] of later.blobs) this.count(blob, by);
    for (const blob of later.late) this.late.add(blob);
  }

  clear(): void {
    this.puts.clear();
    this.blobs.clear();
    this.late.clear();
  }
}

/** The state of the running transaction. */
class Running {
  readonly unsent = new Unsent();
  readonly changes: Change[] = [];
  readonly small: SmallChange[] = [];
  readonly claimed = new Set<number>();
  readonly referred = new Set<number>();
  hasSavepoint = false;
}

/** Thrown if a transaction queries the database before the batch has the lock. */
const NEEDS_LOCK = new Error('this transaction needs the lock of the head');

/**
 * A batch of transactions that share one database transaction. They run one after another. Their writes are collected
 * and sent together; a query of an append table sends them first.
 *
 * Without a connection, the transactions run before the batch has the lock, on small rows that may be old. They can't
 * query the database, and nothing is sent.
 */
export class CommitBatch implements BatchWrites {
  readonly touched = new CommitScope();
  /** The blobs to which rows of this batch refer. */
  readonly referred = new Set<number>();
  /** The newest id that the batch adds to the feed, or ''. */
  lastId = '';
  readonly #connection: DatabaseConnection | null;
  readonly #small: SmallState;
  readonly #bodies: Bodies;
  readonly #done = new Unsent();
  /** The blobs that the batch has written and to which no row refers yet. */
  readonly #unclaimed: Set<number>;
  /** The blobs that the batch has written and to which one of its rows refers. */
  readonly #claimed = new Set<number>();
  readonly #changed = new Map<string, { readonly kind: SmallKind; readonly id: string }>();
  readonly #undo: SmallChange[] = [];
  #running: Running | null = null;
  /** The statements that were sent without waiting for their answers. None of these promises rejects. */
  #sent: Promise<void>[] = [];
  /** The newest id of the feed before the batch. */
  readonly #lastIdBefore: string;
  #touchedRows = false;
  /**
   * The error that makes the whole batch fail: the error of its first failed statement, or {@link NEEDS_LOCK}. Null if
   * there is none.
   */
  failure: unknown = null;

  constructor(connection: DatabaseConnection | null, small: SmallState, bodies: Bodies, written: readonly number[]) {
    this.#connection = connection;
    this.#small = small;
    this.#bodies = bodies;
    this.#unclaimed = new Set(written);
    this.#lastIdBefore = small.newestFeedId;
  }

  /** Tells whether the batch changes a setting. */
  get hasSettings(): boolean {
    return [...this.#changed.values()].some(({ kind }) => kind === 'settings');
  }

  /** Marks the batch to be committed even if no row of the store changed. */
  keep(): void {
    this.#touchedRows = true;
  }

  get hasWrites(): boolean {
    return this.#changed.size > 0 || this.#touchedRows;
  }

  /** Runs one transaction. If it throws, its writes are discarded. */
  async run<T>(body: () => Promise<T>): Promise<T> {
    const running = new Running();
    this.#running = running;
    try {
      const result = await body();
      this.#running = null;
      this.#keep(running);
      if (running.hasSavepoint) this.#send('release savepoint body');
      return result;
    } catch (error) {
      this.#running = null;
      this.#revert(running);
      if (running.hasSavepoint) this.#send('rollback to savepoint body; release savepoint body');
      throw error;
    }
  }

  write(change: Change): void {
    const running = this.#current();
    running.changes.push(change);
    if (change[0] === 'clear') throw new Error('rows are cleared in the database');
    if (change[0] === 'remove') {
      this.change({ kind: smallKind(change[1]), id: change[2], row: null });
      return;
    }
    if (!isAppendPut(change)) {
      this.change({ kind: smallKind(change[1]), id: change[2].id, row: change[2] });
      return;
    }
    running.unsent.put(change);
    for (const ref of blobsOf(change)) this.#refer(running, blobIdOf(ref));
  }

  replace(before: AppendPut, after: AppendPut): void {
    this.write(after);
    const { unsent } = this.#current();
    for (const ref of blobsOf(before)) unsent.count(blobIdOf(ref), -1);
  }

  note(change: Change): void {
    this.#current().changes.push(change);
  }

  change(change: SmallChange): void {
    const { kind, id } = change;
    const { small } = this.#current();
    small.push({ kind, id, row: this.#small.change(change) });
  }

  readonly query: RunStatement = async (wanted, values) => {
    const running = this.#current();
    if (this.#connection === null) {
      // `body` may catch the error, so the failure is recorded for the batch too.
      this.failure = NEEDS_LOCK;
      throw NEEDS_LOCK;
    }
    this.#sendUnsent(this.#done);
    if (!running.hasSavepoint) {
      running.hasSavepoint = true;
      this.#send('savepoint body');
    }
    this.#sendUnsent(running.unsent);
    try {
      return await this.#connection.query(wanted, values);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  };

  /** Sends all remaining writes and waits for the answers. It never rejects: `failure` has the error. */
  async finish(end: BatchEnd): Promise<void> {
    this.#sendBlobs(this.#done);
    if (this.#unclaimed.size > 0) this.#ask(UNWRITE, [[...this.#unclaimed]]);
    this.#ask(...endBatch(end, this.#lastWrites(null), null));
    await Promise.all(this.#sent);
  }

  /**
   * Builds the statement that stores the whole batch, provided that `head` is still at the previous epoch. Returns null
   * if one statement can't store the batch.
   */
  wholeAfter(end: BatchEnd): [Statement, StatementValue[]] | null {
    if (this.failure !== null) return null;
    const { blobs, late } = this.#done;
    const own = [...this.#claimed];
    const others = [...blobs].some(([blob, by]) => by !== 0 && !this.#claimed.has(blob));
    if (others || late.size > 0) return null;
    const packed = own.length === 0 ? null : this.#bodies.pack(own, (blob) => 1 + (blobs.get(blob) ?? 0));
    return endBatch(end, this.#lastWrites(packed), end.epoch - 1);
  }

  /** Returns the changed small rows in their final state. */
  smallChanges(): SmallChange[] {
    return [...this.#changed.values()].map(({ kind, id }) => ({ kind, id, row: this.#small.smallRow(kind, id) }));
  }

  /** Restores every small row and the newest id of the feed, because the batch was not stored. */
  undo(): void {
    this.#small.unlearn(this.#lastIdBefore);
    for (const change of this.#undo.toReversed()) this.#small.change(change);
  }

  #current(): Running {
    if (this.#running === null) throw new Error('the transaction is over');
    return this.#running;
  }

  #refer(running: Running, blob: number): void {
    this.#bodies.requireDurable(blob);
    running.referred.add(blob);
    if (this.#unclaimed.delete(blob)) running.claimed.add(blob);
    else if (
      this.#bodies.isPending(blob) &&
      !this.referred.has(blob) &&
      !running.claimed.has(blob) &&
      !running.unsent.late.has(blob)
    )
      running.unsent.late.add(blob);
    else running.unsent.count(blob, 1);
  }

  #keep({ unsent, changes, small, claimed, referred }: Running): void {
    this.#done.take(unsent);
    for (const blob of claimed) this.#claimed.add(blob);
    for (const change of changes) {
      this.#touchedRows = true;
      this.touched.by(change);
      if (change[0] !== 'put') continue;
      const [, name, row] = change;
      if ((name === 'messages' || name === 'requests' || name === 'events') && row.id > this.lastId)
        this.lastId = row.id;
    }
    for (const change of small) {
      this.#changed.set(`${change.kind} ${change.id}`, change);
      this.#undo.push(change);
    }
    for (const blob of referred) this.referred.add(blob);
  }

  #revert({ small, claimed }: Running): void {
    for (const change of small.toReversed()) this.#small.change(change);
    for (const blob of claimed) this.#unclaimed.add(blob);
  }

  #lastWrites(blobs: LastWrites['blobs']): LastWrites {
    return { puts: this.#done.puts, small: this.smallChanges(), lastId: this.lastId, blobs };
  }

  #sendUnsent(unsent: Unsent): void {
    if (unsent.isEmpty) return;
    for (const [table, puts] of unsent.puts) this.#ask(...putRows(table, [...puts.values()]));
    this.#sendBlobs(unsent);
    unsent.clear();
  }

  #sendBlobs(unsent: Unsent): void {
    const late = [...unsent.late];
    if (late.length > 0) this.#follow(this.#bodies.write(this.#open(), late));
    const counted = [...unsent.blobs].filter(([, by]) => by !== 0);
    if (counted.length > 0) this.#ask(COUNT_BLOBS, [counted.map(([blob]) => blob), counted.map(([, by]) => by)]);
  }

  #open(): DatabaseConnection {
    if (this.#connection === null) throw NEEDS_LOCK;
    return this.#connection;
  }

  /** Sends a statement without waiting. A failure spoils the batch. */
  #ask(wanted: Statement, values: readonly StatementValue[]): void {
    this.#follow(this.#open().query(wanted, values));
  }

  #send(text: string): void {
    this.#follow(this.#open().script(text));
  }

  #follow(answer: Promise<unknown>): void {
    this.#sent.push(answer.then(() => {}).catch((error: unknown) => this.#fail(error)));
  }

  #fail(error: unknown): void {
    // The first failure is the cause. PostgreSQL refuses everything after it.
    this.failure ??= error;
  }
}

function smallKind(name: TableName): SmallKind {
  if (isAppendTable(name)) throw new Error(`${name} is no small table`);
  return name;
}

/** The values that the last statement of a batch stores besides the rows. */
export interface BatchEnd {
  readonly epoch: number;
  readonly channel: string;
  /** The note to the other servers. */
  readonly payload: string;
  readonly server: number;
  /**
   * The number of the batch, counted by the server. The database keeps the number of the last committed batch, so that
   * the server can find out whether a commit without an answer happened.
   */
  readonly number: number;
}

/** The writes that the last statement of a batch contains. */
interface LastWrites {
  readonly puts: ReadonlyMap<AppendTable, ReadonlyMap<string, AppendPut>>;
  readonly small: readonly SmallChange[];
  /** The newest id of the feed. */
  readonly lastId: string;
  /** The blobs to store, packed. Null if they are stored already. */
  readonly blobs: readonly StatementValue[] | null;
}

/** The statements, by the tables that they write. There are at most 64. */
const statements = new Map<string, Statement>();

/**
 * Builds the last statement of a batch. It contains all remaining writes, because each further statement would cost as
 * much again. With `expected`, it writes nothing and returns no row unless `head` is at that epoch.
 */
function endBatch(end: BatchEnd, writes: LastWrites, expected: number | null): [Statement, StatementValue[]] {
  const { puts, small, lastId, blobs } = writes;
  const tables = [...puts.keys()].sort();
  const key = [...(blobs === null ? [] : ['blobs']), ...tables].join();
  const wanted = statements.get(key) ?? statementOf(key, tables, blobs !== null);
  statements.set(key, wanted);
  const values: StatementValue[] = [
    expected,
    end.epoch,
    lastId,
    end.channel,
    end.payload,
    end.server,
    end.number,
    small.map(({ kind }) => kind),
    small.map(({ id }) => id),
    small.map(({ row }) => (row === null ? null : JSON.stringify(row))),
  ];
  for (const table of tables) values.push(...arraysOf(table, [...(puts.get(table)?.values() ?? [])]));
  if (blobs !== null) values.push(...blobs);
  return [wanted, values];
}

function statementOf(key: string, tables: readonly AppendTable[], withBlobs: boolean): Statement {
  // The update takes the lock on the row of `head`. PostgreSQL checks the epoch again after it has waited for the lock,
  // and updates no row if another server has changed the epoch. All other parts select from `moved`, so they write
  // nothing if no row was updated.
  const parts = [
    `moved as (update head set epoch = $2, last_id = greatest(last_id, $3)
               where $1::bigint is null or epoch = $1 returning one)`,
    `told as (insert into commits (server, number) select $6::bigint, $7::bigint from moved
              on conflict (server) do update set number = excluded.number, at = now())`,
    `changed as (insert into small_rows (kind, id, epoch, row)
                 select kind, id, $2::bigint, row from moved, unnest($8::text[], $9::text[], $10::text[]) as new (kind, id, row)
                 on conflict (kind, id) do update set epoch = excluded.epoch, row = excluded.row)`,
  ];
  let next = 11;
  for (const table of tables) {
    parts.push(`${table}_put as (${putSql(table, next, 'moved, ')})`);
    next += parameterCount(table);
  }
  if (withBlobs) parts.push(`blobs_put as (${insertBlobsSql(next, 'moved, ')})`);
  return statement(`end batch ${key}`, `with ${parts.join(',\n   ')}\n   select pg_notify($4, $5) from moved`);
}
