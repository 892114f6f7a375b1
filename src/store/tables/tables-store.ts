import type { Blobs, Commit, Reader, Store, StoreHealth, Tx } from '../../ports/store.ts';
import { readMailboxes, readMessages, writeMailboxes, writeMessages } from './aggregates/mailboxes.ts';
import type { Write } from './aggregates/rows.ts';
import { readSends, readSuppression, writeSends, writeSuppression } from './aggregates/sends.ts';
import { readRequests, readWebhooks, writeRequests, writeWebhooks } from './aggregates/webhooks.ts';
import {
  readAuthenticators,
  readGroups,
  readIdempotency,
  readIdentities,
  readKeys,
  readSettings,
  readWorkspaces,
  writeAuthenticators,
  writeGroups,
  writeIdempotency,
  writeIdentities,
  writeKeys,
  writeSettings,
  writeWorkspaces,
} from './aggregates/workspaces.ts';
import type { CommittedState } from './committed-state.ts';
import { readEvents, writeEvents } from './feed.ts';
import type { Home } from './messages/committed-messages.ts';
import { WorkingMessages } from './messages/working-messages.ts';
import { type Change, feedIdIn, type PendingChange, State, TABLES } from './state.ts';
import { CommitScope } from './touched.ts';

// The store has two states. Transactions see `working`; all other readers see `committed`, which is durable. A
// transaction changes `working` at once, and `committed` after the medium has stored it.

/** One transaction that is being written to the medium. */
export interface Entry {
  readonly changes: readonly Change[];
  /** The pending changes, one for each change. */
  readonly pending: readonly PendingChange[];
  /** The position of its record. The journal sets it. */
  home: Home;
  readonly settled: { resolve(): void; reject(error: unknown): void };
  /** Tells whether it only copies rows to free space. */
  readonly isUpkeep: boolean;
  /** Tells whether it removes rows. */
  readonly removes: boolean;
}

/** The medium that makes transactions durable, in the order in which it gets them. */
export interface Journal {
  readonly blobs: Blobs;
  readonly health: StoreHealth;
  /**
   * Appends an entry. Throws `disk_full` or `storage_unavailable` if that is not possible now. Later it calls
   * `committed` or `failed` of its {@link Ledger}.
   */
  append(entry: Entry): void;
  /** Settles once everything appended is durable. */
  flushed(): Promise<void>;
  /** Accepts entries again after `failed`. The caller has undone the failed ones. */
  resume(): void;
  reclaim(): Promise<void>;
  close(): Promise<void>;
  /** Checks whether the cause of the last refusal persists. It never throws; `health` has the result. */
  recheck(): Promise<void>;
  /**
   * Makes room for removals and for copies that free space. It never throws; the next append throws if there is no
   * room.
   */
  makeReady(): Promise<void>;
}

/** The callbacks of a journal. */
export interface Ledger {
  /** The entries are durable, in this order. */
  committed(entries: readonly Entry[]): void;
  /** Neither these entries nor any appended after them are durable. */
  failed(entries: readonly Entry[], error: unknown): void;
}

/** Applies a durable change to the committed state and to the medium's accounting. */
export type Apply = (change: Change, home: Home) => void;

/** The writes of a running transaction, and the means to undo them. */
interface Recording {
  readonly changes: Change[];
  readonly pending: PendingChange[];
  removes: boolean;
}

/** The home of a row that is in no log. */
const NOWHERE: Home = { segment: 0, offset: 0 };

export class TablesStore implements Store, Ledger {
  readonly read: Reader;
  readonly #now: Promise<Reader>;
  readonly #working: WorkingState;
  readonly #apply: Apply;
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #tx: Tx;
  readonly #queue: (() => void)[] = [];
  #journal: Journal | null = null;
  #recording: Recording | null = null;
  #busy = false;
  #closed = false;

  /** `committed` is the recovered state. From now on only `apply` changes it. */
  constructor(committed: CommittedState, apply: Apply) {
    this.#apply = apply;
    this.#working = new WorkingState(committed);
    this.read = createReader(committed);
    this.#now = Promise.resolve(this.read);
    this.#tx = createTx(this.#working, (change) => this.#write(change));
  }

  readNow(): Promise<Reader> {
    return this.#now;
  }

  /** Attaches the medium. No transaction can run before. */
  attach(journal: Journal): this {
    this.#journal = journal;
    return this;
  }

  get blobs(): Blobs {
    return this.#medium().blobs;
  }

  get health(): StoreHealth {
    return this.#medium().health;
  }

  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transact(body, false);
  }

  async #transact<T>(body: (tx: Tx) => Promise<T>, isUpkeep: boolean): Promise<T> {
    if (this.#journal !== null && this.#journal.health !== 'ok') await this.#journal.recheck();
    await this.#lock();
    const recording: Recording = { changes: [], pending: [], removes: false };
    let durable: Promise<void>;
    let result: T;
    try {
      const journal = this.#medium();
      this.#recording = recording;
      result = await body(this.#tx);
      if (recording.changes.length === 0) {
        // The transaction only read, perhaps data that is not durable yet. It settles when that data is durable.
        durable = journal.flushed();
      } else {
        const settled = deferred();
        durable = settled.promise;
        if (isUpkeep || recording.removes) await journal.makeReady();
        // A refusal throws here, while the lock is held, before another transaction depends on the writes.
        const { changes, pending, removes } = recording;
        journal.append({ changes, pending, home: NOWHERE, settled, isUpkeep, removes });
      }
    } catch (error) {
      undoAll(recording.pending);
      throw error;
    } finally {
      this.#recording = null;
      this.#unlock();
    }
    await durable;
    return result;
  }

  /** Runs a transaction of the store itself. `build` gets the working state and returns the changes to write. */
  async rewrite(build: (state: State) => readonly Change[]): Promise<void> {
    await this.#transact(async () => {
      for (const change of build(this.#working)) this.#write(change);
    }, true);
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  committed(entries: readonly Entry[]): void {
    const touched = new CommitScope();
    for (const { changes, pending, home } of entries) {
      for (const [index, change] of changes.entries()) {
        this.#apply(change, home);
        pending[index]?.settle();
        touched.by(change);
      }
    }
    for (const entry of entries) entry.settled.resolve();
    if (touched.anything) for (const listener of this.#listeners) listener(touched);
  }

  failed(entries: readonly Entry[], error: unknown): void {
    void this.#undo(entries, error);
  }

  reclaim(): Promise<void> {
    return this.#medium().reclaim();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#lock();
    this.#closed = true;
    this.#unlock();
    await this.#journal?.close();
  }

  #medium(): Journal {
    if (this.#journal === null || this.#closed) throw new Error('the store is closed');
    return this.#journal;
  }

  async #undo(entries: readonly Entry[], error: unknown): Promise<void> {
    // A running transaction is undone by its own failing append before this lock is acquired.
    await this.#lock();
    for (let i = entries.length - 1; i >= 0; i--) undoAll(entries[i]?.pending ?? []);
    this.#journal?.resume();
    this.#unlock();
    for (const entry of entries) entry.settled.reject(error);
  }

  #write(change: Change): void {
    if (this.#recording === null) throw new Error('the transaction is over');
    this.#recording.pending.push(this.#working.apply(change));
    this.#recording.changes.push(change);
    if (change[0] !== 'put') this.#recording.removes = true;
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

/** Undoes changes, the newest first. */
function undoAll(pending: readonly PendingChange[]): void {
  for (let i = pending.length - 1; i >= 0; i--) pending[i]?.undo();
}

function deferred(): { promise: Promise<void>; resolve(): void; reject(error: unknown): void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
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
    this.told(committed.newestFeedId);
  }

  /** Applies a change. The caller later settles or undoes it. */
  apply(change: Change): PendingChange {
    switch (change[0]) {
      case 'put': {
        const [, name, row] = change;
        if (name === 'messages') {
          const pending = this.messages.put(row);
          this.told(row.id);
          return pending;
        }
        this.told(feedIdIn(name, row));
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
    workspaces: readWorkspaces(state),
    keys: readKeys(state),
    groups: readGroups(state),
    authenticators: readAuthenticators(state),
    mailboxes: readMailboxes(state),
    messages: readMessages(state),
    identities: readIdentities(state),
    suppression: readSuppression(state),
    sends: readSends(state),
    webhooks: readWebhooks(state),
    requests: readRequests(state),
    events: readEvents(state),
    idempotency: readIdempotency(state),
    settings: readSettings(state),
    counts: async () => ({
      workspaces: state.workspaces.size,
      mailboxes: state.mailboxes.size,
      messages: state.messages.size,
      storedBytes: state.storedBytes.total,
      capturedBytes: state.heldByWebhook.total,
    }),
  };
}

/**
 * Creates the reads and writes of a transaction. Each write calls `write`, which applies it to `state` at once and
 * records it.
 */
export function createTx(state: State, write: Write): Tx {
  const reader = createReader(state);
  return {
    ...reader,
    workspaces: { ...reader.workspaces, ...writeWorkspaces(state, write) },
    keys: { ...reader.keys, ...writeKeys(state, write) },
    groups: { ...reader.groups, ...writeGroups(state, write) },
    authenticators: { ...reader.authenticators, ...writeAuthenticators(write) },
    mailboxes: { ...reader.mailboxes, ...writeMailboxes(state, write) },
    messages: { ...reader.messages, ...writeMessages(state, write) },
    identities: { ...reader.identities, ...writeIdentities(write) },
    suppression: { ...reader.suppression, ...writeSuppression(state, write) },
    sends: { ...reader.sends, ...writeSends(state, write) },
    webhooks: { ...reader.webhooks, ...writeWebhooks(state, write) },
    requests: { ...reader.requests, ...writeRequests(state, write) },
    events: { ...reader.events, ...writeEvents(state, write) },
    idempotency: { ...reader.idempotency, ...writeIdempotency(state, write) },
    settings: { ...reader.settings, ...writeSettings(write) },
  };
}
