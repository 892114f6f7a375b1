import { refuse } from '../../../domain/errors.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { found } from './rows.ts';

export function readKeys(state: State): Reader['keys'] {
  return {
    get: async (id) => state.keys.get(id) ?? null,
    byHash: async (hash) => found(state.keys, state.keysByHash.idOf(hash)),
    list: async (workspaceId) => [...state.keysByWorkspace.of(workspaceId).ascending()],
  };
}

export function writeKeys(state: State, write: Write): Writes<'keys'> {
  return {
    insert: async (key, maxActive) => {
      if (state.activeKeys.of(key.workspaceId) >= maxActive)
        throw refuse('plan_max_keys_reached', { limit: maxActive });
      write(['put', 'keys', key]);
    },
    update: async (key) => write(['put', 'keys', key]),
  };
}
