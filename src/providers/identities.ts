import { addIdentity } from '../actions/sends.ts';
import { ApiError } from '../domain/errors.ts';
import type { Identity } from '../domain/outbound.ts';
import type { Reader, Tx } from '../ports/store.ts';
import type { DoorCall, DoorRefusal } from './door.ts';

// The domains that a workspace sends from, which the APIs of all providers share.

/** Lists the domains of the workspace of a request. */
export function identities({ workspaceId }: DoorCall, reader: Reader): Promise<readonly Identity[]> {
  return reader.identities.list(workspaceId);
}

/** Adds a domain. Throws what `refuse` makes if it is none. */
export function addDomain(call: DoorCall, tx: Tx, domain: unknown, refuse: () => DoorRefusal): Promise<Identity> {
  return addIdentity(call.ctx, tx, call.workspaceId, { domain }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'invalid_domain') throw error;
    throw refuse();
  });
}
