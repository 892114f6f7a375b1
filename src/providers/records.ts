import { timeIn } from '../actions/time.ts';
import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import {
  collectionId,
  MOST_RECORDS,
  MOST_RULES,
  type ProviderRecord,
  type RecordKind,
  recordId,
} from '../domain/provider.ts';
import type { Reader, RecordQuery, Tx } from '../ports/store.ts';
import type { Door } from './door.ts';

/** Whose records a request reads and writes. */
export interface RecordScope {
  readonly ctx: Context;
  readonly workspaceId: WorkspaceId;
  readonly door: Door;
}

/**
 * Stores a record under a key of its kind, and returns it. Over {@link MOST_RECORDS} of a kind, or {@link MOST_RULES}, the
 * oldest ones go, but no scheduled emails.
 */
export async function putRecord(
  scope: RecordScope,
  tx: Tx,
  kind: RecordKind,
  key: string,
  { dueAt, ...data }: Readonly<Record<string, unknown>> & { readonly dueAt?: number | undefined },
): Promise<ProviderRecord> {
  const { ctx, workspaceId, door } = scope;
  const collection = collectionId(workspaceId, door.name, kind);
  const id = idOf(scope, kind, key);
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
  const evenDue = kind === 'events' || kind === 'inbound' || kind === 'texts';
  await tx.providerRecords.trim(collection, kind === 'rules' ? MOST_RULES : MOST_RECORDS, evenDue);
  return record;
}

function idOf({ workspaceId, door }: RecordScope, kind: RecordKind, key: string): string {
  return recordId(collectionId(workspaceId, door.name, kind), kind === 'rules' ? `${door.name} ${key}` : key);
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
  scope: RecordScope,
  reader: Reader,
  kind: RecordKind,
  key: string,
): Promise<ProviderRecord | null> {
  return reader.providerRecords.get(idOf(scope, kind, key));
}

/**
 * Lists the records of a kind, the ones with the greatest keys first, below the key `before`. With `after` it lists those
 * with the smallest keys above it first.
 */
export async function listRecords(
  scope: RecordScope,
  reader: Reader,
  kind: RecordKind,
  { before, after, limit }: RecordQuery = { limit: MOST_RECORDS },
): Promise<ProviderRecord[]> {
  const { workspaceId, door } = scope;
  const position = (key: string | undefined) => (key === undefined ? undefined : idOf(scope, kind, key));
  const query = { before: position(before), after: position(after), limit };
  const all = await reader.providerRecords.list(collectionId(workspaceId, door.name, kind), query);
  // The rules of other providers stand in the same collection.
  return all.filter(({ provider }) => provider === door.name);
}

export async function removeRecord(scope: RecordScope, tx: Tx, kind: RecordKind, key: string): Promise<void> {
  await tx.providerRecords.remove(idOf(scope, kind, key));
}
