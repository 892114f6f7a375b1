import { expect, test } from 'vitest';
import { Draw } from './draw.ts';
import { codeOf, get, newDisk, put } from './on-disk.ts';
import type { SimulatedDisk } from './simulated-disk.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

/** Returns the contents that many simulated power cuts leave. */
async function leftovers(disk: SimulatedDisk, path: string): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const seed of SEEDS) found.add(await get(disk.afterCrash(new Draw(seed)), path));
  return found;
}

/** Creates a file whose content and name are synced, so that a power cut cannot remove it. */
async function safeFile(disk: SimulatedDisk, path: string, content: string | Buffer): Promise<void> {
  await put(disk, path, content);
  const file = await disk.open(path, 'update');
  await file.sync();
  await file.close();
  await disk.syncDirectory('/d');
}

test('data that is not synced may be lost in a power cut, and survives a kill', async () => {
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

test('a file length that is not synced may be lost, and its new bytes may be zero', async () => {
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

test('a rename takes effect for both names or for neither', async () => {
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

test('a later change of a name is never there without the earlier ones', async () => {
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

test('after a failed sync the next one succeeds, and data from before may be lost all the same', async () => {
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

test('after a crash or a kill no operation on the old disk completes', async () => {
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

test('a deleted file stays readable through its handle, which is listed', async () => {
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

test('a script lets a number of operations on a path pass, and a number fail', async () => {
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

test('short writes and short reads handle at least a byte, and return how many', async () => {
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

test('the disk can damage bytes, and replace a directory that was removed', async () => {
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

test('a seed always gives the same order of operations, and other seeds give others', async () => {
  const orderOf = async (seed: number) => {
    const disk = await newDisk(seed);
    const order: number[] = [];
    await Promise.all(Array.from({ length: 8 }, (_, i) => disk.stat('/d').then(() => order.push(i))));
    return order.join('');
  };
  expect(await orderOf(7)).toBe(await orderOf(7));
  expect(new Set(await Promise.all([1, 2, 3, 4].map(orderOf))).size).toBeGreaterThan(1);
});
