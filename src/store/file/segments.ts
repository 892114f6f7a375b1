import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BlobRef } from '../../domain/message.ts';
import type { Disk, DiskFile } from '../../ports/storage.ts';
import { type Extent, eachExtent, extentKey, readRef } from '../tables/blob-ref.ts';
import { BlobDamaged, BlobGone } from './errors.ts';
import { FRAGMENT_HEADER_BYTES, payloadEnd, payloadRuns, readHeader, type StoreId, saltOf } from './segment-format.ts';
import { cutFile, readFully, writeFully } from './transfer.ts';

/** One file of the log. */
export interface Segment {
  readonly number: number;
  readonly salt: number;
  /** The number of appended bytes, including those that are not written yet. */
  size: number;
  /** The number of bytes that are known to be durable. After a failed write, the file is cut back to them. */
  durable: number;
  /** Tells whether the file and its name are durable on the disk. */
  created: boolean;
  /** Tells whether a write failed before any byte was durable. The segment is then ignored, even if its file exists. */
  isGivenUp: boolean;
  /** Tells whether a part is unreadable. The segment is kept as long as it holds living bytes. */
  damaged: boolean;
}

/** The approximate size in bytes of the pieces in which a blob is read. */
const PIECE_BYTES = 256 * 1024;

export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.log`;
}

interface SegmentsOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly store: StoreId;
  readonly found: readonly Segment[];
  /** A check before a file is created. It throws if the directory was lost. */
  readonly watch: () => Promise<void>;
  /** Reports bytes that fail their checksum. `offset` is their position in the segment. */
  readonly onDamage: (segment: Segment, offset: number) => void;
}

/** The segment files of the log, with reads and writes. */
export class Segments {
  readonly #options: SegmentsOptions;
  readonly #segments = new Map<number, Segment>();
  readonly #readers: ReadHandles;
  readonly #writers = new Map<number, DiskFile>();
  /** The recently erased payloads, by segment and offset. No row may refer to them. */
  readonly #erased = new Set<string>();

  constructor(options: SegmentsOptions) {
    this.#options = options;
    this.#readers = new ReadHandles((number) => options.disk.open(this.pathOf(number), 'read'));
    for (const segment of options.found) this.#segments.set(segment.number, segment);
  }

  get all(): Segment[] {
    return [...this.#segments.values()];
  }

  get(number: number): Segment | undefined {
    return this.#segments.get(number);
  }

  pathOf(number: number): string {
    return join(this.#options.directory, segmentName(number));
  }

  add(number: number): Segment {
    const salt = saltOf(this.#options.store, number);
    const segment: Segment = { number, salt, size: 0, durable: 0, created: false, isGivenUp: false, damaged: false };
    this.#segments.set(number, segment);
    return segment;
  }

  /** Tells whether all bytes of a reference exist: appended, and neither cut off nor erased. */
  holds(ref: BlobRef): boolean {
    let holds = true;
    eachExtent(ref, (segment, offset, length) => {
      const file = this.#segments.get(segment);
      if (file === undefined || payloadEnd(offset, length) > file.size) holds = false;
      else if (this.#erased.size > 0 && this.#erased.has(`${segment}.${offset}`)) holds = false;
    });
    return holds;
  }

  markErased(extents: Iterable<Extent>): void {
    for (const { segment, offset } of extents) this.#erased.add(`${segment}.${offset}`);
  }

  forgetErased(): void {
    this.#erased.clear();
  }

  /**
   * Streams the bytes of extents without the first `skip` bytes. Throws {@link BlobGone} if they no longer exist, and
   * {@link BlobDamaged} if a checksum is wrong.
   */
  async *read(extents: readonly Extent[], skip = 0): AsyncGenerator<Buffer> {
    let passed = 0;
    for (const extent of extents) {
      for (const piece of piecesOf(extent)) {
        passed += piece.length;
        if (passed > skip) yield await this.#readPiece(extent, piece);
      }
    }
  }

  /**
   * Reads blobs of one piece each. Those that lie close to one another are one read of the file. One that can't be read
   * is null.
   */
  async readSmall(blobs: readonly (readonly Extent[])[]): Promise<(Buffer | null)[]> {
    const found: (Buffer | null)[] = blobs.map(() => null);
    const wanted: Wanted[] = [];
    for (const [index, [extent, ...more]] of blobs.entries()) {
      const [piece, ...others] = extent === undefined || more.length > 0 ? [] : piecesOf(extent);
      if (extent !== undefined && piece !== undefined && others.length === 0) wanted.push({ index, extent, piece });
    }
    wanted.sort((a, b) => a.extent.segment - b.extent.segment || a.piece.from - b.piece.from);
    const read = async (some: readonly Wanted[]): Promise<void> => {
      const from = some[0]?.piece.from ?? 0;
      const number = some[0]?.extent.segment ?? 0;
      const to = some.reduce((end, { piece }) => Math.max(end, piece.to), 0);
      try {
        const bytes = await this.#readers.use(number, (file) => readFully(file, from, to - from));
        for (const { index, extent, piece } of some)
          found[index] = this.#payloadOf(extent, piece, bytes.subarray(piece.from - from, piece.to - from));
      } catch {
        // Each is read for itself then, which tells what is wrong with it.
      }
    };
    await Promise.all([...closeOnes(wanted)].map(read));
    return found;
  }

  async #readPiece(extent: Extent, piece: Piece): Promise<Buffer> {
    if (!this.#segments.has(extent.segment)) throw new BlobGone(segmentName(extent.segment));
    const { from, to } = piece;
    const bytes = await this.#readers.use(extent.segment, (file) => readFully(file, from, to - from));
    return this.#payloadOf(extent, piece, bytes);
  }

  /** Checks the bytes of a piece, and returns its payload. */
  #payloadOf(extent: Extent, { from, runs }: Piece, bytes: Buffer): Buffer {
    const segment = this.#segments.get(extent.segment);
    if (segment === undefined) throw new BlobGone(segmentName(extent.segment));
    const recordAt = extent.offset - FRAGMENT_HEADER_BYTES;
    const payload = runs.map(({ at, length }) => {
      const headerAt = at - FRAGMENT_HEADER_BYTES - from;
      const header = readHeader(
        bytes.subarray(headerAt, headerAt + FRAGMENT_HEADER_BYTES),
        from + headerAt,
        segment.salt,
      );
      const run = bytes.subarray(at - from, at - from + length);
      const isRight =
        header !== null && header.recordAt === recordAt && header.length === length && crc32(run) === header.payloadCrc;
      if (isRight) return run;
      if (this.#erased.has(`${extent.segment}.${extent.offset}`)) throw new BlobGone(segmentName(extent.segment));
      segment.damaged = true;
      this.#options.onDamage(segment, at);
      throw new BlobDamaged(segmentName(segment.number), at);
    });
    return payload.length === 1 && payload[0] !== undefined ? payload[0] : Buffer.concat(payload);
  }

  async write(segment: Segment, parts: readonly Uint8Array[], position: number): Promise<void> {
    await writeFully(await this.#writer(segment), parts, position);
  }

  async sync(segment: Segment): Promise<void> {
    const file = await this.#writer(segment);
    await file.sync();
    if (!segment.created) {
      await this.#options.disk.syncDirectory(this.#options.directory);
      segment.created = true;
    }
  }

  /** Closes a segment for writing. */
  async seal(segment: Segment): Promise<void> {
    const file = this.#writers.get(segment.number);
    this.#writers.delete(segment.number);
    // The bytes are already safe, so a failing close does not matter.
    await file?.close().catch(() => {});
  }

  /** Cuts off the remains of a failed write and syncs the file. */
  async cutBack(segment: Segment): Promise<void> {
    await this.seal(segment);
    const { disk, directory } = this.#options;
    const path = this.pathOf(segment.number);
    if (segment.durable > 0) {
      await cutFile(disk, path, segment.durable);
      return;
    }
    if ((await disk.stat(path)) !== null) await disk.unlink(path);
    await disk.syncDirectory(directory);
    this.#segments.delete(segment.number);
    await this.#readers.retire(segment.number);
  }

  /**
   * Removes a file. A damaged one is renamed to `.damaged` for inspection. The removal is durable only after a sync of
   * the directory.
   */
  async remove(number: number): Promise<void> {
    const segment = this.#segments.get(number);
    this.#segments.delete(number);
    if (segment !== undefined) await this.seal(segment);
    await this.#readers.retire(number);
    const path = this.pathOf(number);
    if (segment?.damaged) await this.#options.disk.rename(path, `${path}.damaged`);
    else await this.#options.disk.unlink(path);
  }

  async close(): Promise<void> {
    await this.#readers.close();
    for (const writer of this.#writers.values()) await writer.close();
    this.#writers.clear();
  }

  async #writer(segment: Segment): Promise<DiskFile> {
    let file = this.#writers.get(segment.number);
    if (file === undefined) {
      await this.#options.watch();
      const isNew = segment.durable === 0 && !segment.created;
      file = await this.#options.disk.open(this.pathOf(segment.number), isNew ? 'replace' : 'update');
      this.#writers.set(segment.number, file);
    }
    return file;
  }
}

interface Piece {
  /** The positions of the first run's header and of the last run's end. */
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly runs: readonly { readonly at: number; readonly length: number }[];
}

/** A blob of one piece that is to be read, with its place in the answer. */
interface Wanted {
  readonly index: number;
  readonly extent: Extent;
  readonly piece: Piece;
}

/** The bytes that are read though nobody wants them, because another read costs more. */
const MOST_GAP_BYTES = 16 * 1024;

/** Divides blobs in the order of their places into those that one read can cover. */
function* closeOnes(wanted: readonly Wanted[]): Generator<readonly Wanted[]> {
  let some: Wanted[] = [];
  let from = 0;
  let to = 0;
  for (const one of wanted) {
    const { piece, extent } = one;
    const isClose =
      extent.segment === some[0]?.extent.segment && piece.from - to <= MOST_GAP_BYTES && piece.to - from <= PIECE_BYTES;
    if (!isClose && some.length > 0) {
      yield some;
      some = [];
    }
    if (some.length === 0) from = piece.from;
    some.push(one);
    to = piece.to;
  }
  if (some.length > 0) yield some;
}

function* piecesOf({ offset, length }: Extent): Generator<Piece> {
  let runs: { at: number; length: number }[] = [];
  let size = 0;
  const piece = (): Piece => {
    const first = runs[0]?.at ?? offset;
    const last = runs.at(-1);
    return { from: first - FRAGMENT_HEADER_BYTES, to: (last?.at ?? first) + (last?.length ?? 0), length: size, runs };
  };
  for (const run of payloadRuns(offset, length)) {
    runs.push(run);
    size += run.length;
    if (size < PIECE_BYTES) continue;
    yield piece();
    runs = [];
    size = 0;
  }
  if (runs.length > 0) yield piece();
}

/** The number of files that stay open for reading. */
const OPEN_FILES = 64;

interface Handle {
  readonly file: Promise<DiskFile>;
  users: number;
  isRetired: boolean;
}

/** An LRU cache of files open for reading, by segment. It closes the least recently used first. */
class ReadHandles {
  readonly #open: (number: number) => Promise<DiskFile>;
  readonly #handles = new Map<number, Handle>();

  constructor(open: (number: number) => Promise<DiskFile>) {
    this.#open = open;
  }

  async use<T>(number: number, body: (file: DiskFile) => Promise<T>): Promise<T> {
    const handle = this.#handle(number);
    handle.users++;
    try {
      return await body(await handle.file);
    } finally {
      handle.users--;
      await closeUnused(handle);
    }
  }

  /** Removes a handle. It closes once its readers are done, each after at most one piece of a blob. */
  async retire(number: number): Promise<void> {
    const handle = this.#handles.get(number);
    if (handle === undefined) return;
    this.#handles.delete(number);
    handle.isRetired = true;
    await closeUnused(handle);
  }

  async close(): Promise<void> {
    for (const number of [...this.#handles.keys()]) await this.retire(number);
  }

  #handle(number: number): Handle {
    let handle = this.#handles.get(number);
    // The handle is removed and inserted again, which keeps the map in the order of use.
    this.#handles.delete(number);
    handle ??= this.#opened(number);
    this.#handles.set(number, handle);
    const [oldest] = this.#handles.keys();
    if (this.#handles.size > OPEN_FILES && oldest !== undefined) void this.retire(oldest);
    return handle;
  }

  #opened(number: number): Handle {
    const handle: Handle = { file: this.#open(number), users: 0, isRetired: false };
    handle.file.catch(() => {
      if (this.#handles.get(number) === handle) this.#handles.delete(number);
    });
    return handle;
  }
}

async function closeUnused({ file, users, isRetired }: Handle): Promise<void> {
  if (!isRetired || users > 0) return;
  await file.then((opened) => opened.close()).catch(() => {});
}

/** The segments with bytes to which no durable row refers yet. They must not be reclaimed. */
export class BlobPins {
  readonly #counts = new Map<number, number>();
  readonly #loose = new Map<BlobRef, readonly Extent[]>();
  /** The blobs that may be erased soon, and those among them to which a new row refers. */
  #watched: { readonly keys: ReadonlySet<number>; readonly used: Set<number> } | null = null;

  /** Tells whether a segment holds bytes whose transaction is not committed yet. */
  has(segment: number): boolean {
    return this.#counts.has(segment);
  }

  /** Pins a complete blob until its transaction is decided. */
  hold(ref: BlobRef, extents: readonly Extent[]): void {
    this.#loose.set(ref, extents);
    for (const extent of extents) this.pin(extent);
  }

  /** Releases blobs whose transaction is durable or failed. */
  release(refs: readonly BlobRef[]): void {
    for (const ref of refs) {
      for (const extent of this.#loose.get(ref) ?? []) this.unpin(extent);
      this.#loose.delete(ref);
    }
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

  /** Reports that a new row refers to a blob. */
  use(ref: BlobRef): void {
    if (this.#watched === null) return;
    for (const key of readRef(ref).map(extentKey)) if (this.#watched.keys.has(key)) this.#watched.used.add(key);
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
}
