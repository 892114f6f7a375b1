import { expect, test } from 'vitest';
import {
  FRAGMENT_HEADER_BYTES,
  frame,
  KIND,
  LOG_BLOCK_BYTES,
  SEGMENT_HEADER_BYTES,
  saltOf,
  walk,
} from '../../src/store/file/segment-format.ts';

const SALT = saltOf('0123456789abcdef', 1);
const RECORD_BYTES = 3_000;
const BLOCKS = 4;

/** A segment of some blocks full of records, and the place of each payload. */
function segmentOf(payload: (index: number) => Buffer): { bytes: Buffer; offsets: readonly number[] } {
  const bytes = [Buffer.alloc(SEGMENT_HEADER_BYTES)];
  const offsets: number[] = [];
  let position = SEGMENT_HEADER_BYTES;
  for (let index = 0; position < BLOCKS * LOG_BLOCK_BYTES; index++) {
    const framed = frame(KIND.blob, [payload(index)], position, SALT);
    bytes.push(...framed.bytes.map((part) => Buffer.from(part)));
    offsets.push(framed.offset);
    position += framed.size;
  }
  return { bytes: Buffer.concat(bytes), offsets };
}

const numbered = (index: number) => Buffer.alloc(RECORD_BYTES, `record ${index}. `);

test('a header with more than one wrong bit costs at most the rest of its block', () => {
  const { bytes, offsets } = segmentOf(numbered);
  for (const offset of offsets) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, offset - FRAGMENT_HEADER_BYTES, offset);
    const { records } = walk(damaged, SALT);
    const found = new Set(records.filter(({ condition }) => condition === 'whole').map((record) => record.offset));
    const blockOf = (place: number) => Math.floor(place / LOG_BLOCK_BYTES);
    const reached = (place: number) => blockOf(place + RECORD_BYTES) === blockOf(offset);
    const missing = offsets.filter((place) => !found.has(place));
    expect(missing).toContain(offset);
    for (const place of missing) expect(blockOf(place) === blockOf(offset) || reached(place)).toBe(true);
  }
});

test('one wrong bit in a header is repaired, wherever it is', () => {
  const { bytes, offsets } = segmentOf(numbered);
  const offset = offsets[5] ?? 0;
  for (let bit = 0; bit < FRAGMENT_HEADER_BYTES * 8; bit++) {
    const damaged = Buffer.from(bytes);
    const at = offset - FRAGMENT_HEADER_BYTES + (bit >> 3);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7));
    const { records } = walk(damaged, SALT);
    expect(records.filter(({ condition }) => condition === 'whole').map((record) => record.offset)).toEqual(offsets);
    expect(records.filter(({ mendedAt }) => mendedAt !== null)).toHaveLength(1);
  }
});

test('a payload with copies of the headers of its segment is skipped, even if its own header is damaged', () => {
  const whole = segmentOf(numbered);
  // Copies of real headers, each at the place within its block where the real one stands.
  const { bytes, offsets } = segmentOf((index) =>
    Buffer.from(
      whole.bytes.subarray(SEGMENT_HEADER_BYTES + index * 7, SEGMENT_HEADER_BYTES + index * 7 + RECORD_BYTES),
    ),
  );
  expect(walk(bytes, SALT).records.map(({ offset }) => offset)).toEqual(offsets);
  for (const offset of offsets) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0, offset - FRAGMENT_HEADER_BYTES, offset);
    const found = walk(damaged, SALT).records.filter(({ condition }) => condition === 'whole');
    for (const record of found) expect(offsets).toContain(record.offset);
  }
});
