import { refuse } from '../../domain/errors.ts';
import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import { wholeOf } from '../concat.ts';
import { blobsOf } from '../tables/state.ts';
import type { Entry, Ledger } from '../tables/tables-store.ts';
import { arePrecious, writeChanges } from './changes-record.ts';
import { BlobGone } from './errors.ts';
import { type Extent, extentKey, readRef, writeRef } from './extent.ts';
import { isNoSpace, type Room } from './room.ts';
import { frame, KIND, type Kind, SEGMENT_HEADER_BYTES, type StoreId, writeSegmentHeader } from './segment-format.ts';
import type { Segment, Segments } from './segments.ts';
import type { Position } from './snapshot.ts';

/** The size in bytes of the records into which a blob of unknown length is split. */
const CHUNK_BYTES = 128 * 1024;
/** The number of queued bytes above which writers wait. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024;

/** The parts of a log and its callbacks. */
interface LogParts {
  readonly store: StoreId;
  readonly segments: Segments;
  readonly room: Room;
  readonly ledger: Ledger;
  readonly durability: 'fsync' | 'os';
  readonly segmentBytes: number;
  /** Tells whether the directory was lost. If so, nothing is written. */
  readonly isLost: () => boolean;
  readonly writeManifest: () => Promise<void>;
  /** A segment was closed. */
  readonly onClosed: (segment: number) => void;
}

/** The point at which a log continues. */
export interface LogStart {
  readonly active: Segment | null;
  /** A number higher than every segment and every position in a snapshot. */
  readonly nextNumber: number;
  readonly position: Position;
}

/** The append-only log. Its records lie in segments, in the order in which they were appended. */
export class RecordLog implements Blobs, CommitListener {
  readonly #parts: LogParts;
  readonly #commit: GroupCommit;
  readonly #pins = new Pins();
  readonly #moves = new Map<BlobRef, BlobRef>();
  /** The blobs that may be erased soon, and those among them to which a new row refers. */
  #watched: { readonly keys: ReadonlySet<number>; readonly used: Set<number> } | null = null;
  #active: Segment | null;
  #nextNumber: number;
  #position: Position;

  constructor(parts: LogParts, start: LogStart) {
    this.#parts = parts;
    this.#active = start.active;
    this.#nextNumber = start.nextNumber;
    this.#position = start.position;
    this.#commit = new GroupCommit(parts.segments, parts.durability, this);
  }

  /** The end of the committed records. */
  get position(): Position {
    return this.#position;
  }

  get activeNumber(): number | null {
    return this.#active?.number ?? null;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Tells whether the content of the disk is known. False after a failure until it is repaired. */
  get isKnown(): boolean {
    return this.#commit.isKnown;
  }

  /** Appends an entry. Throws `storage_unavailable` or `disk_full`, and then nothing of the entry was accepted. */
  append(entry: Entry): void {
    const makesRoom = entry.isUpkeep || entry.removes;
    for (const change of entry.changes) {
      if (change[0] !== 'put') continue;
      // A row must not refer to bytes that a failed write lost or that were erased.
      for (const ref of blobsOf(change)) {
        if (!this.#parts.segments.holds(ref)) throw refuse('storage_unavailable');
        if (this.#watched !== null) for (const extent of readRef(ref)) this.#use(extentKey(extent));
      }
    }
    const changes = JSON.stringify(entry.changes);
    entry.home = this.#append(KIND.changes, [writeChanges(changes, this.#position, false)], makesRoom);
    // Moved rows are also written twice, because one record holds hundreds of them.
    if (entry.isUpkeep || arePrecious(entry.changes))
      this.#append(KIND.changes, [writeChanges(changes, this.#position, true)], makesRoom, entry.home.segment);
    this.#commit.commit(entry);
  }

  async put(part: Uint8Array): Promise<BlobRef> {
    if (this.#isInDoubt) await this.recheck();
    const extents = [{ ...this.#append(KIND.blob, [part], false), length: part.length }];
    const ref = writeRef(extents);
    this.#pins.hold(ref, extents);
    return ref;
  }

  writer(): BlobWriter {
    return this.#writer(false);
  }

  /** Opens a writer for copies that free space. It may use the room reserved for removals. */
  copyWriter(): BlobWriter {
    return this.#writer(true);
  }

  #writer(makesRoom: boolean): BlobWriter {
    const extents: Extent[] = [];
    let chunks: Uint8Array[] = [];
    let size = 0;
    const flush = () => {
      const extent = { ...this.#append(KIND.blob, chunks, makesRoom), length: size };
      this.#pins.pin(extent);
      extents.push(extent);
      chunks = [];
      size = 0;
    };
    const unpin = () => {
      for (const extent of extents) this.#pins.unpin(extent);
    };
    return {
      write: async (chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < CHUNK_BYTES) return;
        if (!makesRoom && this.#isInDoubt) await this.recheck();
        flush();
        while (this.#commit.backlogBytes > HIGH_WATER_BYTES) await this.#commit.turn();
      },
      finish: async () => {
        if (!makesRoom && this.#isInDoubt) await this.recheck();
        if (size > 0 || extents.length === 0) flush();
        const ref = writeRef(extents);
        this.#pins.hold(ref, [...extents]);
        unpin();
        return ref;
      },
      abort: () => {
        unpin();
        extents.length = 0;
        chunks = [];
        size = 0;
      },
    };
  }

  /**
   * Starts to record which of these blobs new rows refer to. The returned function ends the recording and returns those
   * blobs.
   */
  watch(keys: ReadonlySet<number>): () => ReadonlySet<number> {
    const watched = { keys, used: new Set<number>() };
    this.#watched = watched;
    return () => {
      this.#watched = null;
      return watched.used;
    };
  }

  #use(key: number): void {
    if (this.#watched?.keys.has(key)) this.#watched.used.add(key);
  }

  /** Discards blobs. Their bytes become dead, and a later reclaim frees their segment. */
  discard(refs: readonly BlobRef[]): void {
    for (const ref of refs) this.#pins.release(ref);
  }

  /** Tells whether a segment holds bytes whose transaction is not committed yet. */
  isPinned(segment: number): boolean {
    return this.#pins.has(segment);
  }

  read(ref: BlobRef): Promise<Buffer> {
    return wholeOf(this.stream(ref));
  }

  async *stream(ref: BlobRef): AsyncGenerator<Buffer> {
    for (let done = 0, current = this.#whereabouts(ref); ; ) {
      try {
        for await (const piece of this.#parts.segments.read(readRef(current), done)) {
          done += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        // The blob moved during the read, so the rest comes from the copy.
        const moved = this.#whereabouts(ref);
        if (!(error instanceof BlobGone) || moved === current) throw error;
        current = moved;
      }
    }
  }

  #whereabouts(ref: BlobRef): BlobRef {
    let current = ref;
    for (let next = this.#moves.get(ref); next !== undefined; next = this.#moves.get(next)) current = next;
    return current;
  }

  /** Records that a blob has a durable copy. Readers with the old row find it until the next reclaim. */
  moved(from: BlobRef, to: BlobRef): void {
    this.#moves.set(from, to);
  }

  forgetMoves(): void {
    this.#moves.clear();
  }

  flushed(): Promise<void> {
    return this.#commit.flushed();
  }

  resume(): void {
    this.#commit.resume();
  }

  /** Tells whether a write may be refused although a new check might allow it. */
  get #isInDoubt(): boolean {
    return this.#parts.room.isTight || !this.#commit.isKnown;
  }

  /** Checks whether the cause of the last refusal persists. It never throws; the next write tells the result. */
  async recheck(): Promise<void> {
    await this.#parts.room.check();
    await this.#commit.mend();
  }

  stored(entries: readonly Entry[], position: Position | null): void {
    if (position !== null) this.#position = position;
    if (entries.length > 0) this.#parts.ledger.committed(entries);
    this.#release(entries);
  }

  broken(): void {
    // The next record starts a new segment, so no position in the log is used twice.
    this.roll();
  }

  lost(entries: readonly Entry[], error: unknown): void {
    this.#parts.ledger.failed(entries, error);
    this.#release(entries);
  }

  refused(cause: unknown): Promise<void> {
    return this.#parts.room.refused(cause);
  }

  writeManifest(): Promise<void> {
    return this.#parts.writeManifest();
  }

  /** Closes the active segment, so that it can be reclaimed. The next record opens a new one. */
  roll(): void {
    if (this.#active !== null) this.#parts.onClosed(this.#active.number);
    this.#active = null;
  }

  /** Appends a record. `into` is the segment it must go to, even if that is full. */
  #append(
    kind: Kind,
    parts: readonly Uint8Array[],
    makesRoom: boolean,
    into?: number,
  ): { segment: number; offset: number } {
    const { segmentBytes, room, isLost } = this.#parts;
    if (this.#commit.failed || isLost()) throw refuse('storage_unavailable');
    let length = 0;
    for (const part of parts) length += part.length;
    if (!makesRoom) room.take(length);
    const isFull = this.#active !== null && this.#active.size + length > segmentBytes;
    if (isFull && this.#active !== null && this.#active.size > SEGMENT_HEADER_BYTES && into === undefined) this.roll();
    const segment = this.#active ?? this.#open();
    const framed = frame(kind, parts, segment.size, segment.salt);
    this.#commit.enqueue(segment, framed.bytes, framed.size);
    return { segment: segment.number, offset: framed.offset };
  }

  #open(): Segment {
    const { segments, store } = this.#parts;
    const segment = segments.add(this.#nextNumber++);
    this.#active = segment;
    const header = writeSegmentHeader(store, segment.number);
    this.#commit.enqueue(segment, [header], header.length);
    return segment;
  }

  #release(entries: readonly Entry[]): void {
    for (const { changes } of entries) {
      for (const change of changes) {
        if (change[0] === 'put') for (const ref of blobsOf(change)) this.#pins.release(ref);
      }
    }
  }
}

interface Piece {
  readonly segment: Segment;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly position: number;
}

/** The bytes that are written together. */
interface Batch {
  readonly pieces: Piece[];
  readonly entries: Entry[];
  size: number;
  /**
   * Tells whether it must be synced. A batch with only pieces of blobs need not be, because no row refers to them yet.
   */
  sync: boolean;
  /** Resolves when the batch is stored or failed. */
  readonly done: Promise<void>;
  finish(): void;
}

function newBatch(): Batch {
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { pieces: [], entries: [], size: 0, sync: false, done, finish };
}

/** The callbacks for the outcome of a batch. */
interface CommitListener {
  /**
   * The entries are durable, and so is everything before `position`. Null means that bytes were written without a sync.
   */
  stored(entries: readonly Entry[], position: Position | null): void;
  /** A batch failed. The active segment accepts nothing more. */
  broken(): void;
  /** The entries are not durable and never will be. */
  lost(entries: readonly Entry[], error: unknown): void;
  /** The disk refused a write. It settles once the immediate remedies are done. */
  refused(cause: unknown): Promise<void>;
  /** Records the valid length of each segment in the snapshot. Bytes beyond it do not count. */
  writeManifest(): Promise<void>;
}

/**
 * Group commit: all entries of one event-loop iteration, and those that arrive while the disk is busy, share one write
 * and one sync. After a failure it accepts nothing until the content of the disk is known again.
 */
class GroupCommit {
  readonly #segments: Segments;
  readonly #durability: 'fsync' | 'os';
  readonly #outcome: CommitListener;
  #filling = newBatch();
  #inFlight: Batch | null = null;
  #running = false;
  /** Tells whether a batch failed and the transactions that depend on it are not undone yet. */
  #undoing = false;
  /** The segments with bytes that are written but not synced, with the end of these bytes. */
  readonly #unsynced = new Map<Segment, number>();
  /** The unsynced segments that were synced before their batch ended, because the next segment was started. */
  readonly #syncedTo = new Map<Segment, number>();
  /** The segments with remains of a failed write that could not be cut off yet. */
  readonly #uncut = new Set<Segment>();
  /**
   * Tells whether a sync failed. The system may have dropped the bytes, and a later sync would not report it. Then the
   * lengths of the segments count only after a manifest is written.
   */
  #distrusted = false;
  #mending: Promise<void> | null = null;

  constructor(segments: Segments, durability: 'fsync' | 'os', outcome: CommitListener) {
    this.#segments = segments;
    this.#durability = durability;
    this.#outcome = outcome;
  }

  /** Tells whether nothing may be enqueued now. */
  get failed(): boolean {
    return this.#undoing || !this.isKnown;
  }

  /** Tells whether the content of the disk is known. */
  get isKnown(): boolean {
    return this.#uncut.size === 0 && !this.#distrusted;
  }

  /** The number of queued bytes. */
  get backlogBytes(): number {
    return this.#filling.size;
  }

  /** Appends bytes to a segment. */
  enqueue(segment: Segment, bytes: readonly Uint8Array[], size: number): void {
    this.#filling.pieces.push({ segment, bytes, size, position: segment.size });
    this.#filling.size += size;
    segment.size += size;
    if (!this.#running) void this.#run();
  }

  /** Marks the current batch for a sync. `entry`, if given, gets its outcome. */
  commit(entry?: Entry): void {
    this.#filling.sync = true;
    if (entry !== undefined) this.#filling.entries.push(entry);
  }

  /** Waits for the running batch, which makes room for more. */
  async turn(): Promise<void> {
    await (this.#inFlight ?? this.#filling).done;
  }

  /** Waits until everything enqueued so far is done. */
  async flushed(): Promise<void> {
    await (this.#filling.pieces.length > 0 ? this.#filling : this.#inFlight)?.done;
  }

  /** Accepts entries again. The caller has undone the transactions that depended on the failed batch. */
  resume(): void {
    this.#undoing = false;
  }

  /** Tries to bring the disk back to a known state. It never throws; `isKnown` tells the result. */
  async mend(): Promise<void> {
    if (this.isKnown) return;
    this.#mending ??= this.#mend().finally(() => {
      this.#mending = null;
    });
    await this.#mending;
  }

  async #mend(): Promise<void> {
    // The newest comes first, because a segment with a successor counts as complete.
    for (const segment of [...this.#uncut].sort((a, b) => b.number - a.number)) {
      try {
        await this.#segments.cutBack(segment);
        this.#uncut.delete(segment);
      } catch {
        this.#distrusted = true;
        break;
      }
    }
    if (!this.#distrusted) return;
    try {
      await this.#outcome.writeManifest();
      this.#distrusted = false;
      this.#uncut.clear();
    } catch {
      // The next write tries again.
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Collects everything of this event-loop iteration.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#filling.pieces.length > 0) {
      const batch = this.#filling;
      this.#inFlight = batch;
      this.#filling = newBatch();
      try {
        await this.#store(batch);
        this.#outcome.stored(batch.entries, batch.sync ? endOf(batch) : null);
      } catch (cause) {
        await this.#fail(batch, cause);
      }
      this.#inFlight = null;
      batch.finish();
    }
    this.#running = false;
  }

  async #store({ pieces, entries, sync }: Batch): Promise<void> {
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
      if (this.#durability === 'fsync') await this.#syncAllBut(first.segment);
      this.#unsynced.set(first.segment, end);
      await this.#segments.write(first.segment, joined(run, end - first.position), first.position);
    }
    if (!sync) return;
    const last = pieces.at(-1)?.segment ?? null;
    // Moved rows must be safe before their old place is freed. A closed segment is synced once under every durability
    // setting.
    const exempt = this.#durability === 'fsync' || entries.some(({ isUpkeep }) => isUpkeep) ? null : last;
    await this.#syncAllBut(exempt);
    for (const [segment, end] of this.#unsynced) {
      segment.durable = end;
      if (segment !== last) await this.#segments.seal(segment);
      if (segment !== exempt) this.#unsynced.delete(segment);
    }
    this.#syncedTo.clear();
  }

  async #syncAllBut(exempt: Segment | null): Promise<void> {
    try {
      for (const [segment, end] of this.#unsynced) {
        if (segment === exempt || this.#syncedTo.get(segment) === end) continue;
        await this.#segments.sync(segment);
        this.#syncedTo.set(segment, end);
      }
    } catch (error) {
      this.#distrusted = true;
      throw error;
    }
  }

  /** Rolls back a failed batch and everything enqueued meanwhile. */
  async #fail(batch: Batch, cause: unknown): Promise<void> {
    this.#undoing = true;
    const meanwhile = this.#filling;
    this.#filling = newBatch();
    for (const segment of this.#unsynced.keys()) this.#uncut.add(segment);
    for (const { segment } of [...batch.pieces, ...meanwhile.pieces]) this.#uncut.add(segment);
    this.#unsynced.clear();
    this.#syncedTo.clear();
    for (const segment of this.#uncut) {
      segment.size = segment.durable;
      segment.isGivenUp = segment.durable === 0;
    }
    this.#outcome.broken();
    await this.#outcome.refused(cause);
    await this.mend();
    const code = isNoSpace(cause) ? 'disk_full' : 'storage_unavailable';
    this.#outcome.lost([...batch.entries, ...meanwhile.entries], refuse(code, undefined, { cause }));
    meanwhile.finish();
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

function endOf({ pieces }: Batch): Position {
  const last = pieces.at(-1);
  if (last === undefined) throw new Error('an empty batch');
  return { segment: last.segment.number, offset: last.position + last.size };
}

/** The segments with bytes to which no durable row refers yet. They must not be reclaimed. */
class Pins {
  readonly #counts = new Map<number, number>();
  readonly #loose = new Map<BlobRef, readonly Extent[]>();

  has(segment: number): boolean {
    return this.#counts.has(segment);
  }

  /** Pins a complete blob until its transaction is decided. */
  hold(ref: BlobRef, extents: readonly Extent[]): void {
    this.#loose.set(ref, extents);
    for (const extent of extents) this.pin(extent);
  }

  /** Releases a blob whose transaction is durable or failed. */
  release(ref: BlobRef): void {
    const extents = this.#loose.get(ref);
    if (extents === undefined) return;
    this.#loose.delete(ref);
    for (const extent of extents) this.unpin(extent);
  }

  /** Pins a piece of a blob that is still being written. */
  pin({ segment }: Extent): void {
    this.#counts.set(segment, (this.#counts.get(segment) ?? 0) + 1);
  }

  unpin({ segment }: Extent): void {
    const count = (this.#counts.get(segment) ?? 0) - 1;
    if (count > 0) this.#counts.set(segment, count);
    else this.#counts.delete(segment);
  }
}
