import { refuse } from '../../domain/errors.ts';
import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import { wholeOf } from '../concat.ts';
import { blobsOf } from '../tables/blobs.ts';
import type { Entry, Ledger } from '../tables/tables-store.ts';
import { frame, KIND, type Kind } from './block.ts';
import { arePrecious, writeChanges } from './changes-record.ts';
import { BlobGone } from './errors.ts';
import { type Extent, extentKey, readRef, writeRef } from './extent.ts';
import { type CommitListener, GroupCommit } from './group-commit.ts';
import { Pins } from './pins.ts';
import type { Room } from './room.ts';
import { SEGMENT_HEADER_BYTES, type StoreId, writeSegmentHeader } from './segment-header.ts';
import type { Segment, Segments } from './segments.ts';
import type { Position } from './snapshot-document.ts';

/** The size in bytes of the records into which a blob of unknown length is split. */
const CHUNK_BYTES = 128 * 1024;
/** The number of queued bytes above which writers wait. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024;

/** The parts of a log and its callbacks. */
export interface LogParts {
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
