import { crc32 } from 'node:zlib';

// A segment is a header and then records: length, CRC-32 of kind and payload, kind, payload. All numbers little-endian.

export const FORMAT = 1;
const MAGIC = 'mailcap log\n';
export const SEGMENT_HEADER_BYTES = MAGIC.length + 4;
export const RECORD_HEADER_BYTES = 9;

/** Bytes of messages; changes as JSON; at the end of a full segment, all its changes once more, so that opening reads no bytes of messages. */
export const KIND = { blob: 1, changes: 2, index: 3 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

const INDEX_MAGIC = 'mcindex\n';
/** What an index record's payload ends with: its own length and a mark. */
export const INDEX_TRAILER_BYTES = 4 + INDEX_MAGIC.length;

export function writeSegmentHeader(): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(FORMAT, MAGIC.length);
  return header;
}

/** The format a segment was written in, null for what is no segment. */
export function readSegmentHeader(bytes: Buffer): number | null {
  if (bytes.length < SEGMENT_HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
  return bytes.readUInt32LE(MAGIC.length);
}

export function writeRecordHeader(kind: Kind, parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  let length = 0;
  header[8] = kind;
  let crc = crc32(header.subarray(8, 9));
  for (const part of parts) {
    length += part.length;
    crc = crc32(part, crc);
  }
  header.writeUInt32LE(length, 0);
  header.writeUInt32LE(crc, 4);
  return header;
}

export function writeIndexTrailer(payloadBytes: number): Buffer {
  const trailer = Buffer.alloc(INDEX_TRAILER_BYTES);
  trailer.writeUInt32LE(payloadBytes);
  trailer.write(INDEX_MAGIC, 4, 'latin1');
  return trailer;
}

/** The length of the index record's payload that ends here, null where none does. */
export function readIndexTrailer(trailer: Buffer): number | null {
  if (trailer.length !== INDEX_TRAILER_BYTES || trailer.toString('latin1', 4) !== INDEX_MAGIC) return null;
  return trailer.readUInt32LE(0);
}

export interface FoundRecord {
  readonly kind: number;
  readonly payload: Buffer;
  /** Where the payload stands. */
  readonly offset: number;
  /** Where the next record begins. */
  readonly end: number;
}

/** The record at `at`, null where none stands there whole. */
export function readRecord(bytes: Buffer, at: number): FoundRecord | null {
  const offset = at + RECORD_HEADER_BYTES;
  if (offset > bytes.length) return null;
  const end = offset + bytes.readUInt32LE(at);
  const kind = bytes[at + 8];
  if (end > bytes.length || kind === undefined || kind === 0) return null;
  const crc = crc32(bytes.subarray(at + 8, end));
  return crc === bytes.readUInt32LE(at + 4) ? { kind, payload: bytes.subarray(offset, end), offset, end } : null;
}
