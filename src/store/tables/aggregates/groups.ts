import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';

export function readGroups(state: State): Reader['groups'] {
  return {
    get: async (id) => state.groups.get(id) ?? null,
    list: async (workspaceId) => [...state.groupsByWorkspace.of(workspaceId).ascending()],
  };
}

export function writeGroups(state: State, write: Write): Writes<'groups'> {
  return {
    insert: async (group) => write(['put', 'groups', group]),
    remove: async (id) => {
      for (const mailbox of [...state.mailboxesByGroup.of(id).ascending()]) {
        write(['put', 'mailboxes', { ...mailbox, groupId: null }]);
      }
      write(['remove', 'groups', id]);
    },
  };
}
