import { timeIn } from '../../actions/time.ts';
import type { WorkspaceId } from '../../domain/ids.ts';
import { type ProviderRecord, recordId } from '../../domain/provider.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import type { RecordScope } from '../records.ts';

// The rules by which mail for addresses of the app goes to the app. They are of all providers and stand in one collection,
// because each mail that comes asks for those of its workspace.

/** The rules of a workspace, at most. */
export const MOST_RULES = 200;

function collectionOf(workspaceId: WorkspaceId): string {
  return `${workspaceId} inbound rules`;
}

function idOf({ workspaceId, door }: Pick<RecordScope, 'workspaceId' | 'door'>, key: string): string {
  return recordId(collectionOf(workspaceId), `${door.name} ${key}`);
}

/** Returns the key of a rule among those of its provider. */
export function keyOfRule({ id, collection, provider }: ProviderRecord): string {
  return id.slice(collection.length + provider.length + 2);
}

/** Lists the rules of all providers in a workspace. */
export function allRules(reader: Reader, workspaceId: WorkspaceId): Promise<ProviderRecord[]> {
  return reader.providerRecords.list(collectionOf(workspaceId), { limit: MOST_RULES });
}

/** Lists the rules of a provider, in the order of their keys. */
export async function ownRules({ workspaceId, door }: RecordScope, reader: Reader): Promise<ProviderRecord[]> {
  const all = await allRules(reader, workspaceId);
  return all.filter(({ provider }) => provider === door.name).reverse();
}

export function getRule(scope: RecordScope, reader: Reader, key: string): Promise<ProviderRecord | null> {
  return reader.providerRecords.get(idOf(scope, key));
}

/** Stores a rule. Over {@link MOST_RULES} the oldest ones go. */
export async function putRule(
  scope: RecordScope,
  tx: Tx,
  key: string,
  data: ProviderRecord['data'],
): Promise<ProviderRecord> {
  const { ctx, workspaceId, door } = scope;
  const before = await getRule(scope, tx, key);
  const record: ProviderRecord = {
    ...{ id: idOf(scope, key), workspaceId, collection: collectionOf(workspaceId), provider: door.name },
    ...{ kind: 'rules' as const, createdAt: before?.createdAt ?? (await timeIn(ctx, tx, workspaceId)), data },
  };
  await tx.providerRecords.put(record);
  await tx.providerRecords.trim(record.collection, MOST_RULES, false);
  return record;
}

export function removeRule(scope: RecordScope, tx: Tx, key: string): Promise<void> {
  return tx.providerRecords.remove(idOf(scope, key));
}
