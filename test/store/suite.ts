import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MailboxId, MessageId } from '../../src/domain/ids.ts';
import type { BlobRef } from '../../src/domain/message.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Store } from '../../src/ports/store.ts';
import { at } from '../support/moment.ts';
import { authenticatorSuite } from './authenticator-suite.ts';
import { claimSuite } from './claim-suite.ts';
import { clockSuite } from './clock-suite.ts';
import { feedSuite } from './feed-suite.ts';
import { kindSuite } from './kind-suite.ts';
import { markSuite } from './mark-suite.ts';
import { outboundSuite } from './outbound-suite.ts';
import { aGroup, aKey, aMailbox, aPlace, aWorkspace, deliver, deliverBlob, NOON, ulidAt } from './rows.ts';
import { runSuite } from './run-suite.ts';
import { walkSuite } from './walk-suite.ts';
import { webhookSuite } from './webhook-suite.ts';

/**
 * The specification of a Store: every implementation passes it.
 *
 * @param readsTogether false for a store that reads each body by itself, and none by `readSmall`
 */
export function storeSuite(open: () => Promise<Store>, readsTogether = true): void {
  let store: Store;
  /** Reads small blobs together, or by themselves those that the store does not read so. */
  const readSmall = async (refs: readonly BlobRef[], enough?: number): Promise<Buffer[]> => {
    const together = await store.blobs.readSmall(refs, enough);
    expect(together.map((bytes) => bytes !== null)).toEqual(refs.map(() => readsTogether));
    return Promise.all(refs.map((ref, at) => together[at] ?? store.blobs.read(ref)));
  };
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store.close();
  });

  const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);

  test('a transaction that throws writes nothing, and its error comes back', async () => {
    const workspace = aWorkspace();
    const mishap = new Error('mishap');
    await expect(
      store.transaction(async (tx) => {
        await tx.workspaces.insert(workspace);
        await tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'gone' }), 10);
        throw mishap;
      }),
    ).rejects.toBe(mishap);
    expect(await store.read.workspaces.get(workspace.id)).toBeNull();
    expect(await store.read.mailboxes.bySubdomain('gone')).toBeNull();
    await store.transaction(async (tx) => {
      expect(await tx.mailboxes.bySubdomain('gone')).toBeNull();
    });
  });

  test('a transaction sees its own writes; readers see them once it is over', async () => {
    const workspace = aWorkspace();
    await store.transaction(async (tx) => {
      await tx.workspaces.insert(workspace);
      expect(await tx.workspaces.get(workspace.id)).toEqual(workspace);
      expect(await store.read.workspaces.get(workspace.id)).toBeNull();
    });
    expect(await store.read.workspaces.get(workspace.id)).toEqual(workspace);
  });

  test('transactions run one after another: none counts on what another is about to change', async () => {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        store.transaction(async (tx) => {
          const offset = await tx.settings.clockOffsetMs();
          await Promise.resolve();
          await tx.settings.setClockOffsetMs(offset + 1);
        }),
      ),
    );
    expect(await store.read.settings.clockOffsetMs()).toBe(50);
  });

  test('a transaction that is used after its end can write nothing', async () => {
    let leaked: (() => Promise<void>) | undefined;
    await store.transaction(async (tx) => {
      leaked = () => tx.settings.setClockOffsetMs(7);
    });
    await expect(leaked?.()).rejects.toThrow('the transaction is over');
    expect(await store.read.settings.clockOffsetMs()).toBe(0);
  });

  test('a subdomain is unique over all workspaces, also among inserts at the same time: subdomain_taken', async () => {
    const { workspace } = await aPlace(store, { subdomain: 'first' });
    const other = aWorkspace();
    await store.transaction((tx) => tx.workspaces.insert(other));
    await expect(
      store.transaction((tx) => tx.mailboxes.insert(aMailbox(other.id, { subdomain: 'first' }), 10)),
    ).rejects.toMatchObject({
      code: 'subdomain_taken',
    });
    const attempts = await Promise.allSettled(
      [workspace, other, workspace].map(({ id }) =>
        store.transaction((tx) => tx.mailboxes.insert(aMailbox(id, { subdomain: 'race' }), 10)),
      ),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('the number of mailboxes is decided in the transaction: plan_max_mailboxes_reached with limit', async () => {
    const { workspace } = await aPlace(store);
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id), 3))),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(attempts.find((attempt) => attempt.status === 'rejected')?.reason).toMatchObject({
      code: 'plan_max_mailboxes_reached',
      extra: { limit: 3 },
    });
  });

  test('active keys are limited and revoked ones do not count: plan_max_keys_reached with limit', async () => {
    const { workspace } = await aPlace(store);
    const [first, second, third] = [aKey(workspace.id), aKey(workspace.id), aKey(workspace.id)];
    await store.transaction((tx) => tx.keys.insert(first, 2));
    await store.transaction((tx) => tx.keys.insert(second, 2));
    await expect(store.transaction((tx) => tx.keys.insert(third, 2))).rejects.toMatchObject({
      code: 'plan_max_keys_reached',
      extra: { limit: 2 },
    });
    await store.transaction((tx) => tx.keys.update({ ...first, revokedAt: NOON }));
    await store.transaction((tx) => tx.keys.insert(third, 2));
    expect((await store.read.keys.list(workspace.id)).length).toBe(3);
    expect(await store.read.keys.byHash(third.hash)).toEqual(third);
    expect((await store.read.keys.byHash(first.hash))?.revokedAt).toBe(NOON);
    expect(await store.read.keys.byHash('0')).toBeNull();
  });

  test('a key keeps its scopes', async () => {
    const { workspace } = await aPlace(store);
    for (const webhooks of ['all', 'none'] as const) {
      const key = aKey(workspace.id, { scopes: { mailboxes: [], authenticators: 'all', webhooks } });
      await store.transaction((tx) => tx.keys.insert(key, 2));
      expect((await store.read.keys.byHash(key.hash))?.scopes).toEqual(key.scopes);
    }
  });

  test('removing a group leaves its mailboxes, in no group', async () => {
    const { workspace } = await aPlace(store);
    const group = aGroup(workspace.id);
    const mailbox = aMailbox(workspace.id, { groupId: group.id });
    await store.transaction(async (tx) => {
      await tx.groups.insert(group);
      await tx.mailboxes.insert(mailbox, 10);
    });
    expect(await store.read.groups.list(workspace.id)).toEqual([group]);
    await store.transaction((tx) => tx.groups.remove(group.id));
    expect(await store.read.groups.get(group.id)).toBeNull();
    expect((await store.read.mailboxes.get(mailbox.id))?.groupId).toBeNull();
  });

  test('removing a workspace takes keys, groups, mailboxes and mail with it, and nothing of another', async () => {
    const { workspace, mailbox } = await aPlace(store);
    const { mailbox: kept } = await aPlace(store);
    const key = aKey(workspace.id);
    await store.transaction((tx) => tx.keys.insert(key, 5));
    const message = await deliver(store, mailbox);
    const other = await deliver(store, kept);
    await store.transaction((tx) => tx.workspaces.remove(workspace.id));
    expect(await store.read.workspaces.get(workspace.id)).toBeNull();
    expect(await store.read.keys.byHash(key.hash)).toBeNull();
    expect(await store.read.mailboxes.get(mailbox.id)).toBeNull();
    expect(await store.read.messages.get(message.id, at(NOON))).toBeNull();
    expect(await store.read.messages.get(other.id, at(NOON))).toEqual(other);
    expect(await store.read.counts()).toMatchObject({ workspaces: 1, mailboxes: 1, messages: 1 });
  });

  test('a page is newest first, bounded, and goes on before a position whether or not it exists', async () => {
    const { mailbox } = await aPlace(store);
    const sent: string[] = [];
    for (let i = 0; i < 7; i++) sent.unshift((await deliver(store, mailbox, undefined, NOON + i)).id);
    const page = (before?: MessageId, limit = 3) =>
      store.read.messages.page(mailbox.id, { before, limit, now: at(NOON + 10) });
    expect(ids(await page())).toEqual(sent.slice(0, 3));
    expect(ids(await page(sent[2] as MessageId))).toEqual(sent.slice(3, 6));
    expect(ids(await page(sent[6] as MessageId))).toEqual([]);
    await store.transaction((tx) => tx.messages.remove(sent[3] as MessageId));
    expect(ids(await page(sent[3] as MessageId))).toEqual(sent.slice(4, 7));
    expect(ids(await page(undefined, 200))).toHaveLength(6);
  });

  test('paging is stable and complete over thousands, and removing from the middle loses none', async () => {
    const { mailbox } = await aPlace(store);
    const all = await Promise.all(
      Array.from({ length: 3_000 }, (_, i) => deliver(store, mailbox, Buffer.from('x'), NOON + i)),
    );
    const doomed = new Set(all.filter((_, i) => i % 3 === 1).map(({ id }) => id));
    await store.transaction(async (tx) => {
      for (const id of doomed) expect(await tx.messages.remove(id)).toBe(true);
    });
    const seen: string[] = [];
    for (let before: MessageId | undefined; ; before = seen.at(-1) as MessageId) {
      const page = await store.read.messages.page(mailbox.id, { before, limit: 200, now: at(NOON + 5_000) });
      seen.push(...ids(page));
      if (page.length < 200) break;
    }
    const expected = ids(all)
      .filter((id) => !doomed.has(id as MessageId))
      .sort()
      .reverse();
    expect(seen).toEqual(expected);
    expect(await store.read.messages.count(mailbox.id, at(NOON))).toBe(expected.length);
  });

  test('messages after a position are listed oldest first', async () => {
    const { mailbox } = await aPlace(store);
    const sent: MessageId[] = [];
    for (let i = 0; i < 5; i++) sent.push((await deliver(store, mailbox)).id);
    const after = (position: MessageId | null, limit = 10) =>
      store.read.messages.after(mailbox.id, position, limit, at(NOON));
    expect(ids(await after(null))).toEqual(sent);
    expect(ids(await after(sent[1] ?? null, 2))).toEqual(sent.slice(2, 4));
    expect(ids(await after(ulidAt(NOON + 1)))).toEqual([]);
  });

  test('since takes messages received at or after it, also where the clock was set back', async () => {
    const { mailbox } = await aPlace(store);
    const early = await deliver(store, mailbox, undefined, NOON);
    const late = await deliver(store, mailbox, undefined, NOON + 3_600_000);
    const backId = ulidAt<MessageId>(NOON + 3_600_000);
    const back = { ...late, id: backId, receivedAt: NOON + 5 };
    await store.transaction((tx) => tx.messages.insert(back));
    const since = async (time: number) =>
      ids(await store.read.messages.page(mailbox.id, { since: time, limit: 10, now: at(NOON + 3_600_000) }));
    expect(await since(NOON)).toEqual([back.id, late.id, early.id]);
    expect(await since(NOON + 1)).toEqual([back.id, late.id]);
    expect(await since(NOON + 6)).toEqual([late.id]);
    expect(await since(NOON + 3_600_001)).toEqual([]);
  });

  test('a message disappears from every answer at the moment it expires', async () => {
    const { mailbox } = await aPlace(store, { retentionDays: 3 });
    const message = await deliver(store, mailbox);
    const answers = async (now: number) => [
      (await store.read.messages.get(message.id, at(now))) !== null,
      (await store.read.messages.page(mailbox.id, { limit: 10, now: at(now) })).length,
      (await store.read.messages.after(mailbox.id, null, 10, at(now))).length,
    ];
    expect(await answers(NOON + 3 * DAY_MS - 1)).toEqual([true, 1, 1]);
    expect(await answers(NOON + 3 * DAY_MS)).toEqual([false, 0, 0]);
  });

  test('many messages are read at once, in the order of the ids, with null for those that are gone or expired', async () => {
    const { mailbox } = await aPlace(store, { retentionDays: 3 });
    const [first, second, third] = [
      await deliver(store, mailbox),
      await deliver(store, mailbox),
      await deliver(store, mailbox),
    ];
    await store.transaction((tx) => tx.messages.remove(second.id));
    const ids = [third.id, second.id, first.id, third.id];
    expect(await store.read.messages.many(ids, at(NOON))).toEqual([third, null, first, third]);
    expect(await store.read.messages.many(ids, at(NOON + 3 * DAY_MS))).toEqual([null, null, null, null]);
    const seen: unknown[] = [];
    const isWanted = ({ id }: { readonly id: string }, index: number) => seen.push([id, index]) > 1;
    expect(await store.read.messages.many(ids, at(NOON), isWanted)).toEqual([null, null, first, third]);
    expect(seen).toEqual([
      [third.id, 0],
      [first.id, 2],
      [third.id, 3],
    ]);
    expect(await store.read.messages.many([], at(NOON))).toEqual([]);
    expect(await store.read.messages.raws(ids, at(NOON))).toEqual([third.raw, null, first.raw, third.raw]);
    expect(await store.read.messages.raws(ids, at(NOON + 3 * DAY_MS))).toEqual([null, null, null, null]);
    expect(await store.read.messages.raws([], at(NOON))).toEqual([]);
  });

  test('expired messages are removed oldest first, in batches, and their storage is freed', async () => {
    const { workspace, mailbox } = await aPlace(store, { retentionDays: 1 });
    for (let i = 0; i < 5; i++) await deliver(store, mailbox, Buffer.alloc(10), NOON + i);
    expect(await store.read.workspaces.storedBytes(workspace.id)).toBe(50);
    const sweep = (now: number) => store.transaction((tx) => tx.messages.removeExpired(mailbox.id, at(now), 2));
    expect(await sweep(NOON + DAY_MS - 1)).toHaveLength(0);
    expect(await sweep(NOON + DAY_MS + 2)).toHaveLength(2);
    expect(await sweep(NOON + DAY_MS + 2)).toHaveLength(1);
    expect(await sweep(NOON + DAY_MS + 2)).toHaveLength(0);
    expect(await store.read.workspaces.storedBytes(workspace.id)).toBe(20);
    expect(await store.read.messages.count(mailbox.id, at(NOON))).toBe(2);
  });

  test('the day count turns at midnight UTC and does not fall when mail is deleted', async () => {
    const { mailbox } = await aPlace(store);
    await deliver(store, mailbox);
    const message = await deliver(store, mailbox);
    await store.transaction((tx) => tx.messages.remove(message.id));
    expect(await store.read.mailboxes.inboundUsed(mailbox.id, NOON)).toBe(2);
    const midnight = Date.UTC(2026, 10, 21);
    expect(await store.read.mailboxes.inboundUsed(mailbox.id, midnight - 1)).toBe(2);
    expect(await store.read.mailboxes.inboundUsed(mailbox.id, midnight)).toBe(0);
    await deliver(store, mailbox, undefined, midnight);
    expect(await store.read.mailboxes.inboundUsed(mailbox.id, midnight)).toBe(1);
  });

  test('a clock that is set back and forward finds the counts of each day', async () => {
    const { mailbox } = await aPlace(store);
    const used = (now: number) => store.read.mailboxes.inboundUsed(mailbox.id, now);
    await deliver(store, mailbox, undefined, NOON);
    await deliver(store, mailbox, undefined, NOON + DAY_MS);
    await deliver(store, mailbox, undefined, NOON + DAY_MS);
    expect([await used(NOON), await used(NOON + DAY_MS)]).toEqual([1, 2]);
    for (let day = 2; day < 12; day++) await deliver(store, mailbox, undefined, NOON + day * DAY_MS);
    expect([await used(NOON), await used(NOON + 11 * DAY_MS)]).toEqual([0, 1]);
  });

  test('the newest id of a mailbox is remembered after its message is gone, and an older one is refused', async () => {
    const { mailbox } = await aPlace(store);
    const message = await deliver(store, mailbox);
    await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
    expect(await store.read.messages.lastId(mailbox.id)).toBe(message.id);
    await expect(store.transaction((tx) => tx.messages.insert(message))).rejects.toThrow('not the newest');
  });

  test('clearing a mailbox empties it alone and returns the number of messages', async () => {
    const { mailbox } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    for (let i = 0; i < 3; i++) await deliver(store, mailbox);
    await deliver(store, other);
    expect(await store.transaction((tx) => tx.messages.removeAll(mailbox.id))).toBe(3);
    expect(await store.transaction((tx) => tx.messages.removeAll(mailbox.id))).toBe(0);
    const next = await deliver(store, mailbox);
    expect(ids(await store.read.messages.page(mailbox.id, { limit: 10, now: at(NOON) }))).toEqual([next.id]);
    expect(await store.read.messages.count(other.id, at(NOON))).toBe(1);
  });

  test('a clear that is rolled back restores every message', async () => {
    const { mailbox } = await aPlace(store);
    const sent = [await deliver(store, mailbox), await deliver(store, mailbox)];
    await expect(
      store.transaction(async (tx) => {
        await tx.messages.removeAll(mailbox.id);
        expect(await tx.messages.count(mailbox.id, at(NOON))).toBe(0);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await store.transaction(async (tx) => {
      expect(ids(await tx.messages.after(mailbox.id, null, 10, at(NOON)))).toEqual(ids(sent));
    });
  });

  test('bytes come back exactly, whole and in pieces, for every size', async () => {
    const { mailbox } = await aPlace(store);
    for (const size of [0, 1, 4_095, 131_072, 3_000_001]) {
      const raw = Buffer.alloc(size, Buffer.from('\r\n.\0\u00ff\n', 'latin1'));
      const writer = store.blobs.writer();
      for (let at = 0; at < size; at += 60_000) await writer.write(raw.subarray(at, at + 60_000));
      const message = await deliverBlob(store, mailbox, await writer.finish(), size);
      expect((await store.blobs.read(message.raw)).equals(raw)).toBe(true);
      const pieces: Buffer[] = [];
      for await (const piece of store.blobs.stream(message.raw)) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(raw)).toBe(true);
    }
  });

  test('blobs that are stored one after another are read back separately', async () => {
    const { mailbox } = await aPlace(store);
    const one = await store.blobs.put(Buffer.from('one'));
    const two = await store.blobs.put(Buffer.from('two'));
    const message = await deliverBlob(store, mailbox, two, 3);
    const first = await deliverBlob(store, mailbox, one, 3);
    expect((await store.blobs.read(message.raw)).toString()).toBe('two');
    expect((await store.blobs.read(first.raw)).toString()).toBe('one');
    const both = await readSmall([message.raw, first.raw, message.raw]);
    expect(both.map(String)).toEqual(['two', 'one', 'two']);
    const [start] = await readSmall([message.raw], 2);
    expect(String(start)).toMatch(/^two?$/);
  });

  test('the starts of mails are read together, with the byte behind an empty line or as far as was asked', async () => {
    const { mailbox } = await aPlace(store);
    const mails = [
      'Subject: \\ \\303 \xe9\0\x01\r\n\r\nbody',
      'a: b\r\n\r\n',
      '\r\n\r\nx',
      'a: b\n\nbody',
      '',
      'a: 0123456789',
    ];
    const raws: BlobRef[] = [];
    for (const mail of mails) {
      const bytes = Buffer.from(mail, 'latin1');
      raws.push((await deliverBlob(store, mailbox, await store.blobs.put(bytes), bytes.length)).raw);
    }
    const starts = await readSmall(raws, 40);
    for (const [nth, mail] of mails.entries()) {
      const start = starts[nth]?.toString('latin1') ?? '';
      expect(mail.startsWith(start)).toBe(true);
      const gap = mail.indexOf('\r\n\r\n');
      expect(start.length).toBeGreaterThanOrEqual(gap < 0 ? Math.min(40, mail.length) : Math.min(gap + 5, mail.length));
    }
  });

  test('bytes shared by two messages outlive the first', async () => {
    const { mailbox } = await aPlace(store);
    const raw = await store.blobs.put(Buffer.from('shared'));
    const first = await deliverBlob(store, mailbox, raw, 6);
    const second = await deliverBlob(store, mailbox, raw, 6);
    await store.transaction((tx) => tx.messages.remove(first.id));
    await store.reclaim();
    const message = await store.read.messages.get(second.id, at(NOON));
    expect(message && (await store.blobs.read(message.raw)).toString()).toBe('shared');
  });

  test('idempotency records are kept for 24 hours and then removed', async () => {
    const { workspace } = await aPlace(store);
    const record = {
      id: 'a',
      workspaceId: workspace.id,
      status: 201,
      body: '{}',
      headers: {},
      bodyHash: '',
      createdAt: NOON,
      storedAt: NOON,
    };
    await store.transaction((tx) => tx.idempotency.put(record));
    await store.transaction((tx) => tx.idempotency.put({ ...record, id: 'b', storedAt: NOON + 10 }));
    expect(await store.read.idempotency.get('a')).toEqual(record);
    const sweep = (now: number) => store.transaction((tx) => tx.idempotency.removeExpired(now, 10));
    expect(await sweep(NOON + DAY_MS - 1)).toBe(0);
    expect(await sweep(NOON + DAY_MS)).toBe(1);
    expect(await store.read.idempotency.get('a')).toBeNull();
    expect(await store.read.idempotency.get('b')).not.toBeNull();
  });

  test('a listener learns of a commit after it can be read, with its mailboxes, and nothing after it left', async () => {
    const { mailbox } = await aPlace(store);
    const heard: { ids: MailboxId[]; visible: Promise<number> }[] = [];
    const stop = store.onCommit(({ mailboxIds }) =>
      heard.push({ ids: [...mailboxIds], visible: store.read.messages.count(mailbox.id, at(NOON)) }),
    );
    await deliver(store, mailbox);
    expect(heard.map((entry) => entry.ids)).toEqual([[mailbox.id]]);
    expect(await heard[0]?.visible).toBe(1);
    await store.transaction((tx) => tx.mailboxes.remove(mailbox.id));
    expect(heard).toHaveLength(2);
    stop();
    await aPlace(store);
    expect(heard).toHaveLength(2);
  });

  test('the inbox is the seeded mailbox', async () => {
    expect(await store.read.mailboxes.inbox()).toBeNull();
    const { mailbox } = await aPlace(store, { seeded: true });
    await aPlace(store);
    expect(await store.read.mailboxes.inbox()).toEqual(mailbox);
  });

  test('after close every call is refused', async () => {
    const closed = await open();
    await closed.close();
    await expect(closed.transaction(async () => {})).rejects.toThrow('the store is closed');
    await closed.close();
  });

  const mail = [feedSuite, walkSuite, kindSuite, clockSuite, markSuite];
  const others = [authenticatorSuite, claimSuite, outboundSuite, runSuite, webhookSuite, ...mail];
  for (const suite of others) suite(() => store);
}
