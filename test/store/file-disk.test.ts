import { expect, test } from 'vitest';
import type { Disk, DiskFile } from '../../src/ports/storage.ts';
import { nodeDisk } from '../../src/store/disk/node-disk.ts';
import { at } from '../support/moment.ts';
import { newDirectory, open, picture } from './directory.ts';
import { aMailbox, aPlace, aWorkspace, deliver, deliverBlob, NOON } from './rows.ts';

/** Creates a disk that fails in the middle of a write that exceeds its room, as a full disk does. */
function fullDisk(): Disk & { room: number; syncs: boolean } {
  const disk: Disk & { room: number; syncs: boolean } = {
    ...nodeDisk,
    room: Number.POSITIVE_INFINITY,
    syncs: true,
    space: async (path) => ({ ...(await nodeDisk.space(path)), ...(disk.room <= 0 ? { freeBytes: 0 } : {}) }),
    open: async (path, mode) => refusing(await nodeDisk.open(path, mode)),
  };
  const refusing = (file: DiskFile): DiskFile => ({
    ...file,
    write: async (parts, position) => {
      if (disk.room <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const bytes = Buffer.concat(parts).subarray(0, disk.room);
      disk.room -= bytes.length;
      return file.write([bytes], position);
    },
    sync: async () => {
      if (!disk.syncs) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      await file.sync();
    },
  });
  return disk;
}

test('a full disk refuses with disk_full, keeps no refused data, and recovers without a reopen', async () => {
  const directory = newDirectory();
  const disk = fullDisk();
  const store = await open(directory, { disk });
  const { workspace, mailbox } = await aPlace(store);
  const kept = await deliver(store, mailbox, Buffer.alloc(1_000));
  const before = await picture(store);
  for (const room of [0, 5, 300, 1_200]) {
    disk.room = room;
    const attempts = await Promise.allSettled([
      deliver(store, mailbox, Buffer.alloc(1_000)),
      store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'later' }), 10)),
      deliver(store, mailbox, Buffer.alloc(1_000)),
    ]);
    expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const attempt of attempts)
      expect(attempt.status === 'rejected' && attempt.reason).toMatchObject({
        code: expect.stringMatching(/^(disk_full|storage_unavailable)$/),
      });
    expect(await picture(store)).toEqual(before);
  }
  disk.room = Number.POSITIVE_INFINITY;
  await store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'later' }), 10));
  const next = await deliver(store, mailbox, Buffer.alloc(1_000, 1));
  const after = await picture(store);
  await store.close();
  const again = await open(directory);
  expect(await picture(again)).toEqual(after);
  expect((await again.read.messages.after(mailbox.id, null, 10, at(NOON))).map(({ id }) => id)).toEqual([
    kept.id,
    next.id,
  ]);
  await again.close();
});

test('a sync that fails refuses the whole batch, of which nothing is there, even after a reopen', async () => {
  const directory = newDirectory();
  const disk = fullDisk();
  const store = await open(directory, { disk });
  const { mailbox } = await aPlace(store);
  disk.syncs = false;
  await expect(deliver(store, mailbox)).rejects.toMatchObject({ code: 'storage_unavailable' });
  disk.syncs = true;
  const next = await deliver(store, mailbox);
  await store.close();
  const again = await open(directory);
  expect((await again.read.messages.after(mailbox.id, null, 10, at(NOON))).map(({ id }) => id)).toEqual([next.id]);
  await again.close();
});

test('no row can refer to a blob whose first half was lost in a failed write', async () => {
  const directory = newDirectory();
  const disk = fullDisk();
  const store = await open(directory, { disk });
  const { mailbox } = await aPlace(store);
  const writer = store.blobs.writer();
  await writer.write(Buffer.alloc(200_000, 1));
  disk.room = 0;
  await expect(deliver(store, mailbox)).rejects.toMatchObject({ code: 'disk_full' });
  disk.room = Number.POSITIVE_INFINITY;
  await writer.write(Buffer.alloc(200_000, 2));
  const raw = await writer.finish();
  await expect(deliverBlob(store, mailbox, raw, 400_000)).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(await store.read.messages.count(mailbox.id, at(NOON))).toBe(0);
  await deliver(store, mailbox);
  await store.close();
});

test('ten thousand transactions at the same time share a few syncs', async () => {
  const directory = newDirectory();
  let syncs = 0;
  const disk: Disk = {
    ...nodeDisk,
    open: async (path, mode) => {
      const file = await nodeDisk.open(path, mode);
      return { ...file, sync: () => file.sync().finally(() => syncs++) };
    },
  };
  const store = await open(directory, { disk });
  const workspace = aWorkspace();
  await store.transaction((tx) => tx.workspaces.insert(workspace));
  const mailboxes = Array.from({ length: 100 }, () => aMailbox(workspace.id));
  for (const mailbox of mailboxes) await store.transaction((tx) => tx.mailboxes.insert(mailbox, 1_000));
  syncs = 0;
  await Promise.all(
    Array.from({ length: 10_000 }, (_, i) => deliver(store, mailboxes[i % 100] ?? aMailbox(workspace.id))),
  );
  expect(syncs).toBeLessThan(200);
  expect((await store.read.counts()).messages).toBe(10_000);
  await store.close();
});
