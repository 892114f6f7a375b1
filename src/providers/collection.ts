import { keyOfRecord, type ProviderRecord, type RecordKind } from '../domain/provider.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { getRecord, listRecords, putRecord, type RecordScope, removeRecord } from './records.ts';

/** The records of one form that an API keeps for the app. No other code writes them. */
export interface Collection<Data> {
  get(scope: RecordScope, reader: Reader, key: string): Promise<Data | null>;
  /** Lists them, the ones with the greatest keys first. */
  list(scope: RecordScope, reader: Reader): Promise<CollectionEntry<Data>[]>;
  put(scope: RecordScope, tx: Tx, key: string, data: Data): Promise<void>;
  remove(scope: RecordScope, tx: Tx, key: string): Promise<void>;
}

export interface CollectionEntry<Data> {
  readonly key: string;
  readonly data: Data;
  readonly createdAt: number;
}

/** Returns the collection of the records of a kind. `start` begins their keys, and tells them from others of the kind. */
export function collection<Data extends object>(kind: RecordKind, start = ''): Collection<Data> {
  return {
    get: async (scope, reader, key) => {
      const record = await getRecord(scope, reader, kind, start + key);
      return record === null ? null : (record.data as Data);
    },
    list: async (scope, reader) => {
      const all = await listRecords(scope, reader, kind);
      return all
        .filter((record) => keyOfRecord(record).startsWith(start))
        .map((one) => ({
          key: keyOfRecord(one).slice(start.length),
          data: one.data as Data,
          createdAt: one.createdAt,
        }));
    },
    put: async (scope, tx, key, data) => {
      await putRecord(scope, tx, kind, start + key, data as ProviderRecord['data']);
    },
    remove: (scope, tx, key) => removeRecord(scope, tx, kind, start + key),
  };
}
