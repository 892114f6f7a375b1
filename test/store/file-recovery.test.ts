import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/retention.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Store } from '../../src/ports/store.ts';
import { type Disk, NODE_DISK } from '../../src/store/file/segments.ts';
import { openFileStore } from '../../src/store/file/store.ts';
import { aKey, aMailbox, aPlace, aWorkspace, deliver, deliverBlob, NOON } from './rows.ts';

const root = mkdtempSync(join(tmpdir(), 'mailcap-recovery-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SMALL = 32_768;
const newDirectory = () => mkdtempSync(join(root, 'd-'));
const logFiles = (directory: string) =>
  readdirSync(join(directory, 'log'))
    .sort()
    .map((name) => join(directory, 'log', name));
const bytesIn = (directory: string) => logFiles(directory).reduce((sum, path) => sum + statSync(path).size, 0);

function recordingLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  return { lines, error: say, warn: say, info: say, debug: say };
}

function open(directory: string, options: { segmentBytes?: number; disk?: Disk; log?: Log } = {}): Promise<Store> {
  const { log = recordingLog(), ...rest } = options;
  return openFileStore({ directory, durability: 'fsync', ...rest }, log);
}

/** Everything a reader can tell of a store, bytes included. */
async function picture(store: Store, now = NOON): Promise<unknown> {
  const workspaces = await store.read.workspaces.list();
  return Promise.all(
    workspaces.map(async (workspace) => ({
      workspace,
      storedBytes: await store.read.workspaces.storedBytes(workspace.id),
      keys: await store.read.keys.list(workspace.id),
      groups: await store.read.groups.list(workspace.id),
      mailboxes: await Promise.all(
        (await store.read.mailboxes.list(workspace.id)).map(async (mailbox) => ({
          mailbox,
          used: await store.read.mailboxes.inboundUsed(mailbox.id, now),
          lastId: await store.read.messages.lastId(mailbox.id),
          messages: await Promise.all(
            (await store.read.messages.after(mailbox.id, null, 100_000, now)).map(
              async ({ raw, facts, ...message }) => ({
                message,
                raw: (await store.blobs.read(raw)).toString('latin1'),
                facts: (await store.blobs.read(facts)).toString(),
              }),
            ),
          ),
        })),
      ),
    })),
  );
}

test.each([SMALL, 16 * 1024 * 1024])(
  'reopened, everything is as it was (segments of %i bytes)',
  async (segmentBytes) => {
    const directory = newDirectory();
    const store = await open(directory, { segmentBytes });
    const { workspace, mailbox } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    await store.transaction((tx) => tx.keys.insert(aKey(workspace.id), 5));
    await store.transaction((tx) => tx.settings.setClockOffsetMs(5_000));
    for (let i = 0; i < 60; i++) await deliver(store, i % 2 ? mailbox : other, Buffer.alloc(2_000, i));
    const writer = store.blobs.writer();
    for (let i = 0; i < 5; i++) await writer.write(Buffer.alloc(50_000, i));
    await deliverBlob(store, mailbox, await writer.finish(), 250_000);
    const first = (await store.read.messages.after(mailbox.id, null, 1, NOON))[0];
    if (first !== undefined) await store.transaction((tx) => tx.messages.remove(first.id));
    await store.transaction((tx) => tx.messages.removeAll(other.id));
    await deliver(store, other);
    const before = await picture(store);
    await store.close();
    for (let i = 0; i < 3; i++) {
      const again = await open(directory, { segmentBytes });
      expect(await picture(again)).toEqual(before);
      expect(await again.read.settings.clockOffsetMs()).toBe(5_000);
      await again.close();
    }
  },
);

test('a torn tail is cut off, and all that was acknowledged is there', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store);
  for (let i = 0; i < 5; i++) await deliver(store, mailbox, Buffer.alloc(500, i));
  const before = await picture(store);
  const file = logFiles(directory).at(-1) ?? '';
  const whole = readFileSync(file);
  await store.close();
  // Every way a record can be torn: a part of a header, of a payload, a payload of zeros.
  for (const tail of [
    whole.subarray(16, 20),
    whole.subarray(16, 30),
    Buffer.alloc(700),
    Buffer.from([5, 0, 0, 0, 1, 2, 3, 4, 2, 9, 9, 9, 9, 9]),
  ]) {
    appendFileSync(file, tail);
    const log = recordingLog();
    const again = await open(directory, { log });
    expect(await picture(again)).toEqual(before);
    expect(log.lines.join()).toContain('cut off');
    await again.close();
    expect(readFileSync(file).equals(whole)).toBe(true);
  }
});

test('cut at any byte, the log opens, holds a prefix of what was written, and takes more', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store);
  const file = logFiles(directory).at(-1) ?? '';
  const sizes: number[] = [];
  for (let i = 0; i < 4; i++) {
    await deliver(store, mailbox, Buffer.alloc(100, i));
    sizes.push(statSync(file).size);
  }
  const whole = readFileSync(file);
  await store.close();
  for (let cut = whole.length; cut > (sizes[0] ?? 0); cut -= 37) {
    writeFileSync(file, whole.subarray(0, cut));
    const again = await open(directory);
    const expected = sizes.filter((size) => size <= cut).length;
    expect(await again.read.messages.count(mailbox.id)).toBe(expected);
    const next = await deliver(again, mailbox);
    await again.close();
    const third = await open(directory);
    expect(await third.read.messages.get(next.id, NOON)).toEqual(next);
    expect(await third.read.messages.count(mailbox.id)).toBe(expected + 1);
    await third.close();
  }
});

test('a truncated older segment loses only what stood in the missing part, says so, and is never thrown away', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const sent = [];
  for (let i = 0; i < 40; i++) sent.push(await deliver(store, mailbox, Buffer.alloc(3_000, i)));
  await store.close();
  const victim = logFiles(directory)[1] ?? '';
  truncateSync(victim, Math.floor(statSync(victim).size / 2) + 7);
  const log = recordingLog();
  const again = await open(directory, { segmentBytes: SMALL, log });
  const left = await again.read.messages.after(mailbox.id, null, 100, NOON);
  expect(left.length).toBeLessThan(40);
  expect(left.length).toBeGreaterThan(30);
  for (const message of left) expect((await again.blobs.read(message.raw)).length).toBe(3_000);
  expect(log.lines.join('\n')).toMatch(/is damaged from byte \d+ on/);
  await again.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await again.reclaim();
  expect(existsSync(victim)).toBe(true);
  await again.close();
});

test('a missing segment costs the messages in it and nothing else', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  for (let i = 0; i < 40; i++) await deliver(store, mailbox, Buffer.alloc(3_000, i));
  await store.close();
  rmSync(logFiles(directory)[1] ?? '');
  const again = await open(directory, { segmentBytes: SMALL });
  const left = await again.read.messages.after(mailbox.id, null, 100, NOON);
  expect(left.length).toBeGreaterThan(20);
  for (const message of left) expect((await again.blobs.read(message.raw)).length).toBe(3_000);
  await again.close();
});

test('a snapshot or segment of another format, or one that is none, is refused and named', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  await aPlace(store);
  await store.close();
  const state = join(directory, 'state.json');
  const snapshot = readFileSync(state, 'utf8');
  for (const [text, message] of [
    [snapshot.replace('"format":1', '"format":0'), 'is of format 0, this mailcap reads format 1'],
    [snapshot.replace('"format":1', '"format":2'), 'is of format 2'],
    ['{"format":', "can't be read as JSON"],
  ] as const) {
    writeFileSync(state, text);
    await expect(open(directory)).rejects.toMatchObject({
      code: 'STORE_FORMAT',
      message: expect.stringContaining(message),
    });
  }
  writeFileSync(state, snapshot);
  const file = logFiles(directory)[0] ?? '';
  const whole = readFileSync(file);
  const newer = Buffer.from(whole);
  newer.writeUInt32LE(9, 12);
  writeFileSync(file, newer);
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_FORMAT',
    message: expect.stringContaining('is of format 9'),
  });
  writeFileSync(file, 'something else entirely');
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_FORMAT',
    message: expect.stringContaining('is no mailcap log'),
  });
  writeFileSync(file, whole);
  await (await open(directory)).close();
});

test('a second store on the same directory is refused with the pid; after close it may come', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining(`pid ${process.pid}`),
  });
  await store.close();
  await (await open(directory)).close();
});

test('a lock whose holder is dead does not lock: killed, rebooted, or its number used by another process', async () => {
  const directory = newDirectory();
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  const boot = existsSync('/proc/sys/kernel/random/boot_id')
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : '';
  const holder = { pid: child.pid, host: hostname(), boot, started: '1' };
  for (const lock of [
    holder,
    { ...holder, boot: 'another' },
    { ...holder, pid: process.ppid },
    { ...holder, pid: process.pid },
  ]) {
    writeFileSync(join(directory, 'lock'), JSON.stringify(lock));
    await (await open(directory)).close();
  }
  // A holder elsewhere can't be asked: while its lock is fresh it is believed.
  writeFileSync(join(directory, 'lock'), JSON.stringify({ ...holder, host: 'elsewhere' }));
  await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
});

/** A disk that refuses what would exceed its room, half way through, as a full one does. */
function fullDisk(): Disk & { room: number; syncs: boolean } {
  const disk: Disk & { room: number; syncs: boolean } = {
    room: Number.POSITIVE_INFINITY,
    syncs: true,
    async write(file, bytes, from, position) {
      if (disk.room <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const length = Math.min(disk.room, bytes.length - from);
      disk.room -= length;
      return NODE_DISK.write(file, bytes.subarray(0, from + length), from, position);
    },
    async sync(file) {
      if (!disk.syncs) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      await NODE_DISK.sync(file);
    },
  };
  return disk;
}

test('a full disk refuses with storage_unavailable, keeps nothing of what it refused, and recovers without a reopen', async () => {
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
      expect(attempt.status === 'rejected' && attempt.reason).toMatchObject({ code: 'storage_unavailable' });
    expect(await picture(store)).toEqual(before);
  }
  disk.room = Number.POSITIVE_INFINITY;
  await store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'later' }), 10));
  const next = await deliver(store, mailbox, Buffer.alloc(1_000, 1));
  const after = await picture(store);
  await store.close();
  const again = await open(directory);
  expect(await picture(again)).toEqual(after);
  expect((await again.read.messages.after(mailbox.id, null, 10, NOON)).map(({ id }) => id)).toEqual([kept.id, next.id]);
  await again.close();
});

test('a sync that fails is a refusal: nothing of the batch is there, not after a reopen either', async () => {
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
  expect((await again.read.messages.after(mailbox.id, null, 10, NOON)).map(({ id }) => id)).toEqual([next.id]);
  await again.close();
});

test('a blob whose first half went with a failed write can not be referred to', async () => {
  const directory = newDirectory();
  const disk = fullDisk();
  const store = await open(directory, { disk });
  const { mailbox } = await aPlace(store);
  const writer = store.blobs.writer();
  await writer.write(Buffer.alloc(200_000, 1));
  disk.room = 0;
  await expect(deliver(store, mailbox)).rejects.toMatchObject({ code: 'storage_unavailable' });
  disk.room = Number.POSITIVE_INFINITY;
  await writer.write(Buffer.alloc(200_000, 2));
  const raw = await writer.finish();
  await expect(deliverBlob(store, mailbox, raw, 400_000)).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(await store.read.messages.count(mailbox.id)).toBe(0);
  await deliver(store, mailbox);
  await store.close();
});

test('deleting gives space back, across reopening, and what is alive stays whole', async () => {
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

test('what was removed stays removed when the segment that says so is reclaimed before the one it lived in', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const { mailbox: noise } = await aPlace(store);
  const doomed = await deliver(store, mailbox, Buffer.alloc(1_000));
  const cleared = await deliver(store, noise, Buffer.alloc(1_000));
  for (let i = 0; i < 9; i++) await deliver(store, mailbox, Buffer.alloc(2_500, i));
  // The removals go to a later segment, which then fills with mail that dies.
  const short: string[] = [];
  for (let i = 0; i < 12; i++) short.push((await deliver(store, noise, Buffer.alloc(2_500))).id);
  await store.transaction((tx) => tx.messages.remove(doomed.id));
  for (let i = 0; i < 24; i++) await deliver(store, noise, Buffer.alloc(2_500));
  await store.transaction((tx) => tx.messages.removeAll(noise.id));
  const oldest = logFiles(directory)[0] ?? '';
  await store.reclaim();
  await store.reclaim();
  expect(existsSync(oldest)).toBe(true);
  const before = await picture(store);
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  expect(await picture(store)).toEqual(before);
  for (const id of [doomed.id, cleared.id]) expect(await store.read.messages.get(id, NOON)).toBeNull();
  await store.close();
});

test('bytes past their retention leave the disk with the next reclaiming, also from the newest segment', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store, { retentionDays: 1 });
  await deliver(store, mailbox, Buffer.from('Subject: s\r\n\r\nthe-secret-of-yesterday\r\n'));
  const kept = await deliver(store, mailbox, Buffer.from('kept-bytes'), NOON + DAY_MS);
  await store.transaction((tx) => tx.messages.removeExpired(mailbox.id, NOON + DAY_MS, 10));
  await store.reclaim();
  const all = logFiles(directory)
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
  expect(all).not.toContain('the-secret-of-yesterday');
  expect(all).toContain('kept-bytes');
  expect((await store.read.messages.get(kept.id, NOON + DAY_MS))?.id).toBe(kept.id);
  await store.close();
});

test('bytes that wait for their transaction are not reclaimed from under it; given up, they are', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const [early] = await store.blobs.put([Buffer.from('early')]);
  const [unwanted] = await store.blobs.put([Buffer.alloc(20_000)]);
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
  if (unwanted !== undefined) store.blobs.discard([unwanted]);
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
    for (const message of await store.read.messages.page(mailbox.id, { limit: 50, now: NOON })) {
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
  expect(await again.read.messages.count(mailbox.id)).toBe(live.size);
  await again.close();
});

test('numbers of reclaimed segments are never used again for what a snapshot would take for old', async () => {
  const directory = newDirectory();
  let store = await open(directory, { segmentBytes: SMALL });
  const { workspace, mailbox } = await aPlace(store, { retentionDays: 1 });
  for (let i = 0; i < 20; i++) await deliver(store, mailbox, Buffer.alloc(3_000));
  await store.transaction((tx) => tx.messages.removeExpired(mailbox.id, NOON + DAY_MS, 100));
  await store.reclaim();
  await store.close();
  store = await open(directory, { segmentBytes: SMALL });
  await store.transaction((tx) => tx.mailboxes.insert(aMailbox(workspace.id, { subdomain: 'after' }), 10));
  const before = await picture(store);
  // As a killed process would leave it: the directory as it is now, no closing snapshot.
  const copy = newDirectory();
  mkdirSync(join(copy, 'log'), { recursive: true });
  for (const path of logFiles(directory)) writeFileSync(join(copy, 'log', path.slice(-12)), readFileSync(path));
  writeFileSync(join(copy, 'state.json'), readFileSync(join(directory, 'state.json')));
  const again = await open(copy, { segmentBytes: SMALL });
  expect(await picture(again)).toEqual(before);
  await again.close();
  await store.close();
});

test('ten thousand transactions at once share a few syncs', async () => {
  const directory = newDirectory();
  let syncs = 0;
  const disk: Disk = { ...NODE_DISK, sync: (file) => NODE_DISK.sync(file).finally(() => syncs++) };
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
