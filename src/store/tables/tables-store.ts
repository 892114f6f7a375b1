import type { KeyId, MailboxId, WebhookId } from '../../domain/ids.ts';
import type { Blobs, Commit, Reader, Store, StoreHealth, Tx } from '../../ports/store.ts';
import type { CommittedState } from './committed-state.ts';
import type { Home } from './messages/committed-messages.ts';
import type { Pending } from './pending.ts';
import { createReader, createTx } from './reader-and-tx.ts';
import type { Change, Put, State } from './state.ts';
import { WorkingState } from './working-state.ts';

// Two states: `working` is what transactions see, `committed` what is durable and what everybody else sees.
// A transaction is applied to `working` at once and to `committed` when its medium has it.

/** One transaction on its way to the medium. */
export interface Entry {
  readonly changes: readonly Change[];
  /** One for each change. */
  readonly pending: readonly Pending[];
  /** The place of its record, which the journal tells. */
  home: Home;
  readonly settled: { resolve(): void; reject(error: unknown): void };
  /** It copies rows as they are, so that the space they stood in is given back. */
  readonly isUpkeep: boolean;
}

/** What makes transactions durable, in the order it is given them. */
export interface Journal {
  readonly blobs: Blobs;
  readonly health: StoreHealth;
  /** Takes an entry; throws `disk_full` or `storage_unavailable` where it can't now. Later calls `committed` or `failed` of its {@link Ledger}. */
  append(entry: Entry): void;
  /** Settles once all that was appended is durable. */
  flushed(): Promise<void>;
  /** After `failed`: all that had been taken is undone, entries are welcome again. */
  resume(): void;
  reclaim(): Promise<void>;
  close(): Promise<void>;
  /** Looks whether what refused the last write still does. Never throws: `health` tells. */
  recheck(): Promise<void>;
  /** Sees to it that removals, and what gives space back, can be written. Never throws: the next append tells. */
  makeReady(): Promise<void>;
}

/** What a journal tells back. */
export interface Ledger {
  /** These are durable, in this order. */
  committed(entries: readonly Entry[]): void;
  /** None of these is, nor anything appended after them. */
  failed(entries: readonly Entry[], error: unknown): void;
}

/** Applies a change that became durable to the committed state, and whatever the medium counts. */
export type Apply = (change: Change, home: Home) => void;

/** The writes of a transaction so far, and how to take them back. */
interface Recording {
  readonly changes: Change[];
  readonly pending: Pending[];
}

/** A home for what stands in no log. */
const NOWHERE: Home = { segment: 0, offset: 0 };

export class TablesStore implements Store, Ledger {
  readonly read: Reader;
  readonly #working: WorkingState;
  readonly #apply: Apply;
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #tx: Tx;
  readonly #queue: (() => void)[] = [];
  #journal: Journal | null = null;
  #recording: Recording | null = null;
  #busy = false;
  #closed = false;

  /** `committed` is as it was recovered; from here on `apply` alone changes it. */
  constructor(committed: CommittedState, apply: Apply) {
    this.#apply = apply;
    this.#working = new WorkingState(committed);
    this.read = createReader(committed);
    this.#tx = createTx(this.#working, (change) => this.#write(change));
  }

  /** Binds the medium; before it nothing can be written. */
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
    const recording: Recording = { changes: [], pending: [] };
    let durable: Promise<void>;
    let result: T;
    try {
      const journal = this.#medium();
      this.#recording = recording;
      result = await body(this.#tx);
      if (recording.changes.length === 0) {
        // What it read may not be durable yet, and its answer must be.
        durable = journal.flushed();
      } else {
        const settled = deferred();
        durable = settled.promise;
        if (isUpkeep || recording.changes.some(([what]) => what !== 'put')) await journal.makeReady();
        // A refusal throws here, inside the lock, before anybody builds on what was written.
        journal.append({ ...recording, home: NOWHERE, settled, isUpkeep });
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

  /** A transaction of the store's own, on rows as they are. `build` sees the working state; what it returns is written. */
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
    const touched = new Touched();
    for (const { changes, pending, home } of entries) {
      changes.forEach((change, index) => {
        this.#apply(change, home);
        pending[index]?.settle();
        touched.by(change);
      });
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
    // A transaction in the middle of its body is undone by its own failing append, before the lock is ours.
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

/** Takes changes back, newest first. */
function undoAll(pending: readonly Pending[]): void {
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

/** What of a commit somebody may wait for. */
class Touched implements Commit {
  readonly mailboxIds = new Set<MailboxId>();
  readonly keyIds = new Set<KeyId>();
  readonly webhookIds = new Set<WebhookId>();
  feed = false;
  sends = false;

  get anything(): boolean {
    return this.feed || this.sends || this.mailboxIds.size + this.keyIds.size + this.webhookIds.size > 0;
  }

  by(change: Change): void {
    if (change[0] === 'put') this.#put(change);
    // Ids are written as text in a removal.
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
        // Removed and put back, as a reset does.
        else this.keyIds.delete(change[2].id);
        break;
      case 'requests':
        this.webhookIds.add(change[2].webhookId);
        this.feed = true;
        break;
      case 'sends':
        this.sends = true;
        break;
      case 'events':
        this.feed = true;
        if ('mailboxId' in change[2].data && change[2].data.mailboxId !== undefined)
          this.mailboxIds.add(change[2].data.mailboxId);
        break;
      default:
    }
  }
}
