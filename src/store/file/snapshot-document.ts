import type { Rows, TableName } from '../tables/state.ts';
import type { StoreId } from './segment-header.ts';

/** A position in the log. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Tells whether a position comes before another one. */
export function isBefore({ segment, offset }: Position, position: Position): boolean {
  return segment < position.segment || (segment === position.segment && offset < position.offset);
}

/** A segment that must exist. */
export interface SegmentNote {
  readonly number: number;
  /** The valid length; a sealed segment has at least this many bytes. Null while it is being written. */
  readonly bytes: number | null;
  /** Tells whether it was missing or foreign when the store opened. Its content is lost until the file is put back. */
  readonly isLost?: boolean;
}

/** A row of a small table with the position of its record. 0 and 0 mean that the log does not hold it. */
export type SnapshotRow = {
  readonly [Name in TableName]: readonly [Name, Rows[Name], segment: number, offset: number];
}[TableName];

/** The snapshot: all rows of the small tables at a position in the log, and the list of segments. */
export interface SnapshotDocument {
  readonly store: StoreId;
  /** The boot id of the machine that wrote it, '' if unknown. */
  readonly boot: string;
  /** The position up to which changes to small tables are included. Later ones are only in the log. */
  readonly position: Position;
  /** Segments with this number or higher were created later. Lower ones that are not listed do not count. */
  readonly nextNumber: number;
  readonly segments: readonly SegmentNote[];
  readonly rows: readonly SnapshotRow[];
}
