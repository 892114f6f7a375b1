import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import { type ObjectStorage, ObjectStorageAway } from '../../src/ports/storage.ts';
import type { Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/store.ts';
import { verifyDatabase } from '../../src/store/postgres/verify.ts';
import { aPlace, deliver, deliverBlob, NOON } from '../store/rows.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { at } from '../support/moment.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { s3OfTests } from '../support/s3-server.ts';
import { unless } from '../support/unless.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };
/** Longer than the test, so that a slow machine doesn't end it. */
const GRACE_MS = 600_000;

unless(describe, NO_POSTGRES)('bodies in S3', () => {
  const cluster = clusterOfTests();
  const s3 = s3OfTests();
  let opened = 0;

  interface Watched extends ObjectStorage {
    /** Set, every call but a listing fails. */
    isAway: boolean;
    /** Set, a write waits for it. */
    gate: Promise<void> | null;
  }

  function watched(storage: ObjectStorage): Watched {
    const there = () => {
      if (made.isAway) throw new ObjectStorageAway('away');
    };
    const made: Watched = {
      isAway: false,
      gate: null,
      url: storage.url,
      put: async (key, bytes) => {
        there();
        await made.gate;
        await storage.put(key, bytes);
      },
      get: async (key, range) => {
        there();
        return storage.get(key, range);
      },
      remove: async (keys) => {
        there();
        await storage.remove(keys);
      },
      list: (prefix) => storage.list(prefix),
      close: () => storage.close(),
    };
    return made;
  }

  async function open(schema = `b${opened++}`, objectGraceMs = 0) {
    const storage = watched(await s3.open('bodies'));
    const driver = await pgDriver(cluster.url(), schema, 'test');
    const store = await openPostgresStore(
      {
        driver,
        schema,
        clock: systemClock(),
        random: nodeRandom,
        mutex: createKeyedMutex(),
        storage,
        objectGraceMs,
      },
      quiet,
    );
    onTestFinished(() => store.close());
    const sql = (text: string) => cluster.psql(`set search_path to ${schema}; ${text}`, 'mailcap');
    const prefix = sql('select store from object_storage');
    const keys = async () => {
      const all: string[] = [];
      for await (const page of storage.list(`${prefix}/`)) all.push(...page.map(({ key }) => key));
      return all.filter((key) => !key.endsWith('/store'));
    };
    return { store, storage, sql, keys, schema, driver };
  }

  const textOf = async (store: PostgresStore, ref: Parameters<PostgresStore['blobs']['read']>[0]) =>
    (await store.blobs.read(ref)).toString();

  test('mails that come together share objects, and the database has none of their bytes', async () => {
    const { store, keys, sql } = await open();
    const { mailbox } = await aPlace(store);
    const sent = await Promise.all(
      Array.from({ length: 200 }, (_, i) => deliver(store, mailbox, Buffer.from(`mail ${i}`))),
    );
    expect(await keys()).not.toHaveLength(0);
    expect((await keys()).length).toBeLessThan(60);
    expect(sql('select count(*) from blobs where bytes is not null or object is null')).toBe('0');
    for (const [i, { raw }] of sent.entries()) expect(await textOf(store, raw)).toBe(`mail ${i}`);
  });

  test('a row is committed only once the storage has its bytes', async () => {
    const { store, storage, schema, sql } = await open();
    const other = await open(schema);
    const { mailbox } = await aPlace(store);
    let openGate = () => {};
    storage.gate = new Promise((resolve) => {
      openGate = resolve;
    });
    const stored = deliver(store, mailbox, Buffer.from('slow'));
    for (let i = 0; i < 5; i++) await aPlace(other.store);
    expect(sql('select count(*) from messages')).toBe('0');
    openGate();
    expect(await textOf(other.store, (await stored).raw)).toBe('slow');
  });

  test('while the storage is away, mail is refused, nothing is half done, and other writes go on until it is back', async () => {
    const { store, storage, sql } = await open();
    const { mailbox } = await aPlace(store);
    storage.isAway = true;
    const refused = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => deliver(store, mailbox, Buffer.from(`lost ${i}`))),
    );
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'storage_unavailable' } });
    expect(store.health).toBe('storage_unavailable');
    await expect(store.blobs.put(Buffer.from('x'))).rejects.toMatchObject({ code: 'storage_unavailable' });
    const writer = store.blobs.writer();
    await expect(writer.write(Buffer.alloc(2_000_000))).rejects.toMatchObject({ code: 'storage_unavailable' });
    writer.abort();
    await aPlace(store);
    expect(sql('select count(*) from messages')).toBe('0');
    expect(sql('select count(*) from blobs')).toBe('0');
    storage.isAway = false;
    await vi.waitFor(() => expect(store.health).toBe('ok'), { timeout: 10_000 });
    const { raw } = await deliver(store, mailbox, Buffer.from('there'));
    storage.isAway = true;
    await expect(store.blobs.read(raw)).rejects.toMatchObject({ code: 'storage_unavailable' });
    storage.isAway = false;
    expect(await textOf(store, raw)).toBe('there');
  });

  test('an object is deleted after its last mail, never before, and a large one with all its pieces', async () => {
    const { store, keys } = await open();
    const { mailbox } = await aPlace(store);
    const [one, two] = await Promise.all([deliver(store, mailbox), deliver(store, mailbox, Buffer.from('second'))]);
    const writer = store.blobs.writer();
    for (let i = 0; i < 4; i++) await writer.write(Buffer.alloc(900_000, i));
    const large = await deliverBlob(store, mailbox, await writer.finish(), 3_600_000);
    const before = (await keys()).length;
    await store.transaction((tx) => tx.messages.remove(large.id));
    await store.reclaim();
    // Its two pieces, and its facts.
    expect(await keys()).toHaveLength(before - 3);
    await store.transaction((tx) => tx.messages.remove(one.id));
    await store.reclaim();
    expect(await textOf(store, two.raw)).toBe('second');
    await store.transaction((tx) => tx.messages.remove(two.id));
    await store.reclaim();
    expect(await keys()).toEqual([]);
  });

  test('an object stays for the grace after its last mail', async () => {
    const { store, keys, schema } = await open(undefined, GRACE_MS);
    const { mailbox } = await aPlace(store);
    const { id } = await deliver(store, mailbox);
    await store.transaction((tx) => tx.messages.remove(id));
    await store.reclaim();
    expect(await keys()).not.toEqual([]);
    // For this server the grace is over.
    const { store: other } = await open(schema);
    await other.reclaim();
    expect(await keys()).toEqual([]);
  });

  test('what a killed server left in the storage is swept by the next one', async () => {
    const { store, storage, keys, schema, sql } = await open();
    const { mailbox } = await aPlace(store);
    const { raw } = await deliver(store, mailbox, Buffer.from('kept'));
    const prefix = sql('select store from object_storage');
    await storage.put(`${prefix}/0000000999000000/0`, Buffer.from('of a group that was not committed'));
    await storage.put(`${prefix}/0000000999000001/0`, Buffer.from('first piece of an unfinished mail'));
    await storage.put(`${prefix}/0000000999000001/1`, Buffer.from('second piece'));
    const before = (await keys()).length;
    await store.close();
    const next = await open(schema);
    // Times in listings are whole seconds.
    await vi.waitFor(
      async () => {
        const again = await open(schema);
        await again.store.reclaim();
        expect((await again.keys()).length).toBe(before - 3);
      },
      { timeout: 10_000, interval: 300 },
    );
    expect(await textOf(next.store, raw)).toBe('kept');
  });

  test('a mail whose object was swept before its commit is refused, and its neighbours are not lost', async () => {
    const { store, keys, sql } = await open();
    const { mailbox } = await aPlace(store);
    const raw = await store.blobs.put(Buffer.from('late'));
    await vi.waitFor(async () => expect(await keys()).toHaveLength(1));
    const object = Number((await keys())[0]?.split('/')[1]);
    sql(`insert into emptied_objects (object, pieces, at) values (${object}, 1, '-infinity')`);
    await store.reclaim();
    expect(await keys()).toHaveLength(0);
    await expect(deliverBlob(store, mailbox, raw, 4)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(sql('select count(*) from messages')).toBe('0');
    const next = await deliver(store, mailbox, Buffer.from('next'));
    expect(await textOf(store, next.raw)).toBe('next');
  });

  test('sweeps beside traffic delete nothing that a row refers to', async () => {
    const { store, schema } = await open();
    const other = await open(schema);
    const { mailbox } = await aPlace(store);
    let isOver = false;
    const sweeping = (async () => {
      while (!isOver) await other.store.reclaim();
    })();
    const kept: Awaited<ReturnType<typeof deliver>>[] = [];
    for (let round = 0; round < 30; round++) {
      const sent = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => deliver(store, mailbox, Buffer.from(`${round} ${i}`))),
      );
      const stored = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      kept.push(...stored.slice(0, 2));
      await Promise.all(stored.slice(2).map(({ id }) => store.transaction((tx) => tx.messages.remove(id))));
    }
    isOver = true;
    await sweeping;
    expect(kept.length).toBeGreaterThan(30);
    for (const { raw } of kept) expect(await textOf(other.store, raw)).toMatch(/^\d+ \d+$/);
  });

  test('a read and doctor report a missing and an altered object, and doctor ignores deleted ones', async () => {
    const { store, storage, keys, driver, schema } = await open();
    const { mailbox } = await aPlace(store);
    const messages = [];
    for (const text of ['whole', 'missing', 'altered']) messages.push(await deliver(store, mailbox, Buffer.from(text)));
    const [whole, missing, altered] = messages.map(({ raw }) => raw);
    const verify = () => verifyDatabase(driver, schema, () => s3.open('bodies'));
    expect(await verify()).toMatchObject({ faults: [], bodies: 6 });
    const keyOf = async (text: string) => {
      for (const key of await keys()) if ((await storage.get(key)).includes(text)) return key;
      throw new Error('no such object');
    };
    await storage.remove([await keyOf('missing')]);
    const key = await keyOf('altered');
    const bytes = await storage.get(key);
    bytes.write('x', bytes.indexOf('altered'));
    await storage.put(key, bytes);
    if (whole === undefined || missing === undefined || altered === undefined) throw new Error('three were stored');
    expect(await textOf(store, whole)).toBe('whole');
    await expect(store.blobs.read(missing)).rejects.toThrow(/^the object .* is missing in s3:\/\/bodies/);
    await expect(store.blobs.read(altered)).rejects.toThrow(/^the bytes of .* in s3:\/\/bodies.* fail their checksum/);
    const { faults } = await verify();
    // The mail and its facts share an object.
    expect(faults).toHaveLength(3);
    expect(faults).toContainEqual(expect.stringMatching(/is missing in s3:/));
    expect(faults).toContainEqual(expect.stringMatching(/fail their checksum/));
    expect(await store.read.messages.page(mailbox.id, { limit: 10, now: at(NOON) })).toHaveLength(3);
  });
});
