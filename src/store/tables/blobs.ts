import type { BlobRef } from '../../domain/message.ts';
import type { Put, Rows, TableName } from './state.ts';

/** The fields that refer to blobs, by table. */
const BLOB_FIELDS = {
  messages: ['raw', 'facts'],
  requests: ['headers', 'body', 'forwardResponse'],
  sends: ['raw'],
} as const satisfies { readonly [Name in TableName]?: readonly (keyof Rows[Name])[] };

export type BlobTable = keyof typeof BLOB_FIELDS;

export const BLOB_TABLES = ['messages', 'requests', 'sends'] as const satisfies readonly BlobTable[];

export function isBlobTable(name: TableName): name is BlobTable {
  return name in BLOB_FIELDS;
}

const NONE: readonly BlobRef[] = [];

/** Returns the blobs to which a row refers. */
export function blobsOf([, name, row]: Put): readonly BlobRef[] {
  // This case comes first for speed: messages are written ten thousand times per second.
  if (name === 'messages') return [row.raw, row.facts];
  if (name === 'requests') return [row.headers, row.body, row.forwardResponse].filter((ref) => ref !== null);
  if (name === 'sends') return row.raw === null ? NONE : [row.raw];
  return NONE;
}

/** Copies a row and replaces its blob references as `moved` maps them. */
export function withBlobs<Name extends BlobTable>(
  name: Name,
  row: Rows[Name],
  moved: ReadonlyMap<BlobRef, BlobRef>,
): Rows[Name] {
  const copy: Rows[Name] = { ...row };
  for (const field of BLOB_FIELDS[name]) {
    // The cast is safe: the fields above hold references or null.
    const ref = Reflect.get(row, field) as BlobRef | null;
    if (ref !== null) Reflect.set(copy, field, moved.get(ref) ?? ref);
  }
  return copy;
}
