import { isChange } from '../tables/check-change.ts';
import type { Change, TableName } from '../tables/state.ts';
import type { Position } from './snapshot.ts';

// The payload of a changes record is a JSON array: first a note, then the changes of one transaction. The note says up to
// where the log was known to be on the disk when the record was written, so that a reader can tell rot from what a power cut
// left of records that nobody had been told were safe.

/**
 * Tables whose loss would hide what is in others. Their changes, and all removals, are written twice, so that damage to one
 * record loses nothing and brings nothing back.
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

/** A changes record as read. */
export interface ChangesRecord {
  /** Everything before it was on the disk when the record was written. */
  readonly synced: Position;
  /** It repeats the record before it. */
  readonly isCopy: boolean;
  readonly changes: readonly Change[];
}

const COPY = 'copy';

/** How a record that is a copy begins: enough of it to be told from any other. */
export const COPY_START = /^\[\["synced",\d+,\d+,"copy"\]/;
/** No start of a copy is longer. */
export const COPY_START_BYTES = 64;

/** The payload of a record; `changes` is JSON of an array that is not empty. */
export function writeChanges(changes: string, { segment, offset }: Position, isCopy: boolean): Buffer {
  return Buffer.from(`[["synced",${segment},${offset}${isCopy ? `,"${COPY}"` : ''}],${changes.slice(1)}`);
}

/** Null for what this version does not know. The payload's checksum was right. */
export function readChanges(payload: Buffer): ChangesRecord | null {
  const content: unknown = JSON.parse(payload.toString('utf8'));
  if (!Array.isArray(content)) return null;
  const [note, ...changes] = content as readonly unknown[];
  if (!Array.isArray(note) || note[0] !== 'synced' || !changes.every(isChange)) return null;
  const [, segment, offset, mark] = note as readonly unknown[];
  if (typeof segment !== 'number' || typeof offset !== 'number') return null;
  return { synced: { segment, offset }, isCopy: mark === COPY, changes };
}

/** Tells whether changes are to be written twice. */
export function arePrecious(changes: readonly Change[]): boolean {
  return changes.some((change) => change[0] !== 'put' || PRECIOUS.has(change[1]));
}
