import { describe, expect, test, vi } from 'vitest';
import type { MessageId } from '../../src/domain/ids.ts';
import { parseQuery } from '../../src/domain/search/query.ts';
import type { Store, TextScope } from '../../src/ports/store.ts';
import type { Driver } from '../../src/store/postgres/connection.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { SCHEMA } from '../../src/store/postgres/store.ts';
import { verifyDatabase } from '../../src/store/postgres/verify.ts';
import { aPlace } from '../store/rows.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';
import { fill, openStore, prepare } from './open-store.ts';

/** More texts than a search reads before it asks the index. */
const TEXTS = 400;

unless(describe, NO_POSTGRES)('prepared texts in PostgreSQL', () => {
  const cluster = clusterOfTests();

  const driverOf = (database: string) => pgDriver(cluster.url(database), SCHEMA, 'test');
  const open = (database: string) => openStore(cluster.url(database));
  const filled = async (store: Store): Promise<MessageId[]> => {
    const ids = await fill(store, (await aPlace(store)).mailbox, TEXTS);
    await prepare(store, ids);
    return ids;
  };
  const usesOfIndex = (database: string, index = 'message_texts_trigrams') =>
    Number(cluster.psql(`select idx_scan from pg_stat_user_indexes where indexrelname = '${index}'`, database));

  test('the index finds a word of few messages, and a word of all is read in the newest texts', async () => {
    const { store, warnings } = await open('index');
    const ids = await filled(store);
    expect(await firstOf(store, 'common')).toEqual({ found: ids.slice(-256).reverse(), downTo: ids.at(-256) });
    await store.close();
    await vi.waitFor(() => expect(usesOfIndex('index')).toBe(0), { timeout: 20_000, interval: 200 });
    const { store: again } = await open('index');
    expect(await all(again, 'needle7.')).toEqual([ids[7]]);
    expect(await all(again, 'nowhere')).toEqual([]);
    await again.close();
    // A session tells its counts at its end.
    await vi.waitFor(() => expect(usesOfIndex('index')).toBeGreaterThan(1), { timeout: 20_000, interval: 200 });
    expect(warnings).toEqual([]);
  });

  test('a page of a word that many have is read in the newest texts, and all of them are found by the index', async () => {
    const { store } = await open('page');
    const ids = await filled(store);
    // The word is in ten of the newest 256 texts, and in one of the others.
    expect(await all(store, 'needle37', { enough: 20 })).toEqual([...ids.slice(370, 380).reverse(), ids[37]]);
    await store.close();
    await vi.waitFor(() => expect(usesOfIndex('page')).toBe(0), { timeout: 20_000, interval: 200 });
    const { store: again } = await open('page');
    expect(await all(again, 'needle37')).toEqual([...ids.slice(370, 380).reverse(), ids[37]]);
    expect(await all(again, 'needle37', { enough: 5 })).toHaveLength(11);
    await again.close();
    await vi.waitFor(() => expect(usesOfIndex('page')).toBeGreaterThan(1), { timeout: 20_000, interval: 200 });
  });

  test('the few messages with a code are found by an index, with and without the one by trigrams', async () => {
    for (const [database, wrap] of [
      ['codes', undefined],
      ['codes_alone', withoutExtensions],
    ] as const) {
      const { store } = await openStore(cluster.url(database), wrap);
      const ids = await fill(store, (await aPlace(store)).mailbox, TEXTS);
      await prepare(store, ids, { hasCode: (at) => at < 3 });
      expect(await all(store, 'has:code')).toEqual(ids.slice(0, 3).reverse());
      expect(await all(store, 'has:code needle1.')).toEqual([ids[1]]);
      expect(await all(store, 'has:code has:link')).toEqual([]);
      expect(await all(store, '-has:code needle1.')).toEqual([]);
      await store.close();
      const uses = () => usesOfIndex(database, 'message_texts_with_code');
      await vi.waitFor(() => expect(uses()).toBeGreaterThan(0), { timeout: 20_000, interval: 200 });
    }
  });

  test('if the extension is refused, one warning says so, and searches read the texts', async () => {
    const { store, warnings } = await openStore(cluster.url('refused'), withoutExtensions);
    const ids = await filled(store);
    expect(await all(store, 'needle7.')).toEqual([ids[7]]);
    expect(warnings).toEqual([expect.stringContaining('create extension pg_trgm')]);
    await store.close();
    // Later the extension is there. The index is built beside the server, and finds the same.
    const { store: later } = await open('refused');
    const isValid = "select indisvalid from pg_index where indexrelid = to_regclass('mailcap.message_texts_trigrams')";
    await vi.waitFor(() => expect(cluster.psql(isValid, 'refused')).toBe('t'), { timeout: 20_000, interval: 50 });
    expect(await all(later, 'needle7.')).toEqual([ids[7]]);
    await later.close();
  });

  test('stores of two schemas share the extension, and one outlives the other', async () => {
    const first = await open('shared');
    await first.store.close();
    cluster.psql(`alter schema mailcap rename to other`, 'shared');
    const second = await open('shared');
    cluster.psql('drop schema other cascade', 'shared');
    const ids = await filled(second.store);
    expect(await all(second.store, 'needle7.')).toEqual([ids[7]]);
    expect(second.warnings).toEqual([]);
    await second.store.close();
  });

  test('two servers that prepare the same messages, while others remove them, leave no text of a removed one', async () => {
    const [{ store: a }, { store: b }] = [await open('race'), await open('race')];
    const { mailbox } = await aPlace(a);
    for (let round = 0; round < 8; round++) {
      const ids = await fill(a, mailbox, 60);
      const removals = ids.filter((_, at) => at % 2 === 0).map((id) => b.transaction((tx) => tx.messages.remove(id)));
      await Promise.all([prepare(a, ids), prepare(b, ids), ...removals]);
      // What was being removed is left out, and what stayed comes in the next round.
      const missing = await a.texts.missing(100);
      expect(missing.every(({ id }) => ids.includes(id))).toBe(true);
      await prepare(a, ids);
      expect(await a.texts.missing(100)).toEqual([]);
      expect((await all(a, 'text')).length).toBe(30 * (round + 1));
    }
    const driver = await driverOf('race');
    const noStorage = () => Promise.reject(new Error('there is no storage'));
    expect((await verifyDatabase(driver, SCHEMA, noStorage)).faults).toEqual([]);
    await Promise.all([a.close(), b.close()]);
  });

  test('the check of a store tells of texts without a message, and of messages that lost their text', async () => {
    const { store } = await open('check');
    const ids = await fill(store, (await aPlace(store)).mailbox, 3);
    await prepare(store, ids);
    expect(await store.texts.missing(1)).toEqual([]);
    await store.close();
    cluster.psql(`update mailcap.message_texts set id = 'none' where id = '${ids[1]}'`, 'check');
    const noStorage = () => Promise.reject(new Error('there is no storage'));
    expect((await verifyDatabase(await driverOf('check'), SCHEMA, noStorage)).faults).toEqual([
      'there is a prepared text of message none, which is not there',
      `message ${ids[1]} has no prepared text, and the progress says that it has one`,
    ]);
  });
});

async function all(store: Store, text: string, where: TextScope = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const stretch of store.texts.find(parseQuery(text), where))
    for (const { id } of stretch.found ?? []) found.push(id);
  return found;
}

/** Returns the first stretch, as a page of a common word needs it. */
async function firstOf(store: Store, text: string): Promise<{ found: string[]; downTo: string | null }> {
  for await (const { found, downTo } of store.texts.find(parseQuery(text), {}))
    return { found: (found ?? []).map(({ id }) => id), downTo };
  throw new Error('no stretch');
}

/** Stands for a database whose server lacks the extension, or whose user may not create it. */
function withoutExtensions(driver: Driver): Driver {
  return {
    name: driver.name,
    connect: async (role) => {
      const connection = await driver.connect(role);
      const script = (text: string) =>
        text.startsWith('create extension')
          ? Promise.reject(Object.assign(new Error('permission denied'), { code: '42501' }))
          : connection.script(text);
      return new Proxy(connection, {
        get: (target, name) => {
          const value: unknown = name === 'script' ? script : Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}
