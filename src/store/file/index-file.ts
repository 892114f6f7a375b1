import { crc32 } from 'node:zlib';
import { isChange } from '../tables/check-change.ts';
import type { Change } from '../tables/state.ts';
import { FORMAT, type StoreId } from './segment-header.ts';

// Each sealed segment has an index file with its living rows. With the index, a store opens without reading mail or
// parsing rows. An index holds only data that its segment holds too, so it is rebuilt if it is missing or damaged.
// docs/store-format.md describes every byte.

const MAGIC = 'mcindex\n';
const HEADER_BYTES = 48;

/** The unpacked rows and removals of a segment, by the offset of their record. */
export type IndexEntry = readonly [offset: number, changes: readonly Change[]];

/** Deleted bytes of a segment that are not erased yet. */
export interface PendingErasure {
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

export function writeIndex(of: Of, messages: readonly Buffer[], rest: Omit<SegmentIndex, 'messages'>): Buffer[] {
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
