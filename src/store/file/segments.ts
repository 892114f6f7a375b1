import { type FileHandle, open, rm, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '../../domain/message.ts';
import { type Extent, readRef } from './extent.ts';
import { syncDirectory } from './snapshot.ts';

/** One file of the log. */
export interface Segment {
  readonly number: number;
  /** Bytes appended, also those still on their way to the disk. */
  size: number;
  /** Bytes known to be safe: what a failed write is cut back to. */
  durable: number;
  /** No file yet, or not all of it is in the directory for good. */
  created: boolean;
}

/** Where a write can fail: replaced in tests of disks that do. */
export interface Disk {
  /** How many bytes were written, as the system says. */
  write(file: FileHandle, parts: readonly Uint8Array[], position: number): Promise<number>;
  sync(file: FileHandle): Promise<void>;
}

export const NODE_DISK: Disk = {
  write: async (file, parts, position) => (await file.writev(parts, position)).bytesWritten,
  sync: (file) => file.datasync(),
};

/** How many files of the log stay open for reading. */
const OPEN_READERS = 64;
/** A blob is read in pieces of at most this size. */
const PIECE_BYTES = 256 * 1024;

interface Reader {
  readonly file: Promise<FileHandle>;
  users: number;
  retired: boolean;
}

async function closeUnused({ file, users, retired }: Reader): Promise<void> {
  if (!retired || users > 0) return;
  await file.then((handle) => handle.close()).catch(() => {});
}

/** What is left of the parts when so many bytes of them are written. */
function without(parts: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let left = written;
  const first = parts.findIndex(({ length }) => {
    if (left < length) return true;
    left -= length;
    return false;
  });
  if (first < 0) return [];
  const [cut, ...rest] = parts.slice(first);
  return cut === undefined ? [] : [cut.subarray(left), ...rest];
}

export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.log`;
}

/** The files of the log: which there are, and reading and writing in them. */
export class Segments {
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #segments = new Map<number, Segment>();
  readonly #readers = new Map<number, Reader>();
  readonly #writers = new Map<number, FileHandle>();

  constructor(directory: string, existing: readonly Segment[], disk: Disk = NODE_DISK) {
    this.#directory = directory;
    this.#disk = disk;
    for (const segment of existing) this.#segments.set(segment.number, segment);
  }

  get all(): Segment[] {
    return [...this.#segments.values()];
  }

  get(number: number): Segment | undefined {
    return this.#segments.get(number);
  }

  add(number: number): Segment {
    const segment: Segment = { number, size: 0, durable: 0, created: false };
    this.#segments.set(number, segment);
    return segment;
  }

  /** Whether every byte a reference stands for was appended and not cut off since. */
  holds(ref: BlobRef): boolean {
    return readRef(ref).every(({ segment, offset, length }) => {
      const file = this.#segments.get(segment);
      return file !== undefined && offset + length <= file.size;
    });
  }

  async *read(extents: readonly Extent[]): AsyncGenerator<Buffer> {
    for (const { segment, offset, length } of extents) {
      const reader = this.#reader(segment);
      reader.users++;
      try {
        const file = await reader.file;
        for (let done = 0; done < length; ) {
          const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length - done));
          const { bytesRead } = await file.read(piece, 0, piece.length, offset + done);
          if (bytesRead === 0) throw new Error(`${segmentName(segment)} ends before a blob in it does`);
          yield bytesRead === piece.length ? piece : piece.subarray(0, bytesRead);
          done += bytesRead;
        }
      } finally {
        reader.users--;
        await closeUnused(reader);
      }
    }
  }

  /** All of the parts, one behind the other. */
  async write(segment: Segment, parts: readonly Uint8Array[], position: number): Promise<void> {
    const file = await this.#writer(segment);
    let rest = parts;
    for (let at = position; rest.length > 0; ) {
      const written = await this.#disk.write(file, rest, at);
      at += written;
      rest = without(rest, written);
    }
  }

  async sync(segment: Segment): Promise<void> {
    const file = await this.#writer(segment);
    await this.#disk.sync(file);
    if (!segment.created) {
      await syncDirectory(this.#directory);
      segment.created = true;
    }
  }

  /** Nothing is written to it any more. */
  async seal(segment: Segment): Promise<void> {
    const file = this.#writers.get(segment.number);
    this.#writers.delete(segment.number);
    // Its bytes are safe already; nothing hangs on how the handle closes.
    await file?.close().catch(() => {});
  }

  /** Takes back what a failed write may have left. */
  async cutBack(segment: Segment): Promise<void> {
    await this.seal(segment);
    const path = join(this.#directory, segmentName(segment.number));
    if (segment.durable > 0) {
      await truncate(path, segment.durable);
      return;
    }
    await rm(path, { force: true });
    this.#segments.delete(segment.number);
  }

  async remove(number: number): Promise<void> {
    this.#segments.delete(number);
    await unlink(join(this.#directory, segmentName(number)));
    await this.#retire(number);
  }

  async close(): Promise<void> {
    for (const number of [...this.#readers.keys()]) await this.#retire(number);
    for (const writer of this.#writers.values()) await writer.close();
    this.#writers.clear();
  }

  #reader(number: number): Reader {
    let reader = this.#readers.get(number);
    // Taken out and put back: the map's order is the order of use.
    this.#readers.delete(number);
    reader ??= { file: open(join(this.#directory, segmentName(number)), 'r'), users: 0, retired: false };
    this.#readers.set(number, reader);
    reader.file.catch(() => this.#readers.delete(number));
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > OPEN_READERS && oldest !== undefined) void this.#retire(oldest);
    return reader;
  }

  /** Whoever reads goes on reading; the handle closes behind the last. */
  async #retire(number: number): Promise<void> {
    const reader = this.#readers.get(number);
    if (reader === undefined) return;
    this.#readers.delete(number);
    reader.retired = true;
    await closeUnused(reader);
  }

  async #writer(segment: Segment): Promise<FileHandle> {
    let file = this.#writers.get(segment.number);
    if (file === undefined) {
      file = await open(
        join(this.#directory, segmentName(segment.number)),
        segment.durable > 0 || segment.created ? 'r+' : 'w',
        0o600,
      );
      this.#writers.set(segment.number, file);
    }
    return file;
  }
}
