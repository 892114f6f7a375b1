import { expect, test, vi } from 'vitest';
import { createIds, nodeRandom, systemClock } from '../../src/adapters/system.ts';
import { createWaiters } from '../../src/adapters/waiting.ts';
import type { MailboxId, MessageId, WorkspaceId } from '../../src/domain/ids.ts';
import { UNMARKED } from '../../src/domain/marks.ts';
import type { Message } from '../../src/domain/message.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory.ts';

const ids = createIds(nodeRandom);
const clock = systemClock();

async function open() {
  const store = memoryStore();
  const workspaceId = ids.next<WorkspaceId>(1);
  const mailboxId = ids.next<MailboxId>(1);
  await store.transaction((tx) =>
    tx.mailboxes.insert(
      {
        id: mailboxId,
        workspaceId,
        groupId: null,
        name: 'box',
        subdomain: 'box',
        retentionDays: 30,
        outboundEnabled: false,
        allowlist: [],
        seeded: false,
        createdAt: 1,
      },
      10,
    ),
  );
  const insert = async (...subjects: string[]) => {
    const raw = await store.blobs.put(Buffer.from('raw'));
    const facts = await store.blobs.put(Buffer.from('{}'));
    await store.transaction(async (tx) => {
      for (const subject of subjects) {
        const now = clock.now();
        const message: Message = {
          ...{
            id: ids.next<MessageId>(now),
            workspaceId,
            mailboxId,
            receivedAt: now,
            sizeBytes: 3,
            attachmentCount: 0,
          },
          ...{ from: null, to: null, cc: null, subject, mailFrom: '', rcptTo: [], raw, facts },
          ...UNMARKED,
        };
        await tx.messages.insert(message);
      }
    });
  };
  return { store, mailboxId, insert };
}

/** Records the batches that a watcher received. Null stands for the notice that the mailbox is gone. */
function listener() {
  const heard: (string | null)[][] = [];
  const arrived = (messages: readonly Message[] | null) =>
    void heard.push(messages === null ? [null] : messages.map(({ subject }) => subject));
  return { heard, arrived };
}

const settled = () => new Promise(setImmediate);

test('each new message reaches every waiter, and messages of one commit come together', async () => {
  const { store, mailboxId, insert } = await open();
  await insert('before');
  const waiters = createWaiters(store, clock);
  const [one, two] = [listener(), listener()];
  await waiters.watch(mailboxId, one.arrived);
  await waiters.watch(mailboxId, two.arrived);
  await insert('a');
  await settled();
  await insert('b', 'c');
  await settled();
  expect(one.heard).toEqual([['a'], ['b', 'c']]);
  expect(two.heard).toEqual(one.heard);
  expect(waiters.size).toBe(2);
});

test('a commit costs one read of the mailbox, however many wait', async () => {
  const { store, mailboxId, insert } = await open();
  const after = vi.spyOn(store.read.messages, 'after');
  const waiters = createWaiters(store, clock);
  const all = Array.from({ length: 100 }, listener);
  for (const { arrived } of all) await waiters.watch(mailboxId, arrived);
  await insert('a');
  await settled();
  expect(all.every(({ heard }) => heard.length === 1)).toBe(true);
  expect(after).toHaveBeenCalledTimes(1);
});

test('a waiter that ended hears nothing, and costs nothing', async () => {
  const { store, mailboxId, insert } = await open();
  const after = vi.spyOn(store.read.messages, 'after');
  const waiters = createWaiters(store, clock);
  const { heard, arrived } = listener();
  const end = await waiters.watch(mailboxId, arrived);
  end();
  end();
  expect(waiters.size).toBe(0);
  await insert('a');
  await settled();
  expect(heard).toEqual([]);
  expect(after).not.toHaveBeenCalled();
});

test('a waiter gets null when its mailbox is deleted', async () => {
  const { store, mailboxId } = await open();
  const waiters = createWaiters(store, clock);
  const { heard, arrived } = listener();
  await waiters.watch(mailboxId, arrived);
  await store.transaction((tx) => tx.mailboxes.remove(mailboxId));
  await settled();
  expect(heard).toEqual([[null]]);
});

test('more messages than one read returns all arrive, in order', async () => {
  const { store, mailboxId, insert } = await open();
  const waiters = createWaiters(store, clock);
  const { heard, arrived } = listener();
  await waiters.watch(mailboxId, arrived);
  const subjects = Array.from({ length: 450 }, (_, i) => String(i));
  await insert(...subjects);
  await vi.waitFor(() => expect(heard.flat()).toEqual(subjects), { timeout: 15_000 });
});

/** Wraps a store and holds its reads until they are released. A remote store can delay reads in the same way. */
function slow(store: Store) {
  const held: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => held.push(resolve));
  const messages: Store['read']['messages'] = {
    ...store.read.messages,
    lastId: async (id) => {
      const last = await store.read.messages.lastId(id);
      await hold();
      return last;
    },
    after: async (...query) => {
      const found = await store.read.messages.after(...query);
      await hold();
      return found;
    },
  };
  const read = { ...store.read, messages };
  const letGo = async () => {
    for (let turn = 0; turn < 5; turn++) {
      for (const release of held.splice(0)) release();
      await settled();
    }
  };
  const wrapped: Store = {
    read,
    readNow: async () => read,
    health: store.health,
    blobs: store.blobs,
    texts: store.texts,
    transaction: (body) => store.transaction(body),
    onCommit: (heard) => store.onCommit(heard),
    reclaim: () => store.reclaim(),
    close: () => store.close(),
  };
  return { store: wrapped, letGo };
}

test('a message that is committed while the position is read arrives', async () => {
  const { store, mailboxId, insert } = await open();
  const held = slow(store);
  const waiters = createWaiters(held.store, clock);
  const { heard, arrived } = listener();
  const watching = waiters.watch(mailboxId, arrived);
  await settled();
  await insert('meanwhile');
  await held.letGo();
  await watching;
  await held.letGo();
  expect(heard).toEqual([['meanwhile']]);
});

test('messages that are committed while others are read arrive once each and in order', async () => {
  const { store, mailboxId, insert } = await open();
  const held = slow(store);
  const waiters = createWaiters(held.store, clock);
  const { heard, arrived } = listener();
  const watching = waiters.watch(mailboxId, arrived);
  await held.letGo();
  await watching;
  await insert('a');
  await settled();
  await insert('b');
  await insert('c');
  await held.letGo();
  expect(heard.flat()).toEqual(['a', 'b', 'c']);
});

test('a read that fails is repeated, and loses nothing', async () => {
  const { store, mailboxId, insert } = await open();
  const waiters = createWaiters(store, clock);
  const { heard, arrived } = listener();
  await waiters.watch(mailboxId, arrived);
  const after = vi.spyOn(store.read.messages, 'after').mockRejectedValueOnce(new Error('away'));
  await insert('a');
  await vi.waitFor(() => expect(heard).toEqual([['a']]), { timeout: 15_000 });
  expect(after).toHaveBeenCalledTimes(2);
});

test('nobody is woken after close', async () => {
  const { store, mailboxId, insert } = await open();
  const waiters = createWaiters(store, clock);
  const { heard, arrived } = listener();
  const end = await waiters.watch(mailboxId, arrived);
  waiters.close();
  end();
  await insert('a');
  await settled();
  expect([heard, waiters.size]).toEqual([[], 0]);
});
