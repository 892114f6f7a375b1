import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import { ApiError } from '../../src/domain/errors.ts';
import type { MessageId } from '../../src/domain/ids.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { aMailbox, aWorkspace, deliver, NOON, ulidAt } from '../store/rows.ts';
import { clusterOfTests } from '../support/cluster-of-tests.ts';
import { at } from '../support/moment.ts';
import { NO_POSTGRES } from '../support/postgres-cluster.ts';
import { unless } from '../support/unless.ts';

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };

unless(describe, NO_POSTGRES)('transactions that run before their server has the lock', () => {
  const cluster = clusterOfTests();
  let schemas = 0;

  /** Opens two stores on one schema. The first has written a workspace, alone. */
  async function two() {
    const schema = `without_lock${schemas++}`;
    const open = async () => {
      const driver = await pgDriver(cluster.url(), schema, 'test');
      const clock = systemClock();
      const store = await openPostgresStore(
        { driver, schema, clock, random: nodeRandom, mutex: createKeyedMutex() },
        quiet,
      );
      onTestFinished(() => store.close());
      return store;
    };
    const [a, b] = [await open(), await open()];
    const workspace = aWorkspace();
    await a.transaction((tx) => tx.workspaces.insert(workspace));
    return { a, b, workspace, schema };
  }

  /** Runs a transaction, and counts the runs of its body. */
  async function runsOf(store: Store, body: Parameters<Store['transaction']>[0]): Promise<number> {
    let runs = 0;
    await store.transaction((tx) => {
      runs++;
      return body(tx);
    });
    return runs;
  }

  test('a server that writes alone runs each transaction once, and stores it by one statement', async () => {
    const { a, workspace, schema } = await two();
    // Chores of a server take the lock, and move the head for the other one. So one write of several is like this.
    const runsAndStatement = async () => {
      const runs = await runsOf(a, (tx) => tx.mailboxes.insert(aMailbox(workspace.id), 10_000));
      const last = `select query from pg_stat_activity where application_name = 'mailcap writes ${schema}' order by query_start desc limit 1`;
      return [runs, cluster.psql(last)];
    };
    await expect.poll(runsAndStatement).toEqual([1, expect.stringMatching(/^with moved as/)]);
  });

  test('a transaction runs again if another server has committed, and its second result counts', async () => {
    const { a, b, workspace } = await two();
    let runs = 0;
    const contested = async () => {
      // After a start or a chore of the second one, the first takes the lock for 32 groups.
      for (let i = 0; i < 40; i++) await a.transaction((tx) => tx.settings.setClockOffsetMs(i));
      runs = 0;
      return a.transaction(async (tx) => {
        // The other one commits while this body runs, so that no notice of it can come first.
        if (runs++ === 0) await b.transaction((other) => other.settings.setClockOffsetMs(1));
        const before = await tx.settings.clockOffsetMs();
        await tx.settings.setClockOffsetMs(before + 10);
        await tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'once' }), 100);
        return before;
      });
    };
    // A chore that comes in between lets the body wait for the lock that it holds itself, until the database ends that.
    const hadTheLock = (error: unknown) =>
      error instanceof ApiError && error.code === 'storage_unavailable' && runs === 1;
    const found = await contested().catch((error: unknown) => {
      if (!hadTheLock(error)) throw error;
      return contested();
    });
    expect({ found, runs }).toEqual({ found: 1, runs: 2 });
    for (const store of [a, b]) {
      expect(await store.read.settings.clockOffsetMs()).toBe(11);
      expect(await store.read.mailboxes.list(workspace.id)).toHaveLength(1);
    }
    // The lock comes first where two servers write.
    await b.transaction((tx) => tx.settings.setClockOffsetMs(2));
    expect(await runsOf(a, (tx) => tx.settings.setClockOffsetMs(3))).toBe(1);
  });

  test('a refusal from outdated data is not the answer', async () => {
    const { a, b, workspace } = await two();
    const mailbox = aMailbox(workspace.id);
    await b.transaction((tx) => tx.mailboxes.insert(mailbox, 100));
    const name = await a.transaction(async (tx) => {
      const there = await tx.mailboxes.get(mailbox.id);
      if (there === null) throw new Error('no such mailbox');
      return there.name;
    });
    expect(name).toBe(mailbox.name);
    await b.transaction((tx) => tx.mailboxes.remove(mailbox.id));
    expect(await a.transaction((tx) => tx.mailboxes.get(mailbox.id))).toBeNull();
  });

  test('an error of a transaction is thrown, and leaves nothing behind', async () => {
    const { a, b, workspace } = await two();
    const refused = a.transaction(async (tx) => {
      await tx.mailboxes.insert(aMailbox(workspace.id), 100);
      throw new Error('on second thought');
    });
    await expect(refused).rejects.toThrow('on second thought');
    for (const store of [a, b]) expect(await store.read.mailboxes.list(workspace.id)).toEqual([]);
  });

  test('a transaction that catches the error of unread data runs again with the lock', async () => {
    const { a, workspace } = await two();
    const mailbox = aMailbox(workspace.id);
    await a.transaction((tx) => tx.mailboxes.insert(mailbox, 100));
    const message = await deliver(a, mailbox);
    const answersOfRuns = async () => {
      const answers: unknown[] = [];
      await a.transaction(async (tx) => {
        answers.push(await tx.messages.get(message.id, at(message.receivedAt)).catch(() => 'swallowed'));
        await tx.settings.setClockOffsetMs(7);
      });
      return answers;
    };
    // After a chore of the other server the lock comes first for a while.
    await expect.poll(answersOfRuns).toEqual(['swallowed', expect.objectContaining({ id: message.id })]);
    expect(await a.read.settings.clockOffsetMs()).toBe(7);
  });

  test('the bytes of a mail in two mailboxes stay until the second is removed', async () => {
    const { a, b, workspace } = await two();
    const [first, second] = [aMailbox(workspace.id), aMailbox(workspace.id)];
    for (const mailbox of [first, second]) await a.transaction((tx) => tx.mailboxes.insert(mailbox, 100));
    const model = await deliver(a, first);
    const [raw, facts] = [await a.blobs.put(Buffer.from('shared bytes')), await a.blobs.put(Buffer.from('{}'))];
    const copies = [first, second].map(({ id: mailboxId }) => {
      return { ...model, id: ulidAt<MessageId>(NOON), mailboxId, raw, facts };
    });
    await a.transaction(async (tx) => {
      for (const copy of copies) await tx.messages.insert(copy);
    });
    const removed = async (at: number) => a.transaction((tx) => tx.messages.remove(copies[at]?.id ?? model.id));
    expect(await removed(0)).toBe(true);
    expect((await b.blobs.read(raw)).toString()).toBe('shared bytes');
    expect(await removed(1)).toBe(true);
    await expect(b.blobs.read(raw)).rejects.toThrow('gone');
  });
});
