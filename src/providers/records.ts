import { timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { collectionId, MOST_RECORDS, type ProviderRecord, type RecordKind, recordId } from '../domain/provider.ts';
import type { Reader, RecordQuery, Tx } from '../ports/store.ts';
import type { Door } from './door.ts';

/** Whose records a request reads and writes. */
export interface RecordScope {
  readonly ctx: Context;
  readonly workspaceId: WorkspaceId;
  readonly door: Door;
}

/**
 * Stores a record under a key of its kind. Over {@link MOST_RECORDS} of a kind the oldest ones go, but no scheduled emails.
 * Returns the record.
 */
export async function putRecord(
  { ctx, workspaceId, door }: RecordScope,
  tx: Tx,
  kind: RecordKind,
  key: string,
  { dueAt, ...data }: Readonly<Record<string, unknown>> & { readonly dueAt?: number | undefined },
): Promise<ProviderRecord> {
  const collection = collectionId(workspaceId, door.name, kind);
  const id = recordId(collection, key);
  const before = await tx.providerRecords.get(id);
  const record: ProviderRecord = {
    id,
    workspaceId,
    collection,
    provider: door.name,
    kind,
    createdAt: before?.createdAt ?? (await timeIn(ctx, tx, workspaceId)),
    ...(dueAt !== undefined && { dueAt }),
    data,
  };
  await tx.providerRecords.put(record);
  // Without a bound, an app that answers no event would fill the memory.
  await tx.providerRecords.trim(collection, MOST_RECORDS, kind === 'events' || kind === 'inbound' || kind === 'texts');
  return record;
}

/** Runs a change unless the record is gone meanwhile, such as by a request to delete it. */
export function whileKept(
  { ctx }: RecordScope,
  { id }: ProviderRecord,
  change: (tx: Tx, current: ProviderRecord) => Promise<void>,
) {
  return ctx.store.transaction(async (tx) => {
    const current = await tx.providerRecords.get(id);
    if (current !== null) await change(tx, current);
  });
}

export function getRecord(
  { workspaceId, door }: RecordScope,
  reader: Reader,
  kind: RecordKind,
  key: string,
): Promise<ProviderRecord | null> {
  return reader.providerRecords.get(recordId(collectionId(workspaceId, door.name, kind), key));
}

/**
 * Lists the records of a kind, the ones with the greatest keys first, below the key `before`. With `after` it lists those
 * with the smallest keys above it first.
 */
export function listRecords(
  { workspaceId, door }: RecordScope,
  reader: Reader,
  kind: RecordKind,
  { before, after, limit }: RecordQuery,
): Promise<ProviderRecord[]> {
  const collection = collectionId(workspaceId, door.name, kind);
  const idOf = (key: string | undefined) => (key === undefined ? undefined : recordId(collection, key));
  return reader.providerRecords.list(collection, { before: idOf(before), after: idOf(after), limit });
}

export async function removeRecord(
  { workspaceId, door }: RecordScope,
  tx: Tx,
  kind: RecordKind,
  key: string,
): Promise<void> {
  await tx.providerRecords.remove(recordId(collectionId(workspaceId, door.name, kind), key));
}
