import type { WorkspaceId } from '../../domain/ids.ts';
import { isPending, type Send } from '../../domain/send.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { type Change, type State, suppressionKey } from './state.ts';

/** The writes of a transaction that concern sending: identities, suppression, sends. */
export function outboundWrites(
  state: State,
  reader: Reader,
  write: (change: Change) => void,
): { tables: Pick<Tx, 'identities' | 'suppression' | 'sends'>; removeAllOf(workspaceId: WorkspaceId): void } {
  return {
    removeAllOf: (workspaceId) => {
      for (const { id } of [...state.identitiesByWorkspace.of(workspaceId).ascending()])
        write(['remove', 'identities', id]);
      for (const { id } of [...state.suppressionByWorkspace.of(workspaceId).ascending()])
        write(['remove', 'suppression', id]);
      for (const { id } of [...state.sendsByWorkspace.of(workspaceId).ascending()]) write(['remove', 'sends', id]);
      write(['remove', 'outbound', workspaceId]);
    },
    tables: {
      identities: {
        ...reader.identities,
        insert: async (identity) => write(['put', 'identities', identity]),
        remove: async (id) => write(['remove', 'identities', id]),
      },
      suppression: {
        ...reader.suppression,
        insert: async (entry) => {
          const key = suppressionKey(entry.workspaceId, entry.recipient);
          if (state.suppressionByRecipient.idOf(key) !== undefined) return false;
          write(['put', 'suppression', entry]);
          return true;
        },
        remove: async (id) => write(['remove', 'suppression', id]),
      },
      sends: {
        ...reader.sends,
        insert: async (send) => write(['put', 'sends', send]),
        update: async (id, fields) => {
          const current = state.sends.get(id);
          if (current === undefined) return null;
          const send: Send = { ...current, ...fields };
          write(['put', 'sends', send]);
          return send;
        },
        removeSettled: async (cutoff, limit) => {
          const doomed: string[] = [];
          for (const send of state.sendsInOrder.rows.ascending()) {
            if (doomed.length >= limit || send.createdAt >= cutoff) break;
            if (!isPending(send)) doomed.push(send.id);
          }
          for (const id of doomed) write(['remove', 'sends', id]);
          return doomed.length;
        },
      },
    },
  };
}
