import { keyOfRecord, type ProviderRecord, type RecordKind } from '../domain/provider.ts';
import type { Reader, Tx } from '../ports/store.ts';
import type { DoorAnswer, DoorCall, DoorRefusal, DoorRoute } from './door.ts';
import { ownRules } from './inbound/rules.ts';
import { nextNumberKey, numbered } from './numbered.ts';
import { getRecord, listRecords, putRecord, removeRecord } from './records.ts';
import { getRoute, okAnswer } from './routes.ts';

// Webhooks, templates, and the rules of inbound mail: what every provider lets an app create, list, read, change and remove.

/** What a provider's API keeps for the app under a path. */
export interface Resource {
  readonly kind: 'webhooks' | 'templates' | 'rules' | 'services';
  /** The path of all of them. That of one has its key behind it. */
  readonly path: string;
  /** The end of each path, such as `.json`. */
  readonly ending?: string;
  /** Absent: they can't be changed. */
  readonly changesBy?: 'PUT' | 'PATCH' | 'POST';
  /** How they are named: by numbers, or by what `keys` returns for a new one. */
  readonly keys: 'numbers' | ((call: DoorCall) => string);
  /** Finds the record that the path of a request names. Absent: the end of the path is its key. */
  find?(call: DoorCall, reader: Reader): Promise<ProviderRecord | null>;
  notFound(call: DoorCall): DoorRefusal;
  /** Refuses a new record whose key another one has. Absent: it takes the place of that one. */
  exists?(call: DoorCall, key: string): DoorRefusal;
  /** Reads the fields of a request. `before` is the record that it changes. Throws a refusal of the provider. */
  read(call: DoorCall, before: ProviderRecord | null): Readonly<Record<string, unknown>>;
  /** Checks the new fields against the other records. Throws a refusal of the provider. */
  check?(call: DoorCall, tx: Tx, data: Readonly<Record<string, unknown>>, before: ProviderRecord | null): Promise<void>;
  /** Shows a record in an answer. */
  show(record: ProviderRecord, call: DoorCall): object;
  /** Puts a shown record into the answer that has it alone. Absent: the answer is the record. */
  one?(shown: object): object;
  /** Tells which records a list has. Absent: all. */
  isListed?(record: ProviderRecord, call: DoorCall): boolean;
  /** Puts the shown records into the answer, the newest first, and rules in the order of their keys. Absent: no list. */
  list?(shown: readonly object[], call: DoorCall): object;
  /** The answers that differ from the usual ones: 201, 200 and 200 with the record, and 204. */
  readonly answers?: Partial<Record<'created' | 'found' | 'changed' | 'removed', ShowRecord>>;
}

type ShowRecord = (record: ProviderRecord, call: DoorCall) => DoorAnswer;

/** Returns all records of a kind, the newest first. */
export async function allRecords(call: DoorCall, kind: RecordKind): Promise<ProviderRecord[]> {
  return listRecords(call, await call.ctx.store.readNow(), kind);
}

/** Returns the key that the path of a request names. */
export function keyIn({ params }: DoorCall): string {
  return (params['id'] ?? '').toLowerCase();
}

/** Returns the record of a kind that the path of a request names. Throws what `refuse` makes if there is none. */
export async function namedRecord(
  call: DoorCall,
  reader: Reader,
  kind: RecordKind,
  refuse: () => DoorRefusal,
): Promise<ProviderRecord> {
  const record = await getRecord(call, reader, kind, keyIn(call));
  if (record === null) throw refuse();
  return record;
}

/** Returns the route of the list of a resource. */
export function listRoute({ kind, isListed = () => true, show, list }: Resource, path: string): DoorRoute {
  return getRoute(path, async (call, reader) => {
    const all = kind === 'rules' ? ownRules(call, reader) : listRecords(call, reader, kind);
    const shown = (await all).filter((record) => isListed(record, call)).map((record) => show(record, call));
    return list?.(shown, call);
  });
}

/** Returns the routes of a resource. */
export function resourceRoutes(resource: Resource): DoorRoute[] {
  const { kind, keys, changesBy, ending = '' } = resource;
  const [path, pathOfOne] = [resource.path + ending, `${resource.path}/:id${ending}`];
  const shown = (record: ProviderRecord, call: DoorCall) => {
    const own = resource.show(record, call);
    return resource.one?.(own) ?? own;
  };
  const answers = {
    created: (record: ProviderRecord, call: DoorCall) => okAnswer(shown(record, call), 201),
    found: (record: ProviderRecord, call: DoorCall) => okAnswer(shown(record, call)),
    changed: (record: ProviderRecord, call: DoorCall) => okAnswer(shown(record, call)),
    removed: (): DoorAnswer => ({ status: 204 }),
    ...resource.answers,
  };
  const named = keys === 'numbers' ? numbered : getRecord;
  const found = async (call: DoorCall, reader: Reader): Promise<ProviderRecord> => {
    const record = await (resource.find?.(call, reader) ?? named(call, reader, kind, keyIn(call)));
    if (record === null) throw resource.notFound(call);
    return record;
  };
  const routes: DoorRoute[] = [
    {
      method: 'POST',
      path,
      handle: async (call) => {
        const data = resource.read(call, null);
        return call.once(async (tx) => {
          await resource.check?.(call, tx, data, null);
          const key = keys === 'numbers' ? await nextNumberKey(call, tx, kind) : keys(call);
          if (resource.exists !== undefined && (await getRecord(call, tx, kind, key)) !== null)
            throw resource.exists(call, key);
          return answers.created(await putRecord(call, tx, kind, key, data), call);
        });
      },
    },
    {
      method: 'GET',
      path: pathOfOne,
      handle: async (call) => answers.found(await found(call, await call.ctx.store.readNow()), call),
    },
    {
      method: 'DELETE',
      path: pathOfOne,
      handle: (call) =>
        call.once(async (tx) => {
          const record = await found(call, tx);
          await removeRecord(call, tx, kind, keyOfRecord(record));
          return answers.removed(record, call);
        }),
    },
  ];
  if (resource.list !== undefined) routes.push(listRoute(resource, path));
  if (changesBy !== undefined)
    routes.push({
      method: changesBy,
      path: pathOfOne,
      handle: (call) =>
        call.once(async (tx) => {
          const before = await found(call, tx);
          const data = { ...before.data, ...resource.read(call, before) };
          await resource.check?.(call, tx, data, before);
          return answers.changed(await putRecord(call, tx, kind, keyOfRecord(before), data), call);
        }),
    });
  return routes;
}
