import { refuse } from '../../domain/errors.ts';
import type { StoreHealth, Tx } from '../../ports/store.ts';
import { blobsOf, type Change, type LogPosition, type State } from '../tables/state.ts';
import type { StoredTransaction, Transactions, TransactionWrites, WorkingRows } from '../tables/transactions.ts';
import type { DirectoryWatch } from './directory-watch.ts';
import { type DiskReserve, isNoSpace } from './disk-reserve.ts';
import {
  arePrecious,
  frame,
  KIND,
  type Kind,
  SEGMENT_HEADER_BYTES,
  type StoreId,
  writeChanges,
  writeSegmentHeader,
} from './segment-format.ts';
import type { BlobPins, Segment, Segments } from './segments.ts';

// The way of a transaction, from top to bottom: it runs; what it wrote is checked and becomes a record; the records of
// one batch are written together and synced; then they are visible, and whoever waits is told. Below stands what happens
// if the disk refuses a write: the batch is undone, and the log accepts nothing until the content of the disk is known.

/** The number of queued bytes above which writers of blobs wait. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024;

interface CommitParts {
  readonly store: StoreId;
  readonly transactions: Transactions;
  readonly segments: Segments;
  readonly pins: BlobPins;
  readonly reserve: DiskReserve;
  /** If the directory was lost, nothing is written. */
  readonly directories: DirectoryWatch;
  readonly durability: 'fsync' | 'os';
  readonly segmentBytes: number;
  /** Records the valid length of each segment in the snapshot. Bytes beyond it do not count. */
  readonly writeManifest: () => Promise<void>;
  /** A segment was closed. */
  readonly onClosed: (segment: number) => void;
  /** Transactions are durable and visible. `freesSpace` tells whether one of them removed rows. */
  readonly onCommitted: (freesSpace: boolean) => void;
}

/** The point at which a log continues. */
export interface LogStart {
  readonly active: Segment | null;
  /** A number higher than every segment and every position in a snapshot. */
  readonly nextNumber: number;
  readonly position: LogPosition;
}

/** A transaction in a batch. */
interface Entry extends StoredTransaction {
  /** Tells whether it only copies rows to free space. */
  readonly isUpkeep: boolean;
}

/** A record, or the header of a segment. */
interface Piece {
  readonly segment: Segment;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly position: number;
}

/** The bytes that are written together. */
class Batch {
  readonly pieces: Piece[] = [];
  readonly entries: Entry[] = [];
  size = 0;
  /**
   * Tells whether it must be synced. A batch with only pieces of blobs need not be, because no row refers to them yet.
   */
  sync = false;
  /** Settles when the batch is stored and visible, or lost and undone. */
  readonly outcome = deferred();
  /** Resolves when the disk has taken or refused the batch. */
  readonly over = deferred();
}

/** The append-only log. Its records lie in segments, in the order in which they were appended. */
export class CommitLog {
  readonly #parts: CommitParts;
  /** The batch that takes records, and the one that is being written. */
  #filling = new Batch();
  #inFlight: Batch | null = null;
  #isRunning = false;
  #active: Segment | null;
  #nextNumber: number;
  #position: LogPosition;
  /** The segments with bytes that are written but not synced, with the end of these bytes. */
  readonly #unsynced = new Map<Segment, number>();
  /** The unsynced segments that were synced before their batch ended, because the next segment was started. */
  readonly #syncedTo = new Map<Segment, number>();
  /** Tells whether a batch failed and the transactions that depend on it are not undone yet. */
  #isUndoing = false;
  /** The segments with remains of a failed write that could not be cut off yet. */
  readonly #uncut = new Set<Segment>();
  /**
   * Tells whether a sync failed. The system may have dropped the bytes, and a later sync would not report it. Then the
   * lengths of the segments count only after a manifest is written.
   */
  #isDistrusted = false;
  #mending: Promise<void> | null = null;

  constructor(parts: CommitParts, start: LogStart) {
    this.#parts = parts;
    this.#active = start.active;
    this.#nextNumber = start.nextNumber;
    this.#position = start.position;
  }

  /** Runs a transaction. It settles once the writes are durable and visible. */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#commit(body, false);
  }

  /** Runs a transaction of the store itself. `build` gets the working state and returns the changes to write. */
  rewrite(build: (working: State) => readonly Change[]): Promise<void> {
    return this.#commit(async (_, { rows, write }) => build(rows).forEach(write), true);
  }

  async #commit<T>(body: (tx: Tx, working: WorkingRows) => Promise<T>, isUpkeep: boolean): Promise<T> {
    if (this.health !== 'ok') await this.recheck();
    const { result, accepted } = await this.#parts.transactions.run(body, async (writes) => {
      // The transaction only read, perhaps data that is not durable yet. It settles when that data is durable.
      if (writes.changes.length === 0) return { settled: this.flushed() };
      if (isUpkeep || writes.removes) await this.#parts.reserve.makeReady();
      return { settled: this.#accept(writes, isUpkeep) };
    });
    await accepted.settled;
    return result;
  }

  /**
   * Checks what a transaction wrote and appends it to the batch. Throws `storage_unavailable` or `disk_full`, and then
   * nothing of it was accepted.
   */
  #accept(writes: TransactionWrites, isUpkeep: boolean): Promise<void> {
    const { changes, removes, replaces } = writes;
    for (const change of changes) {
      if (change[0] !== 'put') continue;
      // A row must not refer to bytes that a failed write lost or that were erased.
      for (const ref of blobsOf(change)) {
        if (!this.#parts.segments.holds(ref)) throw refuse('storage_unavailable');
        this.#parts.pins.use(ref);
      }
    }
    const json = JSON.stringify(changes);
    const makesRoom = isUpkeep || removes;
    const home = this.append(KIND.changes, [writeChanges(json, this.#position, false)], makesRoom);
    // Rows that are written again are also written twice, because one record holds hundreds of them, and the record
    // that they came from is erased.
    if (isUpkeep || replaces || arePrecious(changes))
      this.append(KIND.changes, [writeChanges(json, this.#position, true)], makesRoom, home.segment);
    this.#filling.sync = true;
    this.#filling.entries.push({ writes, home, isUpkeep });
    return this.#filling.outcome.promise;
  }

  /**
   * Appends a record to the batch and returns the position of its payload. `makesRoom` lets it use the reserve. `into`
   * is the segment it must go to, even if that is full.
   */
  append(kind: Kind, parts: readonly Uint8Array[], makesRoom: boolean, into?: number): LogPosition {
    const { segmentBytes, reserve, directories } = this.#parts;
    if (this.#isUndoing || !this.#isKnown || directories.isLost) throw refuse('storage_unavailable');
    let length = 0;
    for (const part of parts) length += part.length;
    if (!makesRoom) reserve.take(length);
    const isFull = this.#active !== null && this.#active.size + length > segmentBytes;
    if (isFull && this.#active !== null && this.#active.size > SEGMENT_HEADER_BYTES && into === undefined) this.roll();
    const segment = this.#active ?? this.#open();
    const framed = frame(kind, parts, segment.size, segment.salt);
    this.#enqueue(segment, framed.bytes, framed.size);
    return { segment: segment.number, offset: framed.offset };
  }

  #open(): Segment {
    const { segments, store } = this.#parts;
    const segment = segments.add(this.#nextNumber++);
    this.#active = segment;
    const header = writeSegmentHeader(store, segment.number);
    this.#enqueue(segment, [header], header.length);
    return segment;
  }

  #enqueue(segment: Segment, bytes: readonly Uint8Array[], size: number): void {
    this.#filling.pieces.push({ segment, bytes, size, position: segment.size });
    this.#filling.size += size;
    segment.size += size;
    if (!this.#isRunning) void this.#run();
  }

  /**
   * Group commit: all transactions of one event-loop iteration, and those that arrive while the disk is busy, share one
   * write and one sync.
   */
  async #run(): Promise<void> {
    this.#isRunning = true;
    // Collects everything of this event-loop iteration.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#filling.pieces.length > 0) {
      const batch = this.#filling;
      this.#inFlight = batch;
      this.#filling = new Batch();
      try {
        await this.#write(batch);
        if (batch.sync) await this.#sync(batch);
        this.#publish(batch);
      } catch (cause) {
        await this.#lose(batch, cause);
      }
      this.#inFlight = null;
      batch.over.resolve();
    }
    this.#isRunning = false;
  }

  async #write({ pieces }: Batch): Promise<void> {
    for (let at = 0; at < pieces.length; ) {
      const first = pieces[at];
      if (first === undefined) break;
      const run: Uint8Array[] = [];
      let end = first.position;
      for (let piece = pieces[at]; piece?.segment === first.segment; piece = pieces[++at]) {
        for (const part of piece.bytes) run.push(part);
        end += piece.size;
      }
      // A segment is synced before the next one starts. A power cut can thus tear only the end of the last one.
      if (this.#parts.durability === 'fsync') await this.#syncAllBut(first.segment);
      this.#unsynced.set(first.segment, end);
      await this.#parts.segments.write(first.segment, joined(run, end - first.position), first.position);
    }
  }

  async #sync({ pieces, entries }: Batch): Promise<void> {
    const last = pieces.at(-1)?.segment ?? null;
    // Moved rows must be safe before their old place is freed. A closed segment is synced once under every durability
    // setting.
    const exempt = this.#parts.durability === 'fsync' || entries.some(({ isUpkeep }) => isUpkeep) ? null : last;
    await this.#syncAllBut(exempt);
    for (const [segment, end] of this.#unsynced) {
      segment.durable = end;
      if (segment !== last) await this.#parts.segments.seal(segment);
      if (segment !== exempt) this.#unsynced.delete(segment);
    }
    this.#syncedTo.clear();
  }

  async #syncAllBut(exempt: Segment | null): Promise<void> {
    try {
      for (const [segment, end] of this.#unsynced) {
        if (segment === exempt || this.#syncedTo.get(segment) === end) continue;
        await this.#parts.segments.sync(segment);
        this.#syncedTo.set(segment, end);
      }
    } catch (error) {
      this.#isDistrusted = true;
      throw error;
    }
  }

  /** The rows of a stored batch are visible from now on, and whoever waits is told. */
  #publish(batch: Batch): void {
    const { pieces, entries, sync } = batch;
    const last = pieces.at(-1);
    if (sync && last !== undefined)
      this.#position = { segment: last.segment.number, offset: last.position + last.size };
    if (entries.length > 0) {
      this.#parts.transactions.publish(entries);
      this.#parts.onCommitted(entries.some(({ writes, isUpkeep }) => writes.removes && !isUpkeep));
      this.#unpin(entries);
    }
    batch.outcome.resolve();
  }

  /** Undoes a batch that the disk refused and everything that was appended meanwhile. */
  async #lose(batch: Batch, cause: unknown): Promise<void> {
    this.#isUndoing = true;
    const meanwhile = this.#filling;
    this.#filling = new Batch();
    for (const segment of this.#unsynced.keys()) this.#uncut.add(segment);
    for (const { segment } of [...batch.pieces, ...meanwhile.pieces]) this.#uncut.add(segment);
    this.#unsynced.clear();
    this.#syncedTo.clear();
    for (const segment of this.#uncut) {
      segment.size = segment.durable;
      segment.isGivenUp = segment.durable === 0;
    }
    // The next record starts a new segment, so no position in the log is used twice.
    this.roll();
    await this.#parts.reserve.refused(cause);
    await this.#mend();
    meanwhile.over.resolve();
    const error = refuse(isNoSpace(cause) ? 'disk_full' : 'storage_unavailable', undefined, { cause });
    // The undo waits for the running transaction, which may wait for this batch to be over.
    void this.#undo([...batch.entries, ...meanwhile.entries]).then(() => {
      batch.outcome.reject(error);
      meanwhile.outcome.reject(error);
    });
  }

  async #undo(entries: readonly Entry[]): Promise<void> {
    this.#unpin(entries);
    const writes = entries.map((entry) => entry.writes);
    await this.#parts.transactions.undo(writes, () => {
      this.#isUndoing = false;
    });
  }

  /** Checks whether the cause of the last refusal persists. It never throws; the next write tells the result. */
  async recheck(): Promise<void> {
    await this.#parts.reserve.check();
    await this.#mend();
  }

  /** Tries to bring the disk back to a known state. It never throws; `health` tells the result. */
  async #mend(): Promise<void> {
    if (this.#isKnown) return;
    this.#mending ??= this.#cutRemains().finally(() => {
      this.#mending = null;
    });
    await this.#mending;
  }

  async #cutRemains(): Promise<void> {
    // The newest comes first, because a segment with a successor counts as complete.
    for (const segment of [...this.#uncut].sort((a, b) => b.number - a.number)) {
      try {
        await this.#parts.segments.cutBack(segment);
        this.#uncut.delete(segment);
      } catch {
        this.#isDistrusted = true;
        break;
      }
    }
    if (!this.#isDistrusted) return;
    try {
      await this.#parts.writeManifest();
      this.#isDistrusted = false;
      this.#uncut.clear();
    } catch {
      // The next write tries again.
    }
  }

  get health(): StoreHealth {
    const { directories, reserve } = this.#parts;
    if (directories.isLost) return 'storage_lost';
    if (reserve.isFull) return 'disk_full';
    return this.#isKnown ? 'ok' : 'storage_unavailable';
  }

  /** Tells whether a write may be refused although a new check might allow it. */
  get isInDoubt(): boolean {
    return this.#parts.reserve.isTight || !this.#isKnown;
  }

  /** Tells whether the content of the disk is known. */
  get #isKnown(): boolean {
    return this.#uncut.size === 0 && !this.#isDistrusted;
  }

  /** The end of the committed records. */
  get position(): LogPosition {
    return this.#position;
  }

  get activeNumber(): number | null {
    return this.#active?.number ?? null;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Closes the active segment, so that it can be reclaimed. The next record opens a new one. */
  roll(): void {
    if (this.#active !== null) this.#parts.onClosed(this.#active.number);
    this.#active = null;
  }

  /** Waits until few enough bytes are queued, so that memory stays bounded. */
  async drained(): Promise<void> {
    while (this.#filling.size > HIGH_WATER_BYTES) await (this.#inFlight ?? this.#filling).over.promise;
  }

  /** Waits until everything appended so far is stored or lost. */
  async flushed(): Promise<void> {
    await (this.#filling.pieces.length > 0 ? this.#filling : this.#inFlight)?.over.promise;
  }

  #unpin(entries: readonly Entry[]): void {
    for (const { writes } of entries) {
      for (const change of writes.changes) if (change[0] === 'put') this.#parts.pins.release(blobsOf(change));
    }
  }
}

/**
 * The average part size in bytes below which parts are joined. Many small parts cost more to pass to the system than to
 * copy.
 */
const COPY_BYTES = 4 * 1024;

function joined(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return bytes < parts.length * COPY_BYTES ? [Buffer.concat(parts, bytes)] : parts;
}

function deferred() {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // A batch without transactions has nobody who waits for its outcome.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
