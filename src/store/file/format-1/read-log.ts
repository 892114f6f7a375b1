import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BlobRef } from '../../../domain/message.ts';
import type { Disk } from '../../../ports/disk.ts';
import { isChange } from '../../tables/check-change.ts';
import type { Change } from '../../tables/state.ts';
import { StoreRefused } from '../errors.ts';
import { readRef } from '../extent.ts';
import { readFile, readFully } from '../transfer.ts';

// Format 1, which mailcap 0.1.0 wrote. A segment is `mailcap log
// `, a format number and then records. A record has a length, a CRC-32 of kind and payload, a kind, and the payload;
// all numbers are little-endian. An index record at the end of a full segment repeats its changes. It is not read,
// because bytes of a mail could look like one.

const MAGIC = 'mailcap log\n';
const HEADER_BYTES = MAGIC.length + 4;
const RECORD_HEADER_BYTES = 9;
const KIND = { changes: 2, index: 3 } as const;

/** The changes of one record, with its position. */
export interface PlacedChanges {
  readonly segment: number;
  readonly offset: number;
  readonly changes: readonly Change[];
}

/** A parsed log of format 1. */
export interface OldLog {
  readonly records: readonly PlacedChanges[];
  /** Sentences about unreadable parts. */
  readonly damages: readonly string[];
  /** Tells whether all bytes of a blob exist. */
  holds(ref: BlobRef): boolean;
  /** Streams the bytes of a blob, extent by extent. */
  read(ref: BlobRef): AsyncGenerator<Buffer>;
}

export async function readOldLog(disk: Disk, directory: string): Promise<OldLog> {
  const numbers = await oldSegments(disk, directory);
  const records: PlacedChanges[] = [];
  const damages: string[] = [];
  const ends = new Map<number, number>();
  for (const number of numbers) {
    const path = segmentPath(directory, number);
    const bytes = await readFile(disk, path);
    if (bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw new StoreRefused(`${path} is no mailcap log; move it away, or use another --data-dir`);
    const end = readRecords(bytes, number, records);
    ends.set(number, end);
    if (end < bytes.length && number !== numbers.at(-1))
      damages.push(`${path} at byte ${end} is damaged: what stood in ${bytes.length - end} bytes is lost`);
  }
  return {
    records,
    damages,
    holds: (ref) => readRef(ref).every(({ segment, offset, length }) => offset + length <= (ends.get(segment) ?? 0)),
    read: async function* (ref) {
      for (const { segment, offset, length } of readRef(ref)) {
        const file = await disk.open(segmentPath(directory, segment), 'read');
        try {
          yield await readFully(file, offset, length);
        } finally {
          await file.close();
        }
      }
    },
  };
}

/** Lists the segment numbers of format 1 in a directory, the oldest first. */
export async function oldSegments(disk: Disk, directory: string): Promise<number[]> {
  if ((await disk.stat(directory)) === null) return [];
  return (await disk.list(directory))
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Reads records up to the first incomplete one and returns its position. */
function readRecords(bytes: Buffer, segment: number, into: PlacedChanges[]): number {
  let at = HEADER_BYTES;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    const offset = at + RECORD_HEADER_BYTES;
    const end = offset + bytes.readUInt32LE(at);
    const kind = bytes[at + 8];
    if (end > bytes.length || kind === 0 || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    if (kind === KIND.index) return bytes.length;
    if (kind === KIND.changes) {
      const changes: unknown = JSON.parse(bytes.toString('utf8', offset, end));
      if (Array.isArray(changes) && changes.every(isChange)) into.push({ segment, offset, changes });
    }
    at = end;
  }
  return at;
}

export function segmentPath(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(8, '0')}.log`);
}
