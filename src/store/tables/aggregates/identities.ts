import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';

export function readIdentities(state: State): Reader['identities'] {
  return {
    get: async (id) => state.identities.get(id) ?? null,
    list: async (workspaceId) => [...state.identitiesByWorkspace.of(workspaceId).ascending()],
  };
}

export function writeIdentities(write: Write): Writes<'identities'> {
  return {
    insert: async (identity) => write(['put', 'identities', identity]),
    remove: async (id) => write(['remove', 'identities', id]),
  };
}
