import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Log as Logger } from '../../ports/log.ts';
import type { Change } from '../tables/state.ts';
import { StoreRefused } from './lock.ts';
import type { IndexEntry } from './log.ts';
import {
  FORMAT,
  INDEX_TRAILER_BYTES,
  KIND,
  readIndexTrailer,
  readRecord,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from './record.ts';
import { type Segment, segmentName } from './segments.ts';
import type { Position } from './snapshot.ts';

/** A segment as found. */
export interface FoundSegment {
  readonly segment: Segment;
  readonly entries: readonly IndexEntry[];
  /** It ends with its index: nothing is appended to it any more. */
  readonly sealed: boolean;
  /** Whole for certain: it ends with its index, which is written last. */
  readonly indexed: boolean;
  /** Part of it can't be read: kept as it is, never reclaimed. */
  readonly damaged: boolean;
}

/** Reads a log's segments one by one, oldest first. Only what a crash can leave, a torn end of the newest, is cut off. */
export function* readSegments(directory: string, log: Logger): Generator<FoundSegment> {
  const numbers = readdirSync(directory)
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  for (const number of numbers) {
    const found = readSegment(directory, number, number === numbers.at(-1), log);
    if (found !== null) yield found;
  }
}

export function readSegment(directory: string, number: number, newest: boolean, log: Logger): FoundSegment | null {
  const path = join(directory, segmentName(number));
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const indexed = readIndex(file, size);
    if (indexed !== null) {
      checkFormat(path, read(file, 0, SEGMENT_HEADER_BYTES));
      return {
        segment: { number, size, durable: size, created: true },
        entries: indexed,
        sealed: true,
        indexed: true,
        damaged: false,
      };
    }
    const bytes = read(file, 0, size);
    // A process killed while it made the file leaves less than a header: nothing was in it.
    if (bytes.length < SEGMENT_HEADER_BYTES && newest) {
      rmSync(path);
      return null;
    }
    checkFormat(path, bytes);
    const { entries, end, sealed } = scan(bytes);
    const damaged = end < size && !newest;
    if (damaged)
      log.error(`${path} is damaged from byte ${end} on: what stood there is lost, the rest is served`, {
        lostBytes: size - end,
      });
    if (end < size && newest) {
      log.info(`${path} ends in a record that was never acknowledged: ${size - end} bytes cut off`);
      truncateSync(path, end);
    }
    return {
      segment: { number, size: end, durable: end, created: true },
      entries,
      sealed: sealed || !newest,
      indexed: sealed,
      damaged,
    };
  } finally {
    closeSync(file);
  }
}

/** Records from the front to the first that is not whole. */
function scan(bytes: Buffer): { entries: IndexEntry[]; end: number; sealed: boolean } {
  const entries: IndexEntry[] = [];
  let end = SEGMENT_HEADER_BYTES;
  for (let record = readRecord(bytes, end); record !== null; record = readRecord(bytes, end)) {
    if (record.kind === KIND.changes) entries.push([record.offset, parseChanges(record.payload)]);
    end = record.end;
    if (record.kind === KIND.index) return { entries, end, sealed: true };
  }
  return { entries, end, sealed: false };
}

/** The index a full segment ends with, null where it has none. */
function readIndex(file: number, size: number): IndexEntry[] | null {
  if (size < SEGMENT_HEADER_BYTES + INDEX_TRAILER_BYTES) return null;
  const length = readIndexTrailer(read(file, size - INDEX_TRAILER_BYTES, INDEX_TRAILER_BYTES));
  if (length === null) return null;
  const start = size - INDEX_TRAILER_BYTES - length;
  if (start < SEGMENT_HEADER_BYTES) return null;
  const record = readRecord(read(file, start, size - start), 0);
  if (record === null || record.kind !== KIND.index) return null;
  // Guarded by its checksum: it is what this format writes.
  return JSON.parse(record.payload.toString('utf8', 0, record.payload.length - INDEX_TRAILER_BYTES)) as IndexEntry[];
}

function parseChanges(payload: Buffer): Change[] {
  // Guarded by its checksum: it is what this format writes.
  return JSON.parse(payload.toString('utf8')) as Change[];
}

function checkFormat(path: string, bytes: Buffer): void {
  const format = readSegmentHeader(bytes);
  if (format === FORMAT) return;
  throw new StoreRefused(
    'STORE_FORMAT',
    format === null
      ? `${path} is no mailcap log; move it away, or use another --data-dir`
      : `${path} is of format ${format}, this mailcap reads format ${FORMAT}; use the version that wrote it, or another --data-dir`,
  );
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** Whether a change to a small table at this place is already in a snapshot. */
export function isBefore(segment: number, offset: number, position: Position): boolean {
  return segment < position.segment || (segment === position.segment && offset < position.offset);
}
