import { ulidTime } from '../../../domain/ids.ts';
import { isPending, type Send } from '../../../domain/send.ts';
import type { Reader } from '../../../ports/store.ts';
import type { SendQuery } from '../../../ports/store-queries.ts';
import type { SortedRows } from '../sorted-rows.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { take } from './rows.ts';

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
