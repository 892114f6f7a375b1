import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import { take, type Write, type Writes } from './rows.ts';

export function readProviderRecords(state: State): Reader['providerRecords'] {
  return {
    get: async (id) => state.providerRecords.get(id) ?? null,
    list: async (collection, { before, after, limit }) => {
      const rows = state.providerRecordsByCollection.of(collection);
      return take(after === undefined ? rows.descending(before) : rows.ascending(after), limit);
    },
    due: async () => [...state.dueProviderRecords.rows.ascending()],
  };
}

export function writeProviderRecords(state: State, write: Write): Writes<'providerRecords'> {
  return {
    put: async (record) => write(['put', 'providerRecords', record]),
    remove: async (id) => {
      if (state.providerRecords.get(id) !== undefined) write(['remove', 'providerRecords', id]);
    },
    trim: async (collection, keep, evenDue) => {
      const rows = state.providerRecordsByCollection.of(collection);
      const doomed: string[] = [];
      for (const { id, dueAt } of rows.ascending()) {
        if (rows.size - doomed.length <= keep) break;
        if (dueAt === undefined || evenDue) doomed.push(id);
      }
      for (const id of doomed) write(['remove', 'providerRecords', id]);
    },
  };
}
