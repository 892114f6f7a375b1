import type { Reader } from '../../../ports/store.ts';
import { type State, suppressionKey } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { found } from './rows.ts';

export function readSuppression(state: State): Reader['suppression'] {
  return {
    get: async (id) => state.suppression.get(id) ?? null,
    byRecipient: async (workspaceId, recipient) =>
      found(state.suppression, state.suppressionByRecipient.idOf(suppressionKey(workspaceId, recipient))),
    list: async (workspaceId) => [...state.suppressionByWorkspace.of(workspaceId).ascending()],
  };
}

export function writeSuppression(state: State, write: Write): Writes<'suppression'> {
  return {
    insert: async (entry) => {
      const key = suppressionKey(entry.workspaceId, entry.recipient);
      if (state.suppressionByRecipient.idOf(key) !== undefined) return false;
      write(['put', 'suppression', entry]);
      return true;
    },
    remove: async (id) => write(['remove', 'suppression', id]),
  };
}
