import { keyOfRecord, MOST_RECORDS, type ProviderRecord, type RecordKind } from '../domain/provider.ts';
import type { Reader, Tx } from '../ports/store.ts';
import type { DoorAnswer, DoorCall, DoorRefusal, DoorRoute } from './door.ts';
import { getRecord, listRecords, putRecord, removeRecord } from './records.ts';

// Webhooks and templates: what every provider lets an app create, list, read, change and remove.

/** What a provider's API keeps for the app under a path. */
export interface Resource {
  readonly kind: Extract<RecordKind, 'webhooks' | 'templates'>;
  /** The path of all of them. That of one has its id behind it. */
  readonly path: string;
  readonly changesBy: 'PUT' | 'PATCH';
  newKey(call: DoorCall, tx: Tx): Promise<string>;
  /** Finds the record that the path of a request names. Absent: the id is the key. */
  find?(call: DoorCall, reader: Reader): Promise<ProviderRecord | null>;
  notFound(call: DoorCall): DoorRefusal;
  /** Reads the fields of a request. `before` is the record that it changes. Throws a refusal of the provider. */
  read(call: DoorCall, before: ProviderRecord | null): Readonly<Record<string, unknown>>;
  /** Checks the new fields against the other records. Throws a refusal of the provider. */
  check?(call: DoorCall, tx: Tx, data: Readonly<Record<string, unknown>>, before: ProviderRecord | null): Promise<void>;
  readonly answers: {
    created(record: ProviderRecord): DoorAnswer;
    /** Lists the records. `all` returns them, the newest first. */
    listed(call: DoorCall, all: () => Promise<readonly ProviderRecord[]>): Promise<DoorAnswer>;
    found(record: ProviderRecord): DoorAnswer;
    changed(record: ProviderRecord): DoorAnswer;
    removed(record: ProviderRecord): DoorAnswer;
  };
}

/** Returns all records of a kind, the newest first. */
export async function allRecords(call: DoorCall, kind: RecordKind): Promise<ProviderRecord[]> {
  return listRecords(call, await call.ctx.store.readNow(), kind, { limit: MOST_RECORDS });
}

/** Returns the routes of a resource. */
export function resourceRoutes(resource: Resource): DoorRoute[] {
  const { kind, path, answers } = resource;
  const found = async (call: DoorCall, reader: Reader): Promise<ProviderRecord> => {
    const find = resource.find ?? ((of, from) => getRecord(of, from, kind, (of.params['id'] ?? '').toLowerCase()));
    const record = await find(call, reader);
    if (record === null) throw resource.notFound(call);
    return record;
  };
  return [
    {
      method: 'POST',
      path,
      handle: async (call) => {
        const data = resource.read(call, null);
        return call.once(async (tx) => {
          await resource.check?.(call, tx, data, null);
          return answers.created(await putRecord(call, tx, kind, await resource.newKey(call, tx), data));
        });
      },
    },
    {
      method: 'GET',
      path,
      handle: (call) => answers.listed(call, () => allRecords(call, kind)),
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      handle: async (call) => answers.found(await found(call, await call.ctx.store.readNow())),
    },
    {
      method: resource.changesBy,
      path: `${path}/:id`,
      handle: async (call) =>
        call.once(async (tx) => {
          const before = await found(call, tx);
          const data = { ...before.data, ...resource.read(call, before) };
          await resource.check?.(call, tx, data, before);
          return answers.changed(await putRecord(call, tx, kind, keyOfRecord(before), data));
        }),
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      handle: async (call) =>
        call.once(async (tx) => {
          const record = await found(call, tx);
          await removeRecord(call, tx, kind, keyOfRecord(record));
          return answers.removed(record);
        }),
    },
  ];
}
