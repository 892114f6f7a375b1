import { type Change, isChange, type TableName } from '../tables/state.ts';
import type { Position } from './snapshot.ts';

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

/** A parsed changes record. */
export interface ChangesRecord {
  /** The position up to which the log was on the disk when the record was written. */
  readonly synced: Position;
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
export function writeChanges(changes: string, { segment, offset }: Position, isCopy: boolean): Buffer {
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
