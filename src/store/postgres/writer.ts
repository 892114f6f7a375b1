import { refuse } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Commit, Tx } from '../../ports/store.ts';
import type { Bodies } from './bodies.ts';
import { writeNote } from './commit-note.ts';
import {
  type DatabaseConnection,
  numberColumn,
  type RunStatement,
  type Statement,
  type StatementValue,
  statement,
} from './connection.ts';
import { applyChanges, catchUp, changesAfter } from './freshness.ts';
import { type GroupWrites, TransactionGroup } from './group.ts';
import type { GroupEnd } from './group-end.ts';
import { createTx } from './reader-and-tx.ts';
import type { DatabaseSession } from './sessions.ts';
import { SmallState } from './small-state.ts';
import { storageTrouble } from './trouble.ts';

const LOCK_HEAD = statement('lock head', 'select 1 from head for update');
// The number of a transaction tells nothing: after a power cut PostgreSQL may give it to another transaction.
const LAST_COMMIT = statement(
  'last commit',
  'select coalesce(max(number), 0)::float8 as number from commits where server = $1',
);

/** The most transactions of a group. */
const MOST = 500;
/** After another server committed in between, this many groups take the lock before their bodies run. */
const CAREFUL = 32;
/** The longest time in milliseconds to ask for the outcome of a commit without an answer, and the pause in between. */
const OUTCOME_MS = 30_000;
const OUTCOME_PAUSE_MS = 100;

/** A transaction that waits for its turn, and what became of it. */
interface Waiting {
  readonly body: (tx: Tx, group: TransactionGroup) => Promise<unknown>;
  /** Tells whether the body asks the database, and so needs the lock. */
  readonly needsLock: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface WriterParts {
  readonly session: DatabaseSession;
  readonly bodies: Bodies;
  readonly server: number;
  readonly channel: string;
  /** The small rows that others read. */
  readonly committed: SmallState;
  readonly clock: Pick<Clock, 'sleep' | 'steady'>;
  readonly log: Log;
  readonly onCommit: (commit: Commit) => void;
  /** Takes note of changes of other servers that the writer read. */
  readonly onChanged: (changes: Parameters<SmallState['change']>[0][]) => void;
}

/**
 * Writes transactions in groups: what came while the last commit was under way goes together. A group holds the lock of
 * the head from before its first body to its commit, so all groups of all servers come one after the other.
 *
 * A server that writes alone saves the question before: the bodies run without the lock, and one statement stores
 * everything if the head has not moved since (optimistic concurrency control). If it has, the bodies run again, with the
 * lock. So do those that read growing tables, throw, or write nothing, because what they saw may be old.
 */
export class Writer {
  readonly #parts: WriterParts;
  /** The small rows that transactions see. */
  readonly #working = new SmallState();
  #queue: Waiting[] = [];
  #running: Promise<void> | null = null;
  /** The group whose transactions run. */
  #group: TransactionGroup | null = null;
  readonly #tx: Tx;
  #isOutcomeUnknown = false;
  /** The number of groups that were to be committed. */
  #groups = 0;
  /** The number of groups that take the lock first, because other servers write too. */
  #careful = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    // The functions of a transaction are made once. To make them for each group would take longer than most bodies.
    const current = (): TransactionGroup => {
      if (this.#group === null) throw new Error('the transaction is over');
      return this.#group;
    };
    const writes: GroupWrites = {
      write: (change) => current().write(change),
      replace: (before, after) => current().replace(before, after),
      note: (change) => current().note(change),
      change: (change) => current().change(change),
      query: async (wanted, values) => current().query(wanted, values),
    };
    this.#tx = createTx(this.#working, writes);
  }

  /** Tells whether a commit has no answer yet. Until it is known, the writer takes nothing. */
  get isOutcomeUnknown(): boolean {
    return this.#isOutcomeUnknown;
  }

  /** The small rows that transactions see. They are current while a transaction runs. */
  get working(): SmallState {
    return this.#working;
  }

  /** Records that a server leads. */
  takeLead(server: number): Promise<void> {
    return this.#enqueue(true, async (_, group) => {
      if (this.#working.duties.get('leader')?.server === server) return;
      group.change({ kind: 'duties', id: 'leader', row: { id: 'leader', server } });
    });
  }

  /** Runs statements while no other group of any server runs, and commits them. */
  alone<T>(act: (query: RunStatement) => Promise<T>): Promise<T> {
    return this.#enqueue(true, async (_, group) => {
      group.keep();
      return act(group.query);
    });
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue(false, (tx) => body(tx));
  }

  #enqueue<T>(needsLock: boolean, body: (tx: Tx, group: TransactionGroup) => Promise<T>): Promise<T> {
    if (this.#isOutcomeUnknown) return Promise.reject(refuse('storage_unavailable'));
    return new Promise<T>((resolve, reject) => {
      // The cast is safe: `resolve` gets the result of this body alone.
      this.#queue.push({ body, needsLock, resolve: (value) => resolve(value as T), reject });
      this.#running ??= this.#run();
    });
  }

  /** Settles when everything that was asked for is done. */
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

  /** Writes one group. It never rejects. */
  async #write(together: readonly Waiting[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      const connection = await this.#parts.session.connection();
      const group =
        (await this.#atOnce(connection, together, settle)) ?? (await this.#groupOf(connection, together, settle));
      for (const act of settle) act();
      if (group?.touched.anything) this.#parts.onCommit(group.touched);
    } catch (error) {
      const trouble = storageTrouble(error);
      this.#parts.log.debug('a group of transactions was not stored', { transactions: together.length, error });
      for (const { reject } of together) reject(trouble);
    }
  }

  /**
   * Stores a group by one statement, without the lock before, and returns it. If it throws, nothing of it is stored, or
   * nobody can tell. Null means that nothing happened, and that the group needs the lock.
   */
  async #atOnce(
    connection: DatabaseConnection,
    together: readonly Waiting[],
    settle: (() => void)[],
  ): Promise<TransactionGroup | null> {
    const { bodies } = this.#parts;
    if (!this.#mayGoAtOnce(together)) return null;
    const group = new TransactionGroup(null, this.#working, bodies, bodies.hold());
    let isStored = false;
    try {
      const areAllDone = await this.#runAll(group, together, settle);
      const end = this.#endOf(group);
      const whole = areAllDone && group.hasWrites ? group.wholeAfter(end) : null;
      if (whole === null) return null;
      isStored = await this.#storeWhole(connection, whole, end.number);
      if (!isStored) return null;
      this.#follow(group, end.epoch);
      return group;
    } finally {
      if (!isStored) {
        group.undo();
        settle.length = 0;
      }
      bodies.release(isStored ? group.referred : []);
    }
  }

  #mayGoAtOnce(together: readonly Waiting[]): boolean {
    const { bodies, committed } = this.#parts;
    if (this.#careful > 0) {
      this.#careful--;
      return false;
    }
    // Readers may know already that another server committed.
    return (
      committed.epoch <= this.#working.epoch && !together.some(({ needsLock }) => needsLock) && bodies.fitsOneStatement
    );
  }

  /** Tells whether the statement stored the group. It did not if another server committed in between. */
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
      // A session that lives on has refused the statement. The end of one tells nothing about it.
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

  /** Stores a group and returns it, or null if it writes nothing. If it throws, nothing is stored, or nobody can tell. */
  async #groupOf(
    connection: DatabaseConnection,
    together: readonly Waiting[],
    settle: (() => void)[],
  ): Promise<TransactionGroup | null> {
    const { bodies } = this.#parts;
    const held = bodies.hold();
    let group: TransactionGroup | null = null;
    try {
      await this.#begin(connection, held);
      group = new TransactionGroup(connection, this.#working, bodies, held);
      await this.#runAll(group, together, settle);
      if (group.failure !== null) throw group.failure;
      if (!group.hasWrites) {
        await connection.script('rollback');
        bodies.release([]);
        return null;
      }
      await this.#finish(connection, group);
      bodies.release(group.referred);
      return group;
    } catch (error) {
      group?.undo();
      bodies.release([]);
      // Without a transaction the rollback only warns.
      if (connection.isOpen) connection.script('rollback').catch(() => connection.destroy());
      throw error;
    }
  }

  /** Begins, writes the blobs, takes the lock and learns what other servers committed, in one round trip. */
  async #begin(connection: DatabaseConnection, held: readonly number[]): Promise<void> {
    const { bodies, committed, onChanged } = this.#parts;
    const ask = (epoch: number) => changesAfter(epoch, connection.query);
    const [, , , first] = await connection.together(() =>
      Promise.all([
        connection.script('begin isolation level read committed read write'),
        bodies.write(connection, held),
        connection.query(LOCK_HEAD),
        ask(this.#working.epoch),
      ]),
    );
    const changes = await catchUp(this.#working, first, ask);
    // Whatever transactions know of other servers, readers may know too.
    if (committed.epoch < changes.epoch) {
      if (committed.epoch < changes.pruned) committed.clear();
      applyChanges(committed, changes);
      if (changes.rows.length > 0) onChanged([...changes.rows]);
    }
  }

  /** Runs the bodies of a group. Returns whether none threw. */
  async #runAll(group: TransactionGroup, together: readonly Waiting[], settle: (() => void)[]): Promise<boolean> {
    let areAllDone = true;
    this.#group = group;
    for (const { body, resolve, reject } of together) {
      if (group.failure !== null) break;
      try {
        const result = await group.run(() => body(this.#tx, group));
        settle.push(() => resolve(result));
      } catch (error) {
        areAllDone = false;
        settle.push(() => reject(error));
      }
    }
    this.#group = null;
    return areAllDone;
  }

  /** Commits. It settles once the outcome is known. */
  async #finish(connection: DatabaseConnection, group: TransactionGroup): Promise<void> {
    const end = this.#endOf(group);
    const [finished, committing] = connection.together(() => [
      group.finish(end),
      // The commit goes along. After a failed statement, PostgreSQL takes it for a rollback.
      connection.script('commit'),
    ]);
    const answer = await committing.then(
      () => null,
      (error: unknown) => ({ error }),
    );
    await finished;
    if (answer === null && group.failure !== null) throw group.failure;
    if (answer !== null && !(await this.#isCommitted(end.number))) throw answer.error;
    this.#follow(group, end.epoch);
  }

  #endOf(group: TransactionGroup): GroupEnd {
    const { channel, server } = this.#parts;
    const payload = writeNote({ server, commit: group.touched, settings: group.hasSettings });
    return { epoch: this.#working.epoch + 1, channel, payload, server, number: ++this.#groups };
  }

  /** Takes note that a group is stored. */
  #follow(group: TransactionGroup, epoch: number): void {
    const { committed } = this.#parts;
    this.#working.epoch = epoch;
    // A read may have seen this commit already, and later ones.
    if (committed.epoch < epoch) applyChanges(committed, { epoch, lastId: group.lastId, rows: group.smallChanges() });
  }

  /** Asks what became of a commit without an answer. Throws if the database can't tell. */
  async #isCommitted(number: number): Promise<boolean> {
    const { session, clock, log } = this.#parts;
    log.warn('the database gave no answer to a commit: it is asked for the outcome');
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

  /** Returns the number of the last group of this server that was committed. */
  async #lastCommit(): Promise<number> {
    const { session, server } = this.#parts;
    const connection = await session.connection();
    await connection.script('begin isolation level read committed read write');
    // Whoever commits holds this lock to the end. With it, nothing of this server is under way any more.
    await connection.query(LOCK_HEAD);
    const [row] = await connection.query(LAST_COMMIT, [server]);
    await connection.script('rollback');
    return numberColumn(row, 'number');
  }
}
