import { ulidTime } from '../../../domain/ids.ts';
import { isPending, type Send } from '../../../domain/send.ts';
import type { Reader, SendQuery } from '../../../ports/store.ts';
import { type State, suppressionKey } from '../state.ts';
import type { SortedRows } from '../table.ts';
import { found, ofWorkspace, take, type Write, type Writes } from './rows.ts';

export function readSends(state: State): Reader['sends'] {
  return {
    get: async (id) => state.sends.get(id) ?? null,
    list: async (query) => take(rowsFor(state, query).descending(query.before), query.limit),
    pending: async (after, limit) => take(state.pendingSends.rows.ascending(after ?? undefined), limit),
  };
}

export function writeSends(state: State, write: Write): Writes<'sends'> {
  return {
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
        if (doomed.length >= limit || ulidTime(send.id) >= cutoff) break;
        if (!isPending(send)) doomed.push(send.id);
      }
      for (const id of doomed) write(['remove', 'sends', id]);
      return doomed.length;
    },
  };
}

/** Returns the smallest index that holds all rows of the query. */
function rowsFor(state: State, { workspaceId, mailboxId }: SendQuery): SortedRows<Send> {
  if (mailboxId !== undefined) return state.sendsByMailbox.of(mailboxId);
  if (workspaceId !== undefined) return state.sendsByWorkspace.of(workspaceId);
  return state.sendsInOrder.rows;
}

export function readSuppression(state: State): Reader['suppression'] {
  return {
    ...ofWorkspace(state.suppression, state.suppressionByWorkspace),
    byRecipient: async (workspaceId, recipient) =>
      found(state.suppression, state.suppressionByRecipient.idOf(suppressionKey(workspaceId, recipient))),
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
