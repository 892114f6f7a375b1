import { FRAGMENT_HEADER_BYTES, KIND } from './block.ts';
import { readChanges } from './changes-record.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';
import type { Segment } from './segments.ts';
import { isBefore, type Position } from './snapshot-document.ts';
import type { Walked } from './walk.ts';

/** A segment that was not sealed when the snapshot was written. */
export interface Tail {
  readonly segment: Segment;
  readonly header: 'right' | 'rotten';
  readonly bytes: number;
  readonly walked: Walked;
}

/**
 * Tells whether the segment's header ever reached the disk: `synced` proves it, or only a kill, not a power cut, can
 * have happened.
 */
export function wasMade({ segment: { number }, bytes }: Tail, synced: Position, isSameBoot: boolean): boolean {
  const end = { segment: number, offset: SEGMENT_HEADER_BYTES };
  return !isBefore(synced, end) || (isSameBoot && bytes >= SEGMENT_HEADER_BYTES);
}

/**
 * Tells whether the end of a segment is damaged, not torn. Bytes that were synced, or that a killed process had written
 * completely, cannot be torn.
 */
export function isRot({ segment: { number }, walked }: Tail, synced: Position, isSameBoot: boolean): boolean {
  if (isBefore({ segment: number, offset: walked.end }, synced)) return true;
  const last = walked.records.at(-1);
  return isSameBoot && last?.condition === 'rotten' && !last.isCut;
}

/** Returns the position up to which the log was on the disk, according to the snapshot or a later record. */
export function syncedUpTo(position: Position, tails: readonly Tail[]): Position {
  let synced = position;
  // A segment is synced before the next one starts.
  const last = tails.at(-1)?.segment.number ?? 0;
  if (last > synced.segment) synced = { segment: last, offset: 0 };
  for (const { walked } of tails) {
    for (const { kind, condition, payload } of walked.records) {
      const record = kind === KIND.changes && condition === 'whole' ? readChanges(payload) : null;
      if (record !== null && !isBefore(record.synced, synced)) synced = record.synced;
    }
  }
  return synced;
}

/**
 * Finds the first damaged position after `synced`. It was not on the disk when the power failed, and neither was
 * anything after it. Returns null if there is none.
 */
export function firstUnwritten({ segment: { number }, header, walked }: Tail, synced: Position): number | null {
  if (header === 'rotten' && synced.offset === 0 && number === synced.segment) return 0;
  const places = [
    ...walked.holes.map(({ from }) => from),
    ...walked.records
      .filter(({ condition }) => condition === 'rotten')
      .map(({ offset }) => offset - FRAGMENT_HEADER_BYTES),
  ].filter((offset) => offset < walked.end && !isBefore({ segment: number, offset }, synced));
  return places.length === 0 ? null : Math.min(...places);
}
