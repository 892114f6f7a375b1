import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/disk.ts';
import { nodeDisk } from '../../../src/store/disk/node-disk.ts';
import { Draw } from './draw.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);
const root = mkdtempSync(join(tmpdir(), 'mailcap-disk-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function newDisk(seed = 1): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new Draw(seed));
  await disk.makeDirectory('/d');
  await disk.syncDirectory('/');
  return disk;
}

async function put(disk: Disk, path: string, text: string | Buffer): Promise<void> {
  const file = await disk.open(path, 'replace');
  await file.write([Buffer.from(text)], 0);
  await file.close();
}

async function get(disk: Disk, path: string): Promise<string | null> {
  const facts = await disk.stat(path);
  if (facts === null) return null;
  const file = await disk.open(path, 'read');
  const into = Buffer.alloc(facts.size);
  await file.read(into, 0);
  await file.close();
  return into.toString('latin1');
}

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );

/** What a power cut leaves over many draws. */
async function leftovers(disk: SimulatedDisk, path: string): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const seed of SEEDS) found.add(await get(disk.afterCrash(new Draw(seed)), path));
  return found;
}

/** A file that a power cut can't take: its content and its name are synced. */
async function safeFile(disk: SimulatedDisk, path: string, content: string | Buffer): Promise<void> {
  await put(disk, path, content);
  const file = await disk.open(path, 'update');
  await file.sync();
  await file.close();
  await disk.syncDirectory('/d');
}

test('what is written and not synced may be lost by a power cut, and is kept by a kill', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/a', 'old');
  const file = await disk.open('/d/a', 'update');
  await file.write([Buffer.from('new')], 0);
  expect(await leftovers(disk, '/d/a')).toEqual(new Set(['old', 'new']));
  expect(await get(disk.afterKill(new Draw(1)), '/d/a')).toBe('new');
  await file.sync();
  expect(await leftovers(disk, '/d/a')).toEqual(new Set(['new']));
});

test('a write is torn between its sectors, and two writes reach the platter in any order', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/a', Buffer.alloc(1_024, '.'));
  const file = await disk.open('/d/a', 'update');
  await file.write([Buffer.alloc(1_024, 'x')], 0);
  const shapes = new Set([...(await leftovers(disk, '/d/a'))].map((text) => `${text?.[0]}${text?.[600]}`));
  expect(shapes).toEqual(new Set(['..', 'x.', '.x', 'xx']));
});

test('a length that is not synced may be there or not, and new bytes that are not read as zero', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/a', Buffer.alloc(512, 'a'));
  const file = await disk.open('/d/a', 'update');
  await file.write([Buffer.alloc(512, 'b')], 512);
  expect(await leftovers(disk, '/d/a')).toEqual(
    new Set([512, 0, 1].map((n) => 'a'.repeat(512) + (n === 512 ? '' : (n === 0 ? '\0' : 'b').repeat(512)))),
  );
  await file.truncate(100);
  expect((await leftovers(disk, '/d/a')).has('a'.repeat(100))).toBe(true);
  expect([...(await leftovers(disk, '/d/a'))].some((text) => text?.length === 1_024)).toBe(true);
});

test('a name that is not synced may be lost, though its content was synced', async () => {
  const disk = await newDisk();
  const file = await disk.open('/d/a', 'replace');
  await file.write([Buffer.from('text')], 0);
  await file.sync();
  expect(await leftovers(disk, '/d/a')).toEqual(new Set([null, 'text']));
  await disk.syncDirectory('/d');
  expect(await leftovers(disk, '/d/a')).toEqual(new Set(['text']));
  await disk.unlink('/d/a');
  expect(await leftovers(disk, '/d/a')).toEqual(new Set([null, 'text']));
});

test('a rename is there with both its names or with neither', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/a', 'old');
  await safeFile(disk, '/d/b', 'new');
  await disk.rename('/d/b', '/d/a');
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    const left = disk.afterCrash(new Draw(seed));
    seen.add(`${await get(left, '/d/a')} ${await get(left, '/d/b')}`);
  }
  expect(seen).toEqual(new Set(['old new', 'new null']));
});

test('of changes to one name a later one is never there without the earlier', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/1', 'one');
  await safeFile(disk, '/d/2', 'two');
  await disk.rename('/d/1', '/d/n');
  await disk.rename('/d/2', '/d/n');
  for (const seed of SEEDS) {
    const left = disk.afterCrash(new Draw(seed));
    if ((await get(left, '/d/n')) === 'two') expect(await get(left, '/d/1')).toBeNull();
  }
});

test('after a sync that failed the next one succeeds, and what was written before it may be lost all the same', async () => {
  const left = new Set<string | null>();
  for (const seed of SEEDS) {
    const disk = await newDisk(seed);
    await safeFile(disk, '/d/a', 'old');
    const file = await disk.open('/d/a', 'update');
    await file.write([Buffer.from('new')], 0);
    disk.refusals.add({ operation: 'sync', code: 'EIO' });
    expect(await codeOf(file.sync())).toBe('EIO');
    await file.sync();
    left.add(await get(disk.crash(new Draw(seed)), '/d/a'));
  }
  expect(left).toEqual(new Set(['old', 'new']));
});

test('after a crash or a kill no operation of the old disk completes', async () => {
  for (const end of ['crash', 'kill'] as const) {
    const disk = await newDisk();
    let settled = 0;
    const attempt = [disk.list('/d'), disk.open('/missing', 'read'), disk.stat('/d')];
    for (const promise of attempt)
      promise.then(
        () => settled++,
        () => settled++,
      );
    const next = disk[end](new Draw(1));
    disk.list('/d').then(
      () => settled++,
      () => settled++,
    );
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(0);
    expect(await next.list('/')).toEqual(['d']);
  }
});

test('a file that is unlinked stays readable through its handle, which is told of', async () => {
  const disk = await newDisk();
  await put(disk, '/d/a', 'text');
  const file = await disk.open('/d/a', 'read');
  expect([disk.openHandles, disk.openUnlinked]).toEqual([1, []]);
  await disk.unlink('/d/a');
  const into = Buffer.alloc(4);
  await file.read(into, 0);
  expect([into.toString(), disk.openUnlinked]).toEqual(['text', ['/d/a']]);
  await file.close();
  expect([disk.openHandles, disk.openUnlinked]).toEqual([0, []]);
});

test('a full disk takes what fits, then refuses, and has room again once a file is gone and closed', async () => {
  const disk = await newDisk();
  disk.capacity = 6 * 4_096;
  const file = await disk.open('/d/a', 'replace');
  const { freeBytes } = await disk.space('/d');
  expect(freeBytes % 4_096).toBe(0);
  expect(await file.write([Buffer.alloc(5_000), Buffer.alloc(50_000)], 0)).toBe(freeBytes);
  expect(await codeOf(file.write([Buffer.alloc(1)], freeBytes))).toBe('ENOSPC');
  expect((await disk.space('/d')).freeBytes).toBe(0);
  expect(await file.write([Buffer.alloc(1)], 0)).toBe(1);
  await disk.unlink('/d/a');
  expect((await disk.space('/d')).freeBytes).toBe(0);
  await file.close();
  expect((await disk.space('/d')).freeBytes).toBeGreaterThanOrEqual(freeBytes);
});

test('an operation is refused as scripted: so many pass, so many fail, where the path matches', async () => {
  const disk = await newDisk();
  for (const operation of ['open', 'rename', 'syncDirectory', 'read', 'write'] as const)
    disk.refusals.add({ operation, code: 'EIO', path: '/d' });
  expect(await codeOf(disk.open('/d/a', 'replace'))).toBe('EIO');
  const file = await disk.open('/d/a', 'replace');
  expect(await codeOf(disk.rename('/d/a', '/d/b'))).toBe('EIO');
  expect(await codeOf(disk.syncDirectory('/d'))).toBe('EIO');
  await disk.syncDirectory('/d');
  expect(await codeOf(file.read(Buffer.alloc(1), 0))).toBe('EIO');
  expect(await codeOf(file.write([Buffer.from('x')], 0))).toBe('EIO');
  disk.refusals.add({ operation: 'write', code: 'ENOSPC', after: 1, times: 2 });
  const codes = [];
  for (let i = 0; i < 4; i++) codes.push(await codeOf(file.write([Buffer.from('x')], 0)));
  expect(codes).toEqual([null, 'ENOSPC', 'ENOSPC', null]);
});

test('short writes and short reads do a part, at least a byte, and say how much', async () => {
  const disk = await newDisk();
  disk.refusals.chances = { shortWrite: 1, shortRead: 1, refused: {} };
  const file = await disk.open('/d/a', 'replace');
  const some = await file.write([Buffer.from('0123'), Buffer.from('456789')], 0);
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(10);
  expect((await file.facts()).size).toBe(some);
  for (let at = some; at < 10; ) at += await file.write([Buffer.from('0123456789').subarray(at)], at);
  const into = Buffer.alloc(10);
  const got = await file.read(into, 0);
  expect(into.subarray(0, got).toString()).toBe('0123456789'.slice(0, got));
  expect(got).toBeLessThan(10);
});

test('rot alters what is there, and another directory stands in for one that was taken away', async () => {
  const disk = await newDisk();
  await safeFile(disk, '/d/a', Buffer.alloc(600, 'a'));
  await safeFile(disk, '/d/b', 'b');
  disk.flipBit('/d/a', 3, 1);
  disk.zeroSector('/d/a', 1);
  const text = await get(disk.crash(new Draw(1)), '/d/a');
  expect([text?.slice(0, 5), text?.charCodeAt(599)]).toEqual(['aaaca', 0]);
  const other = await newDisk();
  await safeFile(other, '/d/a', 'a');
  await safeFile(other, '/d/b', 'b');
  other.swap('/d/a', '/d/b');
  other.rot('/d/b', (bytes) => bytes.subarray(0, 0));
  expect([await get(other, '/d/a'), await get(other, '/d/b')]).toEqual(['b', '']);
  other.lose('/d/a');
  expect(await other.list('/d')).toEqual(['b']);
  const before = await other.stat('/d');
  other.replaceDirectory('/d');
  expect(await other.list('/d')).toEqual([]);
  expect((await other.stat('/d'))?.identity).not.toBe(before?.identity);
});

test('a seed gives the same order of operations every time, and seeds give different ones', async () => {
  const orderOf = async (seed: number) => {
    const disk = await newDisk(seed);
    const order: number[] = [];
    await Promise.all(Array.from({ length: 8 }, (_, i) => disk.stat('/d').then(() => order.push(i))));
    return order.join('');
  };
  expect(await orderOf(7)).toBe(await orderOf(7));
  expect(new Set(await Promise.all([1, 2, 3, 4].map(orderOf))).size).toBeGreaterThan(1);
});

/** What both disks must do alike; each row gives what can be compared. */
const ALIKE: readonly [string, (disk: Disk, at: string) => Promise<unknown>][] = [
  ['a file that is missing can not be opened to read', (disk, at) => codeOf(disk.open(`${at}/a`, 'read'))],
  ['a file that is missing can not be opened to update', (disk, at) => codeOf(disk.open(`${at}/a`, 'update'))],
  ['a directory that is missing can not be listed', (disk, at) => codeOf(disk.list(`${at}/a`))],
  ['a file can not be made in a missing directory', (disk, at) => codeOf(disk.open(`${at}/x/a`, 'replace'))],
  ['what is missing can not be unlinked', (disk, at) => codeOf(disk.unlink(`${at}/a`))],
  ['what is missing can not be renamed', (disk, at) => codeOf(disk.rename(`${at}/a`, `${at}/b`))],
  ['what is missing can not be touched', (disk, at) => codeOf(disk.touch(`${at}/a`, 1))],
  ['what is missing can not be synced', (disk, at) => codeOf(disk.syncDirectory(`${at}/a`))],
  ['what is missing can not be linked to', (disk, at) => codeOf(disk.link(`${at}/a`, `${at}/b`))],
  ['a missing file has no facts', (disk, at) => disk.stat(`${at}/x/a`)],
  [
    'a directory is made with its parents, twice without harm',
    async (disk, at) => {
      await disk.makeDirectory(`${at}/x/y`);
      await disk.makeDirectory(`${at}/x/y`);
      return [(await disk.stat(`${at}/x/y`))?.kind, await disk.list(`${at}/x`)];
    },
  ],
  [
    'a file in the way of a directory, and a directory in the way of a file',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'x');
      await disk.makeDirectory(`${at}/x`);
      return [
        await codeOf(disk.makeDirectory(`${at}/a`)),
        await codeOf(disk.list(`${at}/a`)),
        await codeOf(disk.open(`${at}/a/b`, 'read')),
        await codeOf(disk.open(`${at}/x`, 'replace')),
        await codeOf(disk.open(`${at}/x`, 'update')),
        await codeOf(disk.unlink(`${at}/x`)),
        await codeOf(disk.rename(`${at}/a`, `${at}/x`)),
        await disk.stat(`${at}/a/b`),
      ];
    },
  ],
  [
    'a read gives fewer at the end, and nothing behind it',
    async (disk, at) => {
      await put(disk, `${at}/a`, '0123456789');
      const file = await disk.open(`${at}/a`, 'read');
      const counts = [];
      for (const position of [0, 6, 10, 99]) counts.push(await file.read(Buffer.alloc(8), position));
      await file.close();
      return counts;
    },
  ],
  [
    'a write behind the end leaves zeros, a truncation cuts or fills',
    async (disk, at) => {
      const file = await disk.open(`${at}/a`, 'replace');
      await file.write([Buffer.from('a'), Buffer.from('bc')], 2);
      await file.truncate(4);
      await file.truncate(6);
      const { size, kind } = await file.facts();
      await file.close();
      return [size, kind, await get(disk, `${at}/a`)];
    },
  ],
  [
    'replace empties, update keeps, read refuses to write',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'first text');
      const update = await disk.open(`${at}/a`, 'update');
      await update.write([Buffer.from('F')], 0);
      await update.close();
      const kept = await get(disk, `${at}/a`);
      const read = await disk.open(`${at}/a`, 'read');
      const refused = [await codeOf(read.write([Buffer.from('x')], 0)), await codeOf(read.truncate(0))];
      await read.close();
      await (await disk.open(`${at}/a`, 'replace')).close();
      return [kept, refused, await get(disk, `${at}/a`)];
    },
  ],
  [
    'a rename replaces, keeps the identity, and the old name is gone',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'a');
      await put(disk, `${at}/b`, 'b');
      const before = await disk.stat(`${at}/a`);
      await disk.rename(`${at}/a`, `${at}/b`);
      const after = await disk.stat(`${at}/b`);
      return [before?.identity === after?.identity, await get(disk, `${at}/b`), await disk.list(at)];
    },
  ],
  [
    'a link is a second name for the same file, and fails where the name is taken',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'a');
      await disk.link(`${at}/a`, `${at}/b`);
      const taken = await codeOf(disk.link(`${at}/a`, `${at}/b`));
      const same = (await disk.stat(`${at}/a`))?.identity === (await disk.stat(`${at}/b`))?.identity;
      await disk.unlink(`${at}/a`);
      return [taken, same, await get(disk, `${at}/b`)];
    },
  ],
  [
    'a file made again under a name is told apart while the old one is open',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'old');
      const old = await disk.open(`${at}/a`, 'read');
      await disk.unlink(`${at}/a`);
      await put(disk, `${at}/a`, 'new');
      const apart = (await old.facts()).identity !== (await disk.stat(`${at}/a`))?.identity;
      const into = Buffer.alloc(3);
      await old.read(into, 0);
      await old.close();
      return [apart, into.toString()];
    },
  ],
  [
    'a closed file refuses everything',
    async (disk, at) => {
      const file = await disk.open(`${at}/a`, 'replace');
      await file.close();
      return [await codeOf(file.read(Buffer.alloc(1), 0)), await codeOf(file.sync()), await codeOf(file.facts())];
    },
  ],
  [
    'a directory is removed once it is empty',
    async (disk, at) => {
      await disk.makeDirectory(`${at}/x`);
      await put(disk, `${at}/x/a`, 'a');
      const full = await codeOf(disk.removeDirectory(`${at}/x`));
      const file = await codeOf(disk.removeDirectory(`${at}/x/a`));
      await disk.unlink(`${at}/x/a`);
      await disk.removeDirectory(`${at}/x`);
      return [full, file, await disk.list(at), await codeOf(disk.removeDirectory(`${at}/x`))];
    },
  ],
  [
    'a touch sets the time',
    async (disk, at) => {
      await put(disk, `${at}/a`, 'a');
      await disk.touch(`${at}/a`, 1_700_000_000_000);
      return (await disk.stat(`${at}/a`))?.modifiedAt;
    },
  ],
];

describe('the simulated disk does as the real one', () => {
  test.each(ALIKE)('%s', async (_, row) => {
    const real = mkdtempSync(join(root, 'd-'));
    expect(await row(await newDisk(), '/d')).toEqual(await row(nodeDisk, real));
  });
});
