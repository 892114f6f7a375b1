import { crc32 } from 'node:zlib';
import { type Change, isChange, type LogPosition, type TableName } from '../tables/state.ts';

// The first bytes of a segment identify it. Its number and its store also enter the checksum of every header in it, so
// that a segment of another store or number cannot be mistaken for it.

export const FORMAT = 3;
export const SEGMENT_HEADER_BYTES = 32;
const MAGIC = 'mailcap\n';

/** The id of a store: eight bytes in hexadecimal. */
export type StoreId = string;

/** Returns the initial value for the checksums of a segment's headers. */
export function saltOf(store: StoreId, segment: number): number {
  const bytes = Buffer.alloc(12);
  bytes.write(store, 'hex');
  bytes.writeUInt32LE(segment, 8);
  return crc32(bytes);
}

export function writeSegmentHeader(store: StoreId, segment: number): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(FORMAT, 8);
  header.writeUInt32LE(segment, 12);
  header.write(store, 16, 'hex');
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

/**
 * Checks a segment header. `rotten` means that it is not valid. `foreign` means that it belongs to another store,
 * segment or format.
 */
export function checkSegmentHeader(header: Buffer, store: StoreId, segment: number): 'right' | 'rotten' | 'foreign' {
  if (header.length < SEGMENT_HEADER_BYTES || crc32(header.subarray(0, 28)) !== header.readUInt32LE(28))
    return 'rotten';
  return header.equals(writeSegmentHeader(store, segment)) ? 'right' : 'foreign';
}

// A segment is divided into blocks, like the logs of LevelDB and RocksDB. A record is split into fragments so that none
// crosses the end of a block, and every block starts with a fragment header. A reader that meets a damaged header
// continues at the next block, which it finds by arithmetic. README.md describes every byte.

export const LOG_BLOCK_BYTES = 64 * 1024;
export const FRAGMENT_HEADER_BYTES = 16;

/** The kinds of records: blobs with the bytes of mail and captures, and the changes of one transaction as JSON. */
export const KIND = { blob: 1, changes: 2 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const FIRST = 1;
const LAST = 2;

/** A fragment header with a valid checksum. */
interface FragmentHeader {
  readonly payloadCrc: number;
  readonly length: number;
  readonly kind: Kind;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The position of the header of the record's first fragment. */
  readonly recordAt: number;
}

/**
 * Returns the position of the next fragment header after `position`. A header needs room in its block for at least one
 * byte of payload.
 */
export function headerPosition(position: number): number {
  const left = LOG_BLOCK_BYTES - (position % LOG_BLOCK_BYTES);
  return left > FRAGMENT_HEADER_BYTES ? position : position + left;
}

/** Returns the payload bytes that fit into a fragment with its header at `headerAt`. */
function payloadRoom(headerAt: number): number {
  return LOG_BLOCK_BYTES - (headerAt % LOG_BLOCK_BYTES) - FRAGMENT_HEADER_BYTES;
}

/** Yields the pieces of a payload of `length` bytes that starts at `offset`, in order. */
export function* payloadRuns(
  offset: number,
  length: number,
): Generator<{ readonly at: number; readonly length: number }> {
  let at = offset;
  for (let left = length; ; ) {
    const run = Math.min(left, LOG_BLOCK_BYTES - (at % LOG_BLOCK_BYTES));
    yield { at, length: run };
    left -= run;
    if (left === 0) return;
    at += run + FRAGMENT_HEADER_BYTES;
  }
}

/** Returns the end of a payload of `length` bytes that starts at `offset`. */
export function payloadEnd(offset: number, length: number): number {
  const inFirst = LOG_BLOCK_BYTES - (offset % LOG_BLOCK_BYTES);
  if (length <= inFirst) return offset + length;
  const perBlock = LOG_BLOCK_BYTES - FRAGMENT_HEADER_BYTES;
  const headers = Math.ceil((length - inFirst) / perBlock);
  return offset + length + headers * FRAGMENT_HEADER_BYTES;
}

const scratch = Buffer.alloc(16);

/**
 * Computes the checksum of a header. It covers the header's position, so that bytes copied from elsewhere are invalid.
 */
function headerCrc(header: Buffer, at: number, salt: number): number {
  header.copy(scratch, 0, 4, FRAGMENT_HEADER_BYTES);
  scratch.writeUInt32LE(at, 12);
  return crc32(scratch, salt);
}

/** A record split into fragments, ready to be written. */
export interface FramedRecord {
  readonly bytes: readonly Uint8Array[];
  /** The number of bytes, including padding in front. */
  readonly size: number;
  /** The position at which the payload starts. */
  readonly offset: number;
}

/** Splits a record into fragments that start at `position`. `salt` is the salt of the segment. */
export function frame(kind: Kind, parts: readonly Uint8Array[], position: number, salt: number): FramedRecord {
  let length = 0;
  for (const part of parts) length += part.length;
  const recordAt = headerPosition(position);
  const bytes: Uint8Array[] = [];
  if (recordAt > position) bytes.push(Buffer.alloc(recordAt - position));
  let headerAt = recordAt;
  let part = 0;
  let inPart = 0;
  for (let left = length, flags = FIRST; ; flags = 0) {
    const run = Math.min(left, payloadRoom(headerAt));
    left -= run;
    const header = Buffer.allocUnsafe(FRAGMENT_HEADER_BYTES);
    bytes.push(header);
    let crc = 0;
    for (let wanted = run; wanted > 0; ) {
      const source = parts[part];
      if (source === undefined) throw new Error('a record is longer than its parts');
      const take = Math.min(wanted, source.length - inPart);
      const piece = take === source.length ? source : source.subarray(inPart, inPart + take);
      crc = crc32(piece, crc);
      bytes.push(piece);
      wanted -= take;
      inPart += take;
      if (inPart === source.length) {
        part++;
        inPart = 0;
      }
    }
    header.writeUInt32LE(crc, 4);
    header.writeUInt16LE(run, 8);
    header[10] = kind;
    header[11] = left === 0 ? flags | LAST : flags;
    header.writeUInt32LE(recordAt, 12);
    header.writeUInt32LE(headerCrc(header, headerAt, salt), 0);
    if (left === 0)
      return {
        bytes,
        size: headerAt + FRAGMENT_HEADER_BYTES + run - position,
        offset: recordAt + FRAGMENT_HEADER_BYTES,
      };
    headerAt += FRAGMENT_HEADER_BYTES + run;
  }
}

/** Repairs a header with one flipped bit, which its checksum reveals. Returns null if more than one bit is wrong. */
function mendHeader(header: Buffer, at: number, salt: number): FragmentHeader | null {
  const copy = Buffer.from(header);
  for (let bit = 0; bit < copy.length * 8; bit++) {
    const byte = bit >> 3;
    const mask = 1 << (bit & 7);
    copy[byte] = (copy[byte] ?? 0) ^ mask;
    const found = readHeader(copy, at, salt);
    if (found !== null) return found;
    copy[byte] = (copy[byte] ?? 0) ^ mask;
  }
  return null;
}

/** Reads the fragment header at `at`. Returns null if it is invalid. */
export function readHeader(header: Buffer, at: number, salt: number): FragmentHeader | null {
  if (header.length < FRAGMENT_HEADER_BYTES) return null;
  if (header.readUInt32LE(0) !== headerCrc(header, at, salt)) return null;
  const kind = header[10];
  const flags = header[11] ?? 0;
  const length = header.readUInt16LE(8);
  if ((kind !== KIND.blob && kind !== KIND.changes) || flags > (FIRST | LAST) || length > payloadRoom(at)) return null;
  return {
    payloadCrc: header.readUInt32LE(4),
    length,
    kind,
    isFirst: (flags & FIRST) !== 0,
    isLast: (flags & LAST) !== 0,
    recordAt: header.readUInt32LE(12),
  };
}

/**
 * The condition of a record. `whole` has a valid checksum. `erased` was deleted and overwritten with zeros. `rotten` is
 * anything else.
 */
type Condition = 'whole' | 'erased' | 'rotten';

export interface FoundRecord {
  readonly kind: Kind;
  readonly condition: Condition;
  /** The position of the payload, which identifies the record. */
  readonly offset: number;
  /** The position of a header with one repaired bit. Null if there is none. */
  readonly mendedAt: number | null;
  /** Tells whether the file ends within the record, as after a kill during a write. */
  readonly isCut: boolean;
  /** The payload. Empty if the record is not whole. */
  readonly payload: Buffer;
  readonly end: number;
}

/** A range of a segment without a recognizable record. */
interface Hole {
  readonly from: number;
  readonly to: number;
}

export interface SegmentRecords {
  readonly records: readonly FoundRecord[];
  readonly holes: readonly Hole[];
  /** The end of the last intact record. */
  readonly end: number;
}

const NOTHING = Buffer.alloc(0);

/** Reads a segment from its start. It finds the structure by position alone and skips damaged parts. */
export function walk(bytes: Buffer, salt: number): SegmentRecords {
  const records: FoundRecord[] = [];
  const holes: Hole[] = [];
  let end = Math.min(SEGMENT_HEADER_BYTES, bytes.length);
  const rotten = (from: number, to: number) => {
    const last = holes.at(-1);
    if (last?.to === from) holes[holes.length - 1] = { from: last.from, to };
    else holes.push({ from, to });
  };
  for (let at = headerPosition(end); at + FRAGMENT_HEADER_BYTES <= bytes.length; ) {
    const record = readRecord(bytes, at, salt);
    if (record === null) {
      // There is no valid header, or a fragment whose record start is lost.
      const { header } = headerAt(bytes, at, salt);
      const next = header === null ? nextBlock(at) : at + FRAGMENT_HEADER_BYTES + header.length;
      rotten(at, Math.min(next, bytes.length));
      at = headerPosition(next);
      continue;
    }
    records.push(record);
    if (record.condition !== 'rotten') end = record.end;
    at = headerPosition(record.end);
  }
  return { records, holes: holes.filter(({ from }) => from < end), end };
}

function headerAt(bytes: Buffer, at: number, salt: number): { header: FragmentHeader | null; isMended: boolean } {
  const text = bytes.subarray(at, at + FRAGMENT_HEADER_BYTES);
  const header = readHeader(text, at, salt);
  if (header !== null || isZero(text)) return { header, isMended: false };
  const mended = mendHeader(text, at, salt);
  return { header: mended, isMended: mended !== null };
}

function nextBlock(at: number): number {
  return at - (at % LOG_BLOCK_BYTES) + LOG_BLOCK_BYTES;
}

/** Reads the record whose first header is at `at`. Returns null if there is none. */
function readRecord(bytes: Buffer, at: number, salt: number): FoundRecord | null {
  let kind: Kind | null = null;
  let condition: Condition = 'whole';
  const pieces: Buffer[] = [];
  let end = at;
  let mendedAt: number | null = null;
  for (let place = at; ; place = headerPosition(end)) {
    const { header, isMended } = headerAt(bytes, place, salt);
    if (header === null || header.recordAt !== at || header.isFirst !== (place === at)) {
      if (kind === null) return null;
      // The rest of the record is lost. The walk continues after what exists.
      const isCut = place + FRAGMENT_HEADER_BYTES > bytes.length;
      return { kind, condition: 'rotten', offset: at + FRAGMENT_HEADER_BYTES, mendedAt, isCut, payload: NOTHING, end };
    }
    if (isMended) mendedAt = place;
    kind ??= header.kind;
    const from = place + FRAGMENT_HEADER_BYTES;
    end = from + header.length;
    const payload = bytes.subarray(from, end);
    if (payload.length < header.length || crc32(payload) !== header.payloadCrc) condition = 'rotten';
    pieces.push(payload);
    if (!header.isLast) continue;
    if (condition === 'rotten' && end <= bytes.length && pieces.every(isZero)) condition = 'erased';
    const whole = pieces.length === 1 ? payload : Buffer.concat(pieces);
    const found = condition === 'whole' ? whole : NOTHING;
    return {
      kind,
      condition,
      offset: at + FRAGMENT_HEADER_BYTES,
      mendedAt,
      isCut: end > bytes.length,
      payload: found,
      end: Math.min(end, bytes.length),
    };
  }
}

const ZEROS = Buffer.alloc(LOG_BLOCK_BYTES);

function isZero(bytes: Buffer): boolean {
  return ZEROS.compare(bytes, 0, bytes.length, 0, bytes.length) === 0;
}

// The payload of a changes record is a JSON array: a note, then the changes of one transaction. The note holds the
// position up to which the log was on the disk when the record was written. With it, a reader can distinguish damaged
// records from torn ones, which were not acknowledged before a power cut.

/**
 * The tables on which the rows of others depend. Their changes, and all removals, are written twice, so that one
 * damaged record loses nothing and restores nothing.
 */
const PRECIOUS: ReadonlySet<TableName> = new Set<TableName>([
  'workspaces',
  'keys',
  'groups',
  'authenticators',
  'mailboxes',
  'identities',
  'suppression',
  'webhooks',
]);

export interface ChangesRecord {
  /** The position up to which the log was on the disk when the record was written. */
  readonly synced: LogPosition;
  /** Tells whether the record repeats the previous one. */
  readonly isCopy: boolean;
  readonly changes: readonly Change[];
}

const COPY = 'copy';

/** Matches the start of a copy, and of no other record. */
export const COPY_START = /^\[\["synced",\d+,\d+,"copy"\]/;
/** The longest start of a copy, in bytes. */
export const COPY_START_BYTES = 64;

/** Writes the payload of a record. `changes` is the JSON of a non-empty array. */
export function writeChanges(changes: string, { segment, offset }: LogPosition, isCopy: boolean): Buffer {
  return Buffer.from(`[["synced",${segment},${offset}${isCopy ? `,"${COPY}"` : ''}],${changes.slice(1)}`);
}

/** Parses a payload whose checksum is valid. Returns null if this version does not know its content. */
export function readChanges(payload: Buffer): ChangesRecord | null {
  const content: unknown = JSON.parse(payload.toString('utf8'));
  if (!Array.isArray(content)) return null;
  const [note, ...changes] = content as readonly unknown[];
  if (!Array.isArray(note) || note[0] !== 'synced' || !changes.every(isChange)) return null;
  const [, segment, offset, mark] = note as readonly unknown[];
  if (typeof segment !== 'number' || typeof offset !== 'number') return null;
  return { synced: { segment, offset }, isCopy: mark === COPY, changes };
}

/** Tells whether changes must be written twice. */
export function arePrecious(changes: readonly Change[]): boolean {
  return changes.some((change) => change[0] !== 'put' || PRECIOUS.has(change[1]));
}
