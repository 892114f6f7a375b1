import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/storage.ts';
import { nodeDisk } from '../../../src/store/disk/node-disk.ts';
import { codeOf, get, newDisk, put } from './on-disk.ts';

const root = mkdtempSync(join(tmpdir(), 'mailcap-disk-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Operations that both disks must perform alike. Each returns a value to compare. */
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

describe('the simulated disk behaves as the real one', () => {
  test.each(ALIKE)('%s', async (_, row) => {
    const real = mkdtempSync(join(root, 'd-'));
    expect(await row(await newDisk(), '/d')).toEqual(await row(nodeDisk, real));
  });
});
