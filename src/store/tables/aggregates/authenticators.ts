import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';

export function readAuthenticators(state: State): Reader['authenticators'] {
  return {
    get: async (id) => state.authenticators.get(id) ?? null,
    list: async (workspaceId) => [...state.authenticatorsByWorkspace.of(workspaceId).ascending()],
  };
}

export function writeAuthenticators(write: Write): Writes<'authenticators'> {
  return {
    insert: async (authenticator) => write(['put', 'authenticators', authenticator]),
    remove: async (id) => write(['remove', 'authenticators', id]),
  };
}
