import { crc32 } from 'node:zlib';

// The first bytes of a segment identify it. Its number and its store also enter the checksum of every header in it, so
// that a segment of another store or number cannot be mistaken for it.

export const FORMAT = 2;
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
