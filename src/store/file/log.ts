import { refuse } from '../../domain/errors.ts';
import type { BlobRef } from '../../domain/message.ts';
import type { Blobs, BlobWriter } from '../../ports/store.ts';
import type { Change } from '../tables/state.ts';
import type { Entry, Ledger } from '../tables/tables-store.ts';
import { type Extent, readRef, writeRef } from './extent.ts';
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

/** A full segment is closed and gets an index; small enough that copying what lives in one is quick. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;
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

interface Piece {
  readonly segment: Segment;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly position: number;
}

/** What goes out together. */
interface Batch {
  readonly pieces: Piece[];
  readonly entries: Entry[];
  size: number;
  /** Whether it is to be synced: not while it holds pieces of blobs alone, which nothing refers to yet. */
  sync: boolean;
  /** Resolves when the batch is stored or has failed. */
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

/**
 * The append-only log. Whatever is appended in one turn of the event loop, and while the disk is busy with the last batch,
 * goes out as one write and is made durable by one sync.
 */
export class Log implements Blobs {
  readonly #segments: Segments;
  readonly #options: Required<LogOptions>;
  readonly #ledger: Ledger;
  #active: Segment | null;
  #nextNumber: number;
  /** The changes of the active segment as JSON, for its index. */
  #index: string[];
  #position: Position;
  #filling = newBatch();
  #inFlight: Batch | null = null;
  #running = false;
  #failed = false;
  /** Segments with bytes that are written and not yet synced, and where those end. */
  readonly #unsynced = new Map<Segment, number>();
  /** Segments that a failed write left something in that could not be cut off yet. */
  readonly #uncut = new Set<Segment>();
  readonly #pins = new Pins();
  readonly #moves = new Map<BlobRef, BlobRef>();

  constructor(segments: Segments, start: LogStart, ledger: Ledger, options: LogOptions) {
    const { active } = start;
    this.#segments = segments;
    this.#position = start.position;
    this.#ledger = ledger;
    this.#options = { segmentBytes: SEGMENT_BYTES, ...options };
    this.#active = active?.segment ?? null;
    this.#index = (active?.index ?? []).map((entry) => JSON.stringify(entry));
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
      if (change[0] !== 'put' || change[1] !== 'messages') continue;
      // Bytes that a failed write took along can't be referred to.
      if (!this.#segments.holds(change[2].raw) || !this.#segments.holds(change[2].facts))
        throw refuse('storage_unavailable');
    }
    const json = JSON.stringify(entry.changes);
    const { segment, offset } = this.#append(KIND.changes, [Buffer.from(json)]);
    this.#index.push(`[${offset},${json}]`);
    entry.home = segment.number;
    this.#filling.entries.push(entry);
    this.#filling.sync = true;
  }

  async put(parts: readonly Uint8Array[]): Promise<BlobRef[]> {
    const { segment, offset } = this.#append(KIND.blob, parts);
    let at = offset;
    return parts.map(({ length }) => {
      const ref = writeRef([{ segment: segment.number, offset: at, length }]);
      this.#pins.hold(ref);
      at += length;
      return ref;
    });
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
        while (this.#filling.size > HIGH_WATER_BYTES) await (this.#inFlight ?? this.#filling).done;
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

  async flushed(): Promise<void> {
    const last = this.#filling.pieces.length > 0 ? this.#filling : this.#inFlight;
    await last?.done;
  }

  resume(): void {
    this.#failed = false;
  }

  /** Closes the active segment, so that it can be reclaimed; the next record opens another. */
  roll(): void {
    const segment = this.#active;
    if (segment === null || segment.size === 0) return;
    const payload = Buffer.from(`[${this.#index.join(',')}]`);
    const trailer = writeIndexTrailer(payload.length + RECORD_HEADER_BYTES);
    this.#enqueue(segment, [writeRecordHeader(KIND.index, [payload, trailer]), payload, trailer]);
    this.#filling.sync = true;
    this.#active = null;
    this.#index = [];
  }

  #append(kind: Kind, parts: readonly Uint8Array[]): { segment: Segment; offset: number } {
    if (this.#failed) throw refuse('storage_unavailable');
    const header = writeRecordHeader(kind, parts);
    if (
      this.#active !== null &&
      this.#active.size + header.length + header.readUInt32LE(0) > this.#options.segmentBytes
    )
      this.roll();
    const segment = this.#active ?? this.#open();
    const offset = segment.size + RECORD_HEADER_BYTES;
    this.#enqueue(segment, [header, ...parts]);
    return { segment, offset };
  }

  #open(): Segment {
    const segment = this.#segments.add(this.#nextNumber++);
    this.#active = segment;
    this.#enqueue(segment, [writeSegmentHeader()]);
    return segment;
  }

  #enqueue(segment: Segment, bytes: readonly Uint8Array[]): void {
    let size = 0;
    for (const part of bytes) size += part.length;
    this.#filling.pieces.push({ segment, bytes, size, position: segment.size });
    this.#filling.size += size;
    segment.size += size;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // All of this turn of the event loop travels together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#filling.pieces.length > 0) {
      const batch = this.#filling;
      this.#inFlight = batch;
      this.#filling = newBatch();
      try {
        await this.#store(batch);
        const last = batch.pieces.at(-1);
        if (last !== undefined) this.#position = { segment: last.segment.number, offset: last.position + last.size };
        if (batch.entries.length > 0) this.#ledger.committed(batch.entries);
        this.#release(batch.entries);
      } catch (error) {
        await this.#fail(batch, error);
      }
      this.#inFlight = null;
      batch.finish();
    }
    this.#running = false;
  }

  async #store(batch: Batch): Promise<void> {
    for (const segment of this.#uncut) await this.#cutBack(segment);
    const { pieces } = batch;
    for (let at = 0; at < pieces.length; ) {
      const first = pieces[at];
      if (first === undefined) break;
      const run: Uint8Array[] = [];
      let end = first.position;
      for (let piece = pieces[at]; piece?.segment === first.segment; piece = pieces[++at]) {
        run.push(...piece.bytes);
        end += piece.size;
      }
      this.#unsynced.set(first.segment, end);
      await this.#segments.write(
        first.segment,
        run.length === 1 && run[0] !== undefined ? run[0] : Buffer.concat(run),
        first.position,
      );
    }
    if (!batch.sync) return;
    if (this.#options.durability === 'fsync') {
      for (const segment of this.#unsynced.keys()) await this.#segments.sync(segment);
    }
    for (const [segment, end] of this.#unsynced) {
      segment.durable = end;
      if (segment !== this.#active) await this.#segments.seal(segment);
    }
    this.#unsynced.clear();
  }

  /** Nothing of the batch happened, nor of what was appended meanwhile: the files end where they were safe. */
  async #fail(batch: Batch, cause: unknown): Promise<void> {
    this.#failed = true;
    const meanwhile = this.#filling;
    this.#filling = newBatch();
    for (const segment of this.#unsynced.keys()) this.#uncut.add(segment);
    for (const { segment } of [...batch.pieces, ...meanwhile.pieces]) this.#uncut.add(segment);
    this.#unsynced.clear();
    this.#active = null;
    this.#index = [];
    for (const segment of this.#uncut) segment.size = segment.durable;
    // What can't be cut off now is tried again before anything else is written.
    for (const segment of this.#uncut) await this.#cutBack(segment).catch(() => {});
    this.#ledger.failed([...batch.entries, ...meanwhile.entries], refuse('storage_unavailable', undefined, { cause }));
    this.#release([...batch.entries, ...meanwhile.entries]);
    meanwhile.finish();
  }

  #release(entries: readonly Entry[]): void {
    for (const { changes } of entries) {
      for (const change of changes) {
        if (change[0] !== 'put' || change[1] !== 'messages') continue;
        this.#pins.release(change[2].raw);
        this.#pins.release(change[2].facts);
      }
    }
  }

  async #cutBack(segment: Segment): Promise<void> {
    await this.#segments.cutBack(segment);
    this.#uncut.delete(segment);
  }
}
