import type { WorkspaceId } from '../../domain/ids.ts';
import { MOST_RULES, type ProviderRecord, rulesId } from '../../domain/provider.ts';
import type { Reader } from '../../ports/store.ts';
import { listRecords, type RecordScope } from '../records.ts';

// The rules by which mail for addresses of the app goes to the app.

/** Lists the rules of all providers in a workspace. */
export function allRules(reader: Reader, workspaceId: WorkspaceId): Promise<ProviderRecord[]> {
  return reader.providerRecords.list(rulesId(workspaceId), { limit: MOST_RULES });
}

/** Lists the rules of a provider, in the order of their keys. */
export async function ownRules(scope: RecordScope, reader: Reader): Promise<ProviderRecord[]> {
  return (await listRecords(scope, reader, 'rules')).reverse();
}
