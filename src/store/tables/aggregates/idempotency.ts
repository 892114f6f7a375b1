import { isKept } from '../../../domain/idempotency.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';

export function readIdempotency(state: State): Reader['idempotency'] {
  return { get: async (id) => state.idempotency.get(id) ?? null };
}

export function writeIdempotency(state: State, write: Write): Writes<'idempotency'> {
  return {
    put: async (record) => {
      // The record is removed and inserted again, which keeps the table in the order of expiry.
      if (state.idempotency.get(record.id) !== undefined) write(['remove', 'idempotency', record.id]);
      write(['put', 'idempotency', record]);
    },
    removeExpired: async (realNow, limit) => {
      const expired: string[] = [];
      for (const record of state.idempotency.values()) {
        if (expired.length >= limit || isKept(record, realNow)) break;
        expired.push(record.id);
      }
      for (const id of expired) write(['remove', 'idempotency', id]);
      return expired.length;
    },
  };
}
