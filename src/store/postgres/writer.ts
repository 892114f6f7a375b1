import { refuse } from '../../domain/errors.ts';
import type { Commit, Tx } from '../../ports/store.ts';
import type { Clock, Log } from '../../ports/system.ts';
import type { BatchWrites } from './append-tables.ts';
import type { Bodies } from './bodies.ts';
import { type BatchEnd, CommitBatch } from './commit-batch.ts';
import {
  type DatabaseConnection,
  numberColumn,
  type RunStatement,
  type Statement,
  type StatementValue,
  statement,
  storageTrouble,
} from './connection.ts';
import { writeNote } from './listener.ts';
import { createTx } from './reader-and-tx.ts';
import type { DatabaseSession } from './sessions.ts';
import { applyChanges, catchUp, changesAfter, SmallState } from './small-state.ts';

const LOCK_HEAD = statement('lock head', 'select 1 from head for update');
// The id that PostgreSQL gives a transaction can't identify it: after a power cut, another transaction may get the same
// id. So each server numbers its own batches.
const LAST_COMMIT = statement(
  'last commit',
  'select coalesce(max(number), 0)::float8 as number from commits where server = $1',
);

/** The maximum number of transactions in a batch. */
const MOST = 500;
/** After an optimistic write has failed, this many batches take the lock before their transactions run. */
const CAREFUL = 32;
/**
 * The time in milliseconds for which the writer asks whether an unanswered commit happened, and the pause between two
 * attempts.
 */
const OUTCOME_MS = 30_000;
const OUTCOME_PAUSE_MS = 100;

/** A transaction in the queue. `resolve` or `reject` tells its caller the outcome. */
interface Waiting {
  readonly body: (tx: Tx, batch: CommitBatch) => Promise<unknown>;
  /** Tells whether `body` sends statements to the database, which needs the lock. */
  readonly needsLock: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface WriterParts {
  readonly session: DatabaseSession;
  readonly bodies: Bodies;
  readonly server: number;
  readonly channel: string;
  /** The small rows that readers outside of transactions use. */
  readonly committed: SmallState;
  readonly clock: Pick<Clock, 'sleep' | 'steady'>;
  readonly log: Log;
  readonly onCommit: (commit: Commit) => void;
  /** Called with the changes of other servers that the writer has read. */
  readonly onChanged: (changes: Parameters<SmallState['change']>[0][]) => void;
}

/**
 * Writes transactions in batches. A batch holds the transactions that were requested while the previous batch committed.
 * It holds the lock on the row of the table `head` from before its first transaction until its commit, so only one
 * batch of all servers runs at a time.
 *
 * A server that writes alone saves the round trip for the lock. It uses optimistic concurrency control: the
 * transactions run without the lock, and one statement stores all their writes if the epoch in `head` is still the
 * same. If the epoch has changed, the transactions run again with the lock. They also run again if one of them reads a
 * append table or throws, or if the batch writes nothing, because they may have seen old rows.
 */
export class Writer {
  readonly #parts: WriterParts;
  /** The small rows that transactions see. They are current while a transaction runs. */
  readonly working = new SmallState();
  #queue: Waiting[] = [];
  #running: Promise<void> | null = null;
  /** The batch whose transactions run now. */
  #batch: CommitBatch | null = null;
  readonly #tx: Tx;
  #isOutcomeUnknown = false;
  /** The number of the last batch that this server tried to commit. */
  #batches = 0;
  /** The number of following batches that take the lock first, because other servers write too. */
  #careful = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    // All transactions share these functions. Creating them for each batch would take longer than most transactions do.
    const current = (): CommitBatch => {
      if (this.#batch === null) throw new Error('the transaction is over');
      return this.#batch;
    };
    const writes: BatchWrites = {
      write: (change) => current().write(change),
      replace: (before, after) => current().replace(before, after),
      note: (change) => current().note(change),
      change: (change) => current().change(change),
      query: async (wanted, values) => current().query(wanted, values),
    };
    this.#tx = createTx(this.working, writes);
  }

  /** Tells whether the outcome of a commit is unknown. Until it is known, the writer refuses transactions. */
  get isOutcomeUnknown(): boolean {
    return this.#isOutcomeUnknown;
  }

  /** Records in the store that a server is the leader. */
  takeLead(server: number): Promise<void> {
    return this.#enqueue(true, async (_, batch) => {
      if (this.working.leadership.get('leader')?.server === server) return;
      batch.change({ kind: 'leadership', id: 'leader', row: { id: 'leader', server } });
    });
  }

  /** Runs `act` while no other batch of any server runs, and commits its statements. */
  alone<T>(act: (query: RunStatement) => Promise<T>): Promise<T> {
    return this.#enqueue(true, async (_, batch) => {
      batch.keep();
      return act(batch.query);
    });
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue(false, (tx) => body(tx));
  }

  #enqueue<T>(needsLock: boolean, body: (tx: Tx, batch: CommitBatch) => Promise<T>): Promise<T> {
    if (this.#isOutcomeUnknown) return Promise.reject(refuse('storage_unavailable'));
    return new Promise<T>((resolve, reject) => {
      // The cast is safe: `resolve` gets the result of this body alone.
      this.#queue.push({ body, needsLock, resolve: (value) => resolve(value as T), reject });
      this.#running ??= this.#run();
    });
  }

  /** Settles when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Collects everything of this event-loop iteration.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const together = this.#queue.slice(0, MOST);
      this.#queue = this.#queue.slice(MOST);
      await this.#write(together);
    }
    this.#running = null;
  }

  /** Writes one batch. It never rejects. */
  async #write(together: readonly Waiting[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      const connection = await this.#parts.session.connection();
      const batch =
        (await this.#atOnce(connection, together, settle)) ?? (await this.#batchOf(connection, together, settle));
      for (const act of settle) act();
      if (batch?.touched.anything) this.#parts.onCommit(batch.touched);
    } catch (error) {
      const trouble = storageTrouble(error);
      this.#parts.log.debug('a batch of transactions was not stored', { transactions: together.length, error });
      for (const { reject } of together) reject(trouble);
    }
  }

  /**
   * Stores a batch with one statement, without taking the lock first, and returns it. Returns null if nothing was
   * stored and the batch needs the lock. If it throws, nothing was stored, or the outcome stays unknown.
   */
  async #atOnce(
    connection: DatabaseConnection,
    together: readonly Waiting[],
    settle: (() => void)[],
  ): Promise<CommitBatch | null> {
    const { bodies } = this.#parts;
    if (!this.#mayGoAtOnce(together)) return null;
    const batch = new CommitBatch(null, this.working, bodies, bodies.hold());
    let isStored = false;
    try {
      const areAllDone = await this.#runAll(batch, together, settle);
      const end = this.#endOf(batch);
      const whole = areAllDone && batch.hasWrites ? batch.wholeAfter(end) : null;
      if (whole === null) return null;
      isStored = await this.#storeWhole(connection, whole, end.number);
      if (!isStored) return null;
      this.#follow(batch, end.epoch);
      return batch;
    } finally {
      if (!isStored) {
        batch.undo();
        settle.length = 0;
      }
      bodies.release(isStored ? batch.referred : []);
    }
  }

  #mayGoAtOnce(together: readonly Waiting[]): boolean {
    const { bodies, committed } = this.#parts;
    if (this.#careful > 0) {
      this.#careful--;
      return false;
    }
    // A reader may have seen a commit of another server already.
    return (
      committed.epoch <= this.working.epoch && !together.some(({ needsLock }) => needsLock) && bodies.fitsOneStatement
    );
  }

  /**
   * Runs the statement that stores a whole batch. Returns false if it stored nothing, because another server committed
   * in between.
   */
  async #storeWhole(
    connection: DatabaseConnection,
    [wanted, values]: [Statement, StatementValue[]],
    number: number,
  ): Promise<boolean> {
    try {
      const rows = await connection.query(wanted, values);
      if (rows.length === 0) this.#careful = CAREFUL;
      return rows.length > 0;
    } catch (error) {
      // If the session still works, the database refused the statement. If the session broke, the statement may have
      // succeeded.
      const livesOn =
        connection.isOpen &&
        (await connection.script('rollback').then(
          () => true,
          () => false,
        ));
      if (livesOn || !(await this.#isCommitted(number))) throw error;
      return true;
    }
  }

  /**
   * Stores a batch with the lock and returns it. Returns null if the batch writes nothing. If it throws, nothing was
   * stored, or the outcome stays unknown.
   */
  async #batchOf(
    connection: DatabaseConnection,
    together: readonly Waiting[],
    settle: (() => void)[],
  ): Promise<CommitBatch | null> {
    const { bodies } = this.#parts;
    const held = bodies.hold();
    let batch: CommitBatch | null = null;
    try {
      await this.#begin(connection, held);
      batch = new CommitBatch(connection, this.working, bodies, held);
      await this.#runAll(batch, together, settle);
      if (batch.failure !== null) throw batch.failure;
      if (!batch.hasWrites) {
        await connection.script('rollback');
        bodies.release([]);
        return null;
      }
      await this.#finish(connection, batch);
      bodies.release(batch.referred);
      return batch;
    } catch (error) {
      batch?.undo();
      bodies.release([]);
      // If no transaction is open, the rollback only causes a warning.
      if (connection.isOpen) connection.script('rollback').catch(() => connection.destroy());
      throw error;
    }
  }

  /**
   * Begins the transaction, writes the blobs, takes the lock and reads what other servers committed, in one round trip.
   */
  async #begin(connection: DatabaseConnection, held: readonly number[]): Promise<void> {
    const { bodies, committed, onChanged } = this.#parts;
    const ask = (epoch: number) => changesAfter(epoch, connection.query);
    const [, , , first] = await connection.together(() =>
      Promise.all([
        connection.script('begin isolation level read committed read write'),
        bodies.write(connection, held),
        connection.query(LOCK_HEAD),
        ask(this.working.epoch),
      ]),
    );
    const changes = await catchUp(this.working, first, ask);
    // Readers get the changes of other servers too, which saves them a query.
    if (committed.epoch < changes.epoch) {
      if (committed.epoch < changes.pruned) committed.clear();
      applyChanges(committed, changes);
      if (changes.rows.length > 0) onChanged([...changes.rows]);
    }
  }

  /** Runs the transactions of a batch one after another. Returns whether all of them succeeded. */
  async #runAll(batch: CommitBatch, together: readonly Waiting[], settle: (() => void)[]): Promise<boolean> {
    let areAllDone = true;
    this.#batch = batch;
    for (const { body, resolve, reject } of together) {
      if (batch.failure !== null) break;
      try {
        const result = await batch.run(() => body(this.#tx, batch));
        settle.push(() => resolve(result));
      } catch (error) {
        areAllDone = false;
        settle.push(() => reject(error));
      }
    }
    this.#batch = null;
    return areAllDone;
  }

  /** Commits the batch. It settles once the outcome is known. */
  async #finish(connection: DatabaseConnection, batch: CommitBatch): Promise<void> {
    const end = this.#endOf(batch);
    const [finished, committing] = connection.together(() => [
      batch.finish(end),
      // The commit is sent in the same write. If a statement before it failed, PostgreSQL rolls back instead.
      connection.script('commit'),
    ]);
    const answer = await committing.then(
      () => null,
      (error: unknown) => ({ error }),
    );
    await finished;
    if (answer === null && batch.failure !== null) throw batch.failure;
    if (answer !== null && !(await this.#isCommitted(end.number))) throw answer.error;
    this.#follow(batch, end.epoch);
  }

  #endOf(batch: CommitBatch): BatchEnd {
    const { channel, server } = this.#parts;
    const payload = writeNote({ server, commit: batch.touched, settings: batch.hasSettings });
    return { epoch: this.working.epoch + 1, channel, payload, server, number: ++this.#batches };
  }

  /** Brings the small rows to the epoch of a batch that was stored. */
  #follow(batch: CommitBatch, epoch: number): void {
    const { committed } = this.#parts;
    this.working.epoch = epoch;
    // A read may have loaded this commit already, and later ones.
    if (committed.epoch < epoch) applyChanges(committed, { epoch, lastId: batch.lastId, rows: batch.smallChanges() });
  }

  /**
   * Tells whether a batch whose commit got no answer was committed. Throws `storage_unavailable` if the database does
   * not answer in time.
   */
  async #isCommitted(number: number): Promise<boolean> {
    const { session, clock, log } = this.#parts;
    log.warn('the database gave no answer to a commit: this server asks it whether the commit happened');
    session.cut();
    this.#isOutcomeUnknown = true;
    try {
      const startedAt = clock.steady();
      for (;;) {
        const last = await this.#lastCommit().catch(() => null);
        if (last !== null) return last >= number;
        if (clock.steady() - startedAt > OUTCOME_MS) throw refuse('storage_unavailable');
        await clock.sleep(OUTCOME_PAUSE_MS);
      }
    } finally {
      this.#isOutcomeUnknown = false;
    }
  }

  /** Returns the number of the last batch of this server that was committed. */
  async #lastCommit(): Promise<number> {
    const { session, server } = this.#parts;
    const connection = await session.connection();
    await connection.script('begin isolation level read committed read write');
    // A transaction holds this lock until its end. So once this session has the lock, the earlier transaction of this
    // server is over.
    await connection.query(LOCK_HEAD);
    const [row] = await connection.query(LAST_COMMIT, [server]);
    await connection.script('rollback');
    return numberColumn(row, 'number');
  }
}
