import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { at } from '../support/moment.ts';
import { asKilled, bytesIn, logFiles, newDirectory, open, picture, SMALL } from './directory.ts';
import { aMailbox, aPlace, deliver, deliverBlob, NOON } from './rows.ts';

test('deleting frees space, also after a reopen, and stored data stays whole', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const { mailbox: kept } = await aPlace(store);
  for (let i = 0; i < 200; i++) await deliver(store, i % 10 ? mailbox : kept, Buffer.alloc(3_000, i));
  const full = bytesIn(directory);
  await store.transaction((tx) => tx.mailboxes.remove(mailbox.id));
  const before = await picture(store);
  await store.reclaim();
  await store.reclaim();
  expect(bytesIn(directory)).toBeLessThan(full * 0.3);
  expect(await picture(store)).toEqual(before);
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  expect(await picture(store)).toEqual(before);
  await store.close();
});

test('a removed row stays removed if the segment of its removal is reclaimed before its own', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const { mailbox: noise } = await aPlace(store);
  const doomed = await deliver(store, mailbox, Buffer.alloc(1_000));
  const cleared = await deliver(store, noise, Buffer.alloc(1_000));
  for (let i = 0; i < 9; i++) await deliver(store, mailbox, Buffer.alloc(2_500, i));
  // The deletions are written to a later segment, which then fills with mail that is deleted.
  const short: string[] = [];
  for (let i = 0; i < 12; i++) short.push((await deliver(store, noise, Buffer.alloc(2_500))).id);
  await store.transaction((tx) => tx.messages.remove(doomed.id));
  for (let i = 0; i < 24; i++) await deliver(store, noise, Buffer.alloc(2_500));
  for (const { id } of await store.read.messages.after(noise.id, null, 100, at(NOON))) {
    await store.transaction((tx) => tx.messages.remove(id));
  }
  const oldest = logFiles(directory)[0] ?? '';
  await store.reclaim();
  await store.reclaim();
  expect(existsSync(oldest)).toBe(true);
  const before = await picture(store);
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  expect(await picture(store)).toEqual(before);
  for (const id of [doomed.id, cleared.id]) expect(await store.read.messages.get(id, at(NOON))).toBeNull();
  await store.close();
});

test('bytes past their retention leave the disk at the next reclaim, also from the newest segment', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store, { retentionDays: 1 });
  await deliver(store, mailbox, Buffer.from('Subject: s\r\n\r\nthe-secret-of-yesterday\r\n'));
  const kept = await deliver(store, mailbox, Buffer.from('kept-bytes'), NOON + DAY_MS);
  await store.transaction((tx) => tx.messages.removeExpired(mailbox.id, at(NOON + DAY_MS), 10));
  await store.reclaim();
  const all = logFiles(directory)
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
  expect(all).not.toContain('the-secret-of-yesterday');
  expect(all).toContain('kept-bytes');
  expect((await store.read.messages.get(kept.id, at(NOON + DAY_MS)))?.id).toBe(kept.id);
  await store.close();
});

test('cleared bytes, and most bytes that were deleted one by one, leave the disk also from the newest segment', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store);
  await deliver(store, mailbox, Buffer.from('the-secret-of-a-test'));
  await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await store.reclaim();
  const everything = () =>
    logFiles(directory)
      .map((path) => readFileSync(path, 'latin1'))
      .join('');
  expect(everything()).not.toContain('the-secret-of-a-test');

  for (let i = 0; i < 20; i++) await deliver(store, mailbox, Buffer.alloc(200_000, i));
  const all = await store.read.messages.after(mailbox.id, null, 100, at(NOON));
  for (const { id } of all.slice(3)) await store.transaction((tx) => tx.messages.remove(id));
  await store.reclaim();
  expect(bytesIn(directory)).toBeLessThan(1_000_000);
  expect(await store.read.messages.count(mailbox.id, at(NOON))).toBe(3);
  await store.close();
});

test('bytes that wait for their transaction are not reclaimed until it is given up', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const early = await store.blobs.put(Buffer.from('early'));
  const unwanted = await store.blobs.put(Buffer.alloc(20_000));
  const writer = store.blobs.writer();
  await writer.write(Buffer.alloc(200_000, 7));
  const waiting = logFiles(directory).length;
  for (let i = 0; i < 20; i++) await deliver(store, mailbox, Buffer.alloc(3_000));
  await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await store.reclaim();
  const first = await deliverBlob(store, mailbox, early, 5);
  const second = await deliverBlob(store, mailbox, await writer.finish(), 200_000);
  expect((await store.blobs.read(first.raw)).toString()).toBe('early');
  expect((await store.blobs.read(second.raw)).equals(Buffer.alloc(200_000, 7))).toBe(true);
  store.blobs.discard([unwanted]);
  await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await deliver(store, mailbox);
  await store.reclaim();
  expect(logFiles(directory).length).toBeLessThanOrEqual(waiting + 1);
  expect(bytesIn(directory)).toBeLessThan(SMALL * 2);
  await store.close();
});

test('reclaiming while mail comes in, is read and deleted loses nothing', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const live = new Map<string, number>();
  for (let round = 0; round < 12; round++) {
    const reclaiming = store.reclaim();
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, i) => deliver(store, mailbox, Buffer.alloc(1_500, round * 30 + i), NOON + round)),
    );
    for (const [i, { id }] of sent.entries()) live.set(id, round * 30 + i);
    for (const message of await store.read.messages.page(mailbox.id, { limit: 50, now: at(NOON) })) {
      expect((await store.blobs.read(message.raw))[0]).toBe((live.get(message.id) ?? -1) & 0xff);
    }
    for (const { id } of sent.slice(0, 20)) {
      await store.transaction((tx) => tx.messages.remove(id));
      live.delete(id);
    }
    await reclaiming;
  }
  const before = await picture(store);
  await store.close();
  const again = await open(directory, { segmentBytes: SMALL });
  expect(await picture(again)).toEqual(before);
  expect(await again.read.messages.count(mailbox.id, at(NOON))).toBe(live.size);
  await again.close();
});

test('the numbers of reclaimed segments are never used again', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { workspace, mailbox } = await aPlace(store, { retentionDays: 1 });
  for (let i = 0; i < 20; i++) await deliver(store, mailbox, Buffer.alloc(3_000));
  await store.transaction((tx) => tx.messages.removeExpired(mailbox.id, at(NOON + DAY_MS), 100));
  await store.reclaim();
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  await store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'after' }), 10));
  const before = await picture(store);
  // The copy is the directory as a killed process leaves it, without a final snapshot.
  const copy = asKilled(directory);
  const again = await open(copy, { segmentBytes: SMALL });
  expect(await picture(again)).toEqual(before);
  await again.close();
  await store.close();
});
