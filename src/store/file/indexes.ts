import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Disk } from '../../ports/storage.ts';
import { addTo } from '../../text/maps.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { type Change, isChange, putOf } from '../tables/state.ts';
import type { Accounting } from './accounting.ts';
import { FORMAT, type StoreId } from './segment-format.ts';
import type { Segment } from './segments.ts';
import { replaceFile } from './transfer.ts';

interface IndexesParts {
  readonly disk: Disk;
  readonly directory: string;
  readonly store: StoreId;
  readonly state: CommittedState;
  readonly accounting: Accounting;
  /** Returns a segment once it is closed and the snapshot on the disk records that. */
  readonly sealed: (number: number) => Segment | 'not yet' | 'gone';
}

/** The index files beside the segments. */
export class Indexes {
  readonly #parts: IndexesParts;
  /** The closed segments without an index. */
  readonly #missing: Set<number>;

  constructor(parts: IndexesParts, missing: Iterable<number>) {
    this.#parts = parts;
    this.#missing = new Set(missing);
  }

  /** Marks a closed segment that needs an index. */
  owe(number: number): void {
    this.#missing.add(number);
  }

  /** Lists the closed segments without an index. */
  get owed(): readonly number[] {
    return [...this.#missing];
  }

  /** Writes the missing indexes. A failure loses nothing, because the segments hold everything. */
  async writeMissing(): Promise<void> {
    const written: number[] = [];
    for (const number of this.#missing) {
      const segment = this.#parts.sealed(number);
      if (segment === 'gone') this.#missing.delete(number);
      if (segment === 'gone' || segment === 'not yet') continue;
      await this.#write(segment);
      written.push(number);
    }
    if (written.length === 0) return;
    await this.#parts.disk.syncDirectory(this.#parts.directory);
    for (const number of written) this.#missing.delete(number);
  }

  /** Rewrites indexes whose rows were erased. */
  async rewrite(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) this.#missing.add(number);
    await this.writeMissing();
  }

  async remove(number: number): Promise<void> {
    this.#missing.delete(number);
    const path = this.#pathOf(number);
    if ((await this.#parts.disk.stat(path)) !== null) await this.#parts.disk.unlink(path);
  }

  /** Tells whether a segment has an index. A reader needs the index to distinguish erased bytes from damaged ones. */
  has(number: number): boolean {
    return !this.#missing.has(number);
  }

  async #write({ number, size }: Segment): Promise<void> {
    const { disk, store, state, accounting } = this.#parts;
    const dead = accounting.deadIn(number);
    const pending = {
      records: [...(dead?.records ?? [])],
      blobs: (dead?.blobs ?? []).map(({ offset, length }) => [offset, length] as const),
    };
    const parts = writeIndex({ store, segment: number, bytes: size }, state.messages.pack(number), {
      entries: this.#entriesOf(number),
      pending,
    });
    await replaceFile(disk, this.#pathOf(number), parts);
  }

  /**
   * Collects the living rows of the other tables and the removals that may still be needed, in the order of their
   * records.
   */
  #entriesOf(number: number): IndexEntry[] {
    const { state, accounting } = this.#parts;
    const byOffset = new Map<number, Change[]>();
    for (const { home, change } of accounting.removalsAt(number)) addTo(byOffset, home.offset, change);
    for (const { table, id } of accounting.rowsAt(number)) {
      const row = state.row(table, id);
      const home = accounting.homeOf(table, id);
      if (row !== undefined && home !== null) addTo(byOffset, home.offset, putOf(table, row));
    }
    return [...byOffset].sort(([a], [b]) => a - b);
  }

  #pathOf(number: number): string {
    return join(this.#parts.directory, indexName(number));
  }
}

// Each sealed segment has an index file with its living rows. With the index, a store opens without reading mail or
// parsing rows. An index holds only data that its segment holds too, so it is rebuilt if it is missing or damaged.
// README.md describes every byte.

const MAGIC = 'mcindex\n';
const HEADER_BYTES = 48;

/** The unpacked rows and removals of a segment, by the offset of their record. */
type IndexEntry = readonly [offset: number, changes: readonly Change[]];

/** Deleted bytes of a segment that are not erased yet. */
interface PendingErasure {
  /** The records of changes, by the offset of their payload. */
  readonly records: readonly number[];
  /** The blobs, as offset and length of their payload. */
  readonly blobs: readonly (readonly [offset: number, length: number])[];
}

/** The content of an index file. */
export interface SegmentIndex {
  /** The rows of messages, in the format of the packed table. */
  readonly messages: Buffer;
  readonly entries: readonly IndexEntry[];
  readonly pending: PendingErasure;
}

interface Of {
  readonly store: StoreId;
  readonly segment: number;
  /** The size of the sealed segment. */
  readonly bytes: number;
}

export function indexName(segment: number): string {
  return `${String(segment).padStart(8, '0')}.idx`;
}

function writeIndex(of: Of, messages: readonly Buffer[], rest: Omit<SegmentIndex, 'messages'>): Buffer[] {
  const json = Buffer.from(JSON.stringify(rest));
  let length = 0;
  let crc = 0;
  for (const part of messages) {
    length += part.length;
    crc = crc32(part, crc);
  }
  const header = headerOf(of);
  header.writeUInt32LE(length, 28);
  header.writeUInt32LE(json.length, 32);
  header.writeUInt32LE(crc, 36);
  header.writeUInt32LE(crc32(json), 40);
  header.writeUInt32LE(crc32(header.subarray(0, 44)), 44);
  return [header, ...messages, json];
}

function headerOf({ store, segment, bytes }: Of): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(FORMAT, 8);
  header.writeUInt32LE(segment, 12);
  header.write(store, 16, 'hex');
  header.writeUInt32LE(bytes, 24);
  return header;
}

/**
 * Reads an index. Returns the position of the damage if it is damaged, and `stale` if it belongs to another state of
 * the segment.
 */
export function readIndex(of: Of, file: Buffer): SegmentIndex | { readonly damagedAt: number } | 'stale' {
  if (file.length < HEADER_BYTES || crc32(file.subarray(0, 44)) !== file.readUInt32LE(44)) return { damagedAt: 0 };
  if (!file.subarray(0, 28).equals(headerOf(of).subarray(0, 28))) return 'stale';
  const jsonAt = HEADER_BYTES + file.readUInt32LE(28);
  const end = jsonAt + file.readUInt32LE(32);
  const messages = file.subarray(HEADER_BYTES, jsonAt);
  const json = file.subarray(jsonAt, end);
  if (end > file.length || crc32(messages) !== file.readUInt32LE(36)) return { damagedAt: HEADER_BYTES };
  if (crc32(json) !== file.readUInt32LE(40)) return { damagedAt: jsonAt };
  // The checksum protects the content. The changes get the same check as changes from the log.
  const { entries, pending } = JSON.parse(json.toString('utf8')) as Omit<SegmentIndex, 'messages'>;
  if (!entries.every(([, changes]) => changes.every(isChange))) return { damagedAt: jsonAt };
  return { messages, entries, pending };
}
