import { refuse } from '../../domain/errors.ts';
import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import { blobsOf } from '../tables/blobs.ts';
import type { Change } from '../tables/state.ts';
import type { Entry, Ledger } from '../tables/tables-store.ts';
import { type Extent, readRef, writeRef } from './extent.ts';
import { GroupCommit, type Outcome } from './group-commit.ts';
import { Pins } from './pins.ts';
import {
  KIND,
  type Kind,
  RECORD_HEADER_BYTES,
  writeIndexTrailer,
  writeRecordHeader,
  writeSegmentHeader,
} from './record.ts';
import type { Segment, Segments } from './segments.ts';
import type { Position } from './snapshot.ts';

/** A full segment is closed and gets an index; closing one and opening the next costs two syncs and a name in the directory. */
export const SEGMENT_BYTES = 64 * 1024 * 1024;
/** A segment of many small mails is full when its index is: writing that must not hold others up. */
const INDEX_CHARACTERS = 4 * 1024 * 1024;
/** A blob of unknown size goes to the log in records of about this size. */
const CHUNK_BYTES = 128 * 1024;
/** More than this on its way to the disk, and writers wait. */
const HIGH_WATER_BYTES = 2 * 1024 * 1024;

/** Changes and where they stand, as an index holds them. */
export type IndexEntry = readonly [offset: number, changes: readonly Change[]];

export interface LogOptions {
  readonly durability: 'fsync' | 'os';
  /** Offered for tests. Default {@link SEGMENT_BYTES}. */
  readonly segmentBytes?: number;
}

/** Where a log goes on. */
export interface LogStart {
  readonly active: { readonly segment: Segment; readonly index: readonly IndexEntry[] } | null;
  /** No segment, and no position in a snapshot, reaches to it. */
  readonly nextNumber: number;
  readonly position: Position;
}

/** The append-only log: records in segments, in the order they were appended. */
export class Log implements Blobs, Outcome {
  readonly #segments: Segments;
  readonly #segmentBytes: number;
  readonly #ledger: Ledger;
  #active: Segment | null;
  #nextNumber: number;
  /** The changes of the active segment as JSON, for its index. */
  #index: string[];
  #indexCharacters = 0;
  #position: Position;
  readonly #commit: GroupCommit;
  readonly #pins = new Pins();
  readonly #moves = new Map<BlobRef, BlobRef>();

  constructor(segments: Segments, start: LogStart, ledger: Ledger, options: LogOptions) {
    const { active } = start;
    this.#segments = segments;
    this.#position = start.position;
    this.#ledger = ledger;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#commit = new GroupCommit(segments, options.durability, this);
    this.#active = active?.segment ?? null;
    this.#index = (active?.index ?? []).map((entry) => JSON.stringify(entry));
    for (const entry of this.#index) this.#indexCharacters += entry.length;
    this.#nextNumber = start.nextNumber;
  }

  /** Everything committed stands before it, nothing else does. */
  get position(): Position {
    return this.#position;
  }

  get activeNumber(): number | null {
    return this.#active?.number ?? null;
  }

  /** Throws `storage_unavailable`; nothing of the entry was taken then. */
  append(entry: Entry): void {
    for (const change of entry.changes) {
      if (change[0] !== 'put') continue;
      // Bytes that a failed write took along can't be referred to.
      for (const ref of blobsOf(change)) if (!this.#segments.holds(ref)) throw refuse('storage_unavailable');
    }
    const json = JSON.stringify(entry.changes);
    const { segment, offset } = this.#append(KIND.changes, [Buffer.from(json)]);
    this.#index.push(`[${offset},${json}]`);
    this.#indexCharacters += json.length;
    entry.home = segment.number;
    this.#commit.commit(entry);
  }

  async put(part: Uint8Array): Promise<BlobRef> {
    const { segment, offset } = this.#append(KIND.blob, [part]);
    const ref = writeRef([{ segment: segment.number, offset, length: part.length }]);
    this.#pins.hold(ref);
    return ref;
  }

  writer(): BlobWriter {
    const extents: Extent[] = [];
    let chunks: Uint8Array[] = [];
    let size = 0;
    const flush = () => {
      const { segment, offset } = this.#append(KIND.blob, chunks);
      const extent = { segment: segment.number, offset, length: size };
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
        flush();
        while (this.#commit.backlogBytes > HIGH_WATER_BYTES) await this.#commit.turn();
      },
      finish: async () => {
        if (size > 0 || extents.length === 0) flush();
        const ref = writeRef(extents);
        this.#pins.hold(ref);
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

  /** They are dead where they stand, and their segment is reclaimed in time. */
  discard(refs: readonly BlobRef[]): void {
    for (const ref of refs) this.#pins.release(ref);
  }

  /** Whether bytes in a segment wait for their transaction. */
  isPinned(segment: number): boolean {
    return this.#pins.has(segment);
  }

  async read(ref: BlobRef): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.stream(ref)) pieces.push(piece);
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  stream(ref: BlobRef): AsyncGenerator<Buffer> {
    let current = ref;
    for (let next = this.#moves.get(ref); next !== undefined; next = this.#moves.get(next)) current = next;
    return this.#segments.read(readRef(current));
  }

  /** A blob has a durable copy. Those who read its row before that still find it, until the next reclaiming. */
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

  stored(entries: readonly Entry[], position: Position): void {
    this.#position = position;
    if (entries.length > 0) this.#ledger.committed(entries);
    this.#release(entries);
  }

  lost(entries: readonly Entry[], error: unknown): void {
    // The next record opens a new segment: no place in the log is ever given out twice.
    this.#active = null;
    this.#index = [];
    this.#indexCharacters = 0;
    this.#ledger.failed(entries, error);
    this.#release(entries);
  }

  /** Closes the active segment, so that it can be reclaimed; the next record opens another. */
  roll(): void {
    const segment = this.#active;
    if (segment === null || this.#commit.failed) return;
    const payload = Buffer.from(`[${this.#index.join(',')}]`);
    const trailer = writeIndexTrailer(payload.length + RECORD_HEADER_BYTES);
    this.#commit.enqueue(segment, [writeRecordHeader(KIND.index, [payload, trailer]), payload, trailer]);
    this.#commit.commit();
    this.#active = null;
    this.#index = [];
    this.#indexCharacters = 0;
  }

  #append(kind: Kind, parts: readonly Uint8Array[]): { segment: Segment; offset: number } {
    if (this.#commit.failed) throw refuse('storage_unavailable');
    const header = writeRecordHeader(kind, parts);
    const bytes = header.length + header.readUInt32LE(0);
    const isFull = this.#indexCharacters > INDEX_CHARACTERS || (this.#active?.size ?? 0) + bytes > this.#segmentBytes;
    if (this.#active !== null && isFull) this.roll();
    const segment = this.#active ?? this.#open();
    const offset = segment.size + RECORD_HEADER_BYTES;
    this.#commit.enqueue(segment, [header, ...parts]);
    return { segment, offset };
  }

  #open(): Segment {
    const segment = this.#segments.add(this.#nextNumber++);
    this.#active = segment;
    this.#commit.enqueue(segment, [writeSegmentHeader()]);
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
