import { crc32 } from 'node:zlib';

// A segment is divided into blocks, as the logs of LevelDB and RocksDB are. A record is cut into fragments so that none crosses
// the end of a block: every block begins with the header of a fragment. A reader that meets a rotten header goes on at the next
// block, and finds that place by arithmetic, never by what the bytes say. `docs/store-format.md` has it byte by byte.

export const BLOCK_BYTES = 64 * 1024;
export const FRAGMENT_HEADER_BYTES = 16;

/** The kinds of records: bytes of mail and captures, and the changes of one transaction as JSON. */
export const KIND = { blob: 1, changes: 2 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const FIRST = 1;
const LAST = 2;

/** The header of a fragment as read: its checksum was right. */
export interface FragmentHeader {
  readonly payloadCrc: number;
  readonly length: number;
  readonly kind: Kind;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The place of the header of the record's first fragment. */
  readonly recordAt: number;
}

/** Finds the place for the next fragment's header when everything before `position` is taken. A header never goes where its block has no room for a payload behind it. */
export function headerPosition(position: number): number {
  const left = BLOCK_BYTES - (position % BLOCK_BYTES);
  return left > FRAGMENT_HEADER_BYTES ? position : position + left;
}

/** How many bytes of payload a fragment whose header stands at `headerAt` can hold. */
export function payloadRoom(headerAt: number): number {
  return BLOCK_BYTES - (headerAt % BLOCK_BYTES) - FRAGMENT_HEADER_BYTES;
}

/** The place of each piece of a payload of `length` bytes that begins at `offset`, in order. */
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

/** Finds the end of a payload of `length` bytes that begins at `offset`. */
export function payloadEnd(offset: number, length: number): number {
  const inFirst = BLOCK_BYTES - (offset % BLOCK_BYTES);
  if (length <= inFirst) return offset + length;
  const perBlock = BLOCK_BYTES - FRAGMENT_HEADER_BYTES;
  const headers = Math.ceil((length - inFirst) / perBlock);
  return offset + length + headers * FRAGMENT_HEADER_BYTES;
}

const scratch = Buffer.alloc(16);

/** A header's own checksum covers the place it stands at: bytes that were copied from elsewhere are no header. */
function headerCrc(header: Uint8Array, at: number, salt: number): number {
  scratch.set(header.subarray(4, FRAGMENT_HEADER_BYTES), 0);
  scratch.writeUInt32LE(at, 12);
  return crc32(scratch, salt);
}

/** A record cut into fragments, as the bytes to write. */
export interface Framed {
  readonly bytes: readonly Uint8Array[];
  /** How many bytes these are, padding in front included. */
  readonly size: number;
  /** The place where the payload begins. */
  readonly offset: number;
}

/** Cuts a record into fragments to be written at `position`. `salt` is the segment's. */
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

/** The header at `at` with one flipped bit put right: its checksum tells which. Null where more than one is wrong. */
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

/** The header of a fragment that stands at `at`; null where the bytes are none. */
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
