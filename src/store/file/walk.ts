import { crc32 } from 'node:zlib';
import {
  BLOCK_BYTES,
  FRAGMENT_HEADER_BYTES,
  type FragmentHeader,
  headerPosition,
  type Kind,
  mendHeader,
  readHeader,
} from './block.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';

/**
 * The condition of a record. `whole` has a valid checksum. `erased` was deleted and overwritten with zeros. `rotten` is
 * anything else.
 */
export type Condition = 'whole' | 'erased' | 'rotten';

/** A record in a segment. */
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
export interface Hole {
  readonly from: number;
  readonly to: number;
}

/** The records of a segment. */
export interface Walked {
  readonly records: readonly FoundRecord[];
  readonly holes: readonly Hole[];
  /** The end of the last intact record. */
  readonly end: number;
}

const NOTHING = Buffer.alloc(0);

/** Reads a segment from its start. It finds the structure by position alone and skips damaged parts. */
export function walk(bytes: Buffer, salt: number): Walked {
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
  return at - (at % BLOCK_BYTES) + BLOCK_BYTES;
}

/** Reads the record whose first header is at `at`. Returns null if there is none. */
export function readRecord(bytes: Buffer, at: number, salt: number): FoundRecord | null {
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

const ZEROS = Buffer.alloc(BLOCK_BYTES);

function isZero(bytes: Buffer): boolean {
  return ZEROS.compare(bytes, 0, bytes.length, 0, bytes.length) === 0;
}
