import type { KeyId, MailboxId, WebhookId } from '../../domain/ids.ts';
import type { Commit, Reader, Tx } from '../../ports/store.ts';
import { readMessages, writeMessages } from './aggregates/mailboxes.ts';
import type { Write } from './aggregates/rows.ts';
import { readSends, writeSends } from './aggregates/sends.ts';
import { readSmall, withWrites, writeSmall } from './aggregates/small.ts';
import { readRequests, writeRequests } from './aggregates/webhooks.ts';
import { readIdempotency, writeIdempotency } from './aggregates/workspaces.ts';
import type { CommittedState } from './committed-state.ts';
import { readEvents, writeEvents } from './feed.ts';
import { WorkingMessages } from './messages/working-messages.ts';
import { type Change, feedIdIn, type LogPosition, type PendingChange, type Put, State, TABLES } from './state.ts';

// The store has two states. Transactions see `working`; all other readers see `committed`, which is durable. A
// transaction changes `working` at once, and `committed` after the medium has stored it.

/** The writes of a transaction: `working` has them, `committed` does not have them yet. */
export class TransactionWrites {
  readonly changes: Change[] = [];
  /** The pending changes, one for each change. */
  readonly pending: PendingChange[] = [];

  get removes(): boolean {
    return this.changes.some(([what]) => what !== 'put');
  }

  /** Tells whether it replaces rows of messages. */
  get replaces(): boolean {
    return this.pending.some(({ replaces }) => replaces);
  }

  /** Undoes them in the working state, the newest change first. */
  undo(): void {
    for (const change of this.pending.reverse()) change.undo();
  }
}

/** A transaction that a medium stores. */
export interface StoredTransaction {
  readonly writes: TransactionWrites;
  /** The position of its record. */
  readonly home: LogPosition;
}

/** The rows under a transaction, for a store's own work. */
export interface WorkingRows {
  readonly rows: State;
  readonly write: (change: Change) => void;
}

/** Applies a durable change to the committed state and to the medium's accounting. */
type Apply = (change: Change, home: LogPosition) => void;

/** Runs the transactions of a store one after the other, and makes those visible that its medium has stored. */
export class Transactions {
  readonly read: Reader;
  readonly #now: Promise<Reader>;
  readonly #working: WorkingState;
  readonly #apply: Apply;
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #tx: Tx;
  readonly #rows: WorkingRows;
  readonly #queue: (() => void)[] = [];
  #recording: TransactionWrites | null = null;
  #busy = false;
  #closed = false;

  /** `committed` is the recovered state. From now on only `apply` changes it. */
  constructor(committed: CommittedState, apply: Apply) {
    this.#apply = apply;
    this.#working = new WorkingState(committed);
    this.read = createReader(committed);
    this.#now = Promise.resolve(this.read);
    const write = (change: Change) => this.#write(change);
    this.#tx = createTx(this.#working, write);
    this.#rows = { rows: this.#working, write };
  }

  readNow(): Promise<Reader> {
    return this.#now;
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs `body` while no other transaction runs, then `accept`, which passes what `body` wrote to the medium. If either
   * throws, the writes are undone before another transaction depends on them.
   */
  async run<T, Accepted>(
    body: (tx: Tx, working: WorkingRows) => Promise<T>,
    accept: (writes: TransactionWrites) => Accepted | Promise<Accepted>,
  ): Promise<{ readonly result: T; readonly accepted: Accepted }> {
    await this.#lock();
    const recording = new TransactionWrites();
    try {
      this.checkOpen();
      this.#recording = recording;
      const result = await body(this.#tx, this.#rows);
      return { result, accepted: await accept(recording) };
    } catch (error) {
      recording.undo();
      throw error;
    } finally {
      this.#recording = null;
      this.#unlock();
    }
  }

  /** Makes durable transactions visible, in this order, and tells the listeners once. */
  publish(transactions: readonly StoredTransaction[]): void {
    const touched = new CommitScope();
    for (const { writes, home } of transactions) {
      for (const [index, change] of writes.changes.entries()) {
        this.#apply(change, home);
        writes.pending[index]?.settle();
        touched.by(change);
      }
    }
    if (touched.anything) for (const listener of this.#listeners) listener(touched);
  }

  /** Undoes transactions that the medium lost. `thenResume` lets it accept others again. */
  async undo(transactions: readonly TransactionWrites[], thenResume: () => void): Promise<void> {
    // A running transaction is undone by its own refusal before this lock is acquired.
    await this.#lock();
    for (const writes of [...transactions].reverse()) writes.undo();
    thenResume();
    this.#unlock();
  }

  /** Throws if the store is closed. */
  checkOpen(): void {
    if (this.#closed) throw new Error('the store is closed');
  }

  /** Waits for the running transaction and refuses all others. */
  async close(): Promise<void> {
    await this.#lock();
    this.#closed = true;
    this.#unlock();
  }

  #write(change: Change): void {
    if (this.#recording === null) throw new Error('the transaction is over');
    this.#recording.pending.push(this.#working.apply(change));
    this.#recording.changes.push(change);
  }

  #lock(): Promise<void> | void {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  #unlock(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}

/** The rows that transactions see: the durable rows, and their own writes that are not durable yet. */
class WorkingState extends State<WorkingMessages> {
  /** Starts as a copy of the committed state. The rows themselves are shared. */
  constructor(committed: CommittedState) {
    super(new WorkingMessages(committed.messages));
    for (const name of TABLES) {
      const table = this.table(name);
      // The messages come from the committed table.
      if (table !== null) for (const [, , row] of committed.puts(name)) table.put(row);
    }
    this.learn(committed.newestFeedId);
  }

  /** Applies a change. The caller later settles or undoes it. */
  apply(change: Change): PendingChange {
    switch (change[0]) {
      case 'put': {
        const [, name, row] = change;
        if (name === 'messages') {
          const pending = this.messages.put(row);
          this.learn(row.id);
          return pending;
        }
        this.learn(feedIdIn(name, row));
        const old = this.table(name)?.put(row);
        return undoneBy(() => {
          if (old === undefined) this.table(name)?.remove(row.id);
          else this.table(name)?.put(old);
        });
      }
      case 'remove': {
        const [, name, id] = change;
        const table = this.table(name);
        if (table === null) return this.messages.remove(id);
        const old = table.remove(id);
        return undoneBy(() => {
          if (old !== undefined) table.put(old);
        });
      }
      case 'clear': {
        const [, groupId, upTo, requests] = change;
        if (requests === undefined) return this.messages.clear(groupId, upTo);
        const doomed = this.requestsUpTo(groupId, upTo);
        for (const { id } of doomed) this.requests.remove(id);
        return undoneBy(() => {
          for (const row of doomed) this.requests.put(row);
        });
      }
    }
  }
}

/** Creates a pending change that needs no action when it is settled, because both states hold the rows. */
function undoneBy(undo: () => void): PendingChange {
  return { undo, settle: () => {} };
}

/** Creates the reader of a state. No read scans rows that it does not return. */
export function createReader(state: State): Reader {
  return {
    ...readSmall(state),
    messages: readMessages(state),
    sends: readSends(state),
    requests: readRequests(state),
    events: readEvents(state),
    idempotency: readIdempotency(state),
    counts: async () => ({
      workspaces: state.workspaces.size,
      mailboxes: state.mailboxes.size,
      messages: state.messages.size,
      storedBytes: state.messages.bytes,
      capturedBytes: state.heldByWebhook.total,
    }),
  };
}

/**
 * Creates the reads and writes of a transaction. Each write calls `write`, which applies it to `state` at once and
 * records it.
 */
export function createTx(state: State, write: Write): Tx {
  return withWrites(createReader(state), {
    ...writeSmall(state, write),
    messages: writeMessages(state, write),
    sends: writeSends(state, write),
    requests: writeRequests(state, write),
    events: writeEvents(state, write),
    idempotency: writeIdempotency(state, write),
  });
}

/** Collects the changes of a commit for its listeners. */
export class CommitScope implements Commit {
  readonly mailboxIds = new Set<MailboxId>();
  readonly keyIds = new Set<KeyId>();
  readonly webhookIds = new Set<WebhookId>();
  feed = false;
  sends = false;
  due = false;
  clocks = false;
  readonly all = false;

  get anything(): boolean {
    return (
      this.feed ||
      this.sends ||
      this.due ||
      this.clocks ||
      this.mailboxIds.size + this.keyIds.size + this.webhookIds.size > 0
    );
  }

  by(change: Change): void {
    if (change[0] === 'put') this.#put(change);
    // The casts are safe: a removal holds the id as text.
    else if (change[0] === 'remove' && change[1] === 'mailboxes') this.mailboxIds.add(change[2] as MailboxId);
    else if (change[0] === 'remove' && change[1] === 'keys') this.keyIds.add(change[2] as KeyId);
    else if (change[0] === 'remove' && change[1] === 'webhooks') this.webhookIds.add(change[2] as WebhookId);
  }

  #put(change: Put): void {
    switch (change[1]) {
      case 'messages':
        this.mailboxIds.add(change[2].mailboxId);
        this.feed = true;
        break;
      case 'keys':
        if (change[2].revokedAt !== null) this.keyIds.add(change[2].id);
        // A reset removes a key and puts it back.
        else this.keyIds.delete(change[2].id);
        break;
      case 'requests':
        this.webhookIds.add(change[2].webhookId);
        this.feed = true;
        break;
      case 'sends':
        this.sends = true;
        break;
      case 'providerRecords':
        if (change[2].dueAt !== undefined) this.due = true;
        break;
      case 'events':
        this.feed = true;
        if (change[2].type === 'clock.set' || change[2].type === 'reset') this.clocks = true;
        if ('mailboxId' in change[2].data && change[2].data.mailboxId !== undefined)
          this.mailboxIds.add(change[2].data.mailboxId);
        break;
      default:
    }
  }
}
