import { crc32 } from 'node:zlib';

// A segment is divided into blocks, like the logs of LevelDB and RocksDB. A record is split into fragments so that none
// crosses the end of a block, and every block starts with a fragment header. A reader that meets a damaged header
// continues at the next block, which it finds by arithmetic. docs/store-format.md describes every byte.

export const BLOCK_BYTES = 64 * 1024;
export const FRAGMENT_HEADER_BYTES = 16;

/** The kinds of records: blobs with the bytes of mail and captures, and the changes of one transaction as JSON. */
export const KIND = { blob: 1, changes: 2 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const FIRST = 1;
const LAST = 2;

/** A fragment header with a valid checksum. */
export interface FragmentHeader {
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
  const left = BLOCK_BYTES - (position % BLOCK_BYTES);
  return left > FRAGMENT_HEADER_BYTES ? position : position + left;
}

/** Returns the payload bytes that fit into a fragment with its header at `headerAt`. */
export function payloadRoom(headerAt: number): number {
  return BLOCK_BYTES - (headerAt % BLOCK_BYTES) - FRAGMENT_HEADER_BYTES;
}

/** Yields the pieces of a payload of `length` bytes that starts at `offset`, in order. */
export function* payloadRuns(
  offset: number,
  length: number,
): Generator<{ readonly at: number; readonly length: number }> {
  let at = offset;
  for (let left = length; ; ) {
    const run = Math.min(left, BLOCK_BYTES - (at % BLOCK_BYTES));
    yield { at, length: run };
    left -= run;
    if (left === 0) return;
    at += run + FRAGMENT_HEADER_BYTES;
  }
}

/** Returns the end of a payload of `length` bytes that starts at `offset`. */
export function payloadEnd(offset: number, length: number): number {
  const inFirst = BLOCK_BYTES - (offset % BLOCK_BYTES);
  if (length <= inFirst) return offset + length;
  const perBlock = BLOCK_BYTES - FRAGMENT_HEADER_BYTES;
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
export interface Framed {
  readonly bytes: readonly Uint8Array[];
  /** The number of bytes, including padding in front. */
  readonly size: number;
  /** The position at which the payload starts. */
  readonly offset: number;
}

/** Splits a record into fragments that start at `position`. `salt` is the salt of the segment. */
export function frame(kind: Kind, parts: readonly Uint8Array[], position: number, salt: number): Framed {
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
export function mendHeader(header: Buffer, at: number, salt: number): FragmentHeader | null {
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
