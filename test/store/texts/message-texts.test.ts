import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MessageId } from '../../../src/domain/ids.ts';
import type { Disk } from '../../../src/ports/storage.ts';
import type { Store } from '../../../src/ports/store.ts';
import { nodeDisk } from '../../../src/store/disk/node-disk.ts';
import { openFileStore } from '../../../src/store/file/store.ts';
import { at as momentAt } from '../../support/moment.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { asKilled, newDirectory, recordingLog } from '../directory.ts';
import { aPlace, NOON } from '../rows.ts';
import { bodyOf, documentWith, fill, findWord, isOnDisk, prepare, textFiles, textsHere } from './texts.ts';

const COUNT = 60;

interface Opened {
  readonly store: Store;
  readonly lines: readonly string[];
}

async function openTexts(directory: string, disk?: Disk): Promise<Opened> {
  const log = recordingLog();
  const store = await openFileStore(
    { directory, durability: 'os', startTexts: (place) => textsHere(place, disk) },
    log,
  );
  return { store, lines: log.lines };
}

/** A closed store whose messages all have texts. */
async function prepared(): Promise<{ directory: string; ids: readonly MessageId[] }> {
  const directory = newDirectory();
  const { store } = await openTexts(directory);
  const ids = await fill(store, (await aPlace(store)).mailbox, COUNT);
  await prepare(store, ids);
  await store.close();
  return { directory, ids };
}

const numbersWith = (word: string, gone: readonly number[] = []) =>
  Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n).filter((n) => bodyOf(n).includes(word) && !gone.includes(n));

async function expectAll(store: Store, ids: readonly MessageId[], gone: readonly number[] = []): Promise<void> {
  for (const word of ['common', 'every1', 'alone7x', 'lone5', 'every2 alone', 'nowhere'])
    expect(await findWord(store, ids, word), word).toEqual(numbersWith(word, gone));
}

test('texts are found as they are prepared, and after the store was closed', async () => {
  const directory = newDirectory();
  const first = await openTexts(directory);
  const ids = await fill(first.store, (await aPlace(first.store)).mailbox, COUNT);
  expect(await first.store.texts.progress()).toEqual({ prepared: 0, missing: COUNT });
  await expectAll(first.store, ids);
  const [one] = await first.store.texts.missing(1);
  expect(one?.id).toBe(ids[0]);
  await prepare(first.store, ids);
  expect(await first.store.texts.progress()).toEqual({ prepared: COUNT, missing: 0 });
  await expectAll(first.store, ids);
  await first.store.close();
  const second = await openTexts(directory);
  expect(await second.store.texts.missing(COUNT)).toEqual([]);
  await expectAll(second.store, ids);
  expect(second.lines).toEqual([]);
  await second.store.close();
});

test('the words of deleted mail leave the disk with the next sweep, also those of a server that was killed', async () => {
  const { directory, ids } = await prepared();
  const first = await openTexts(directory);
  const remove = (store: Store, numbers: readonly number[]) =>
    store.transaction(async (tx) => {
      for (const number of numbers) await tx.messages.remove(ids[number] as MessageId); // the number is in range
    });
  await expectAll(first.store, ids);
  expect(isOnDisk(directory, 'alone7x')).toBe(true);
  await remove(first.store, [7, 8, COUNT - 1]);
  expect((await first.store.texts.progress()).prepared).toBe(COUNT - 3);
  await first.store.reclaim();
  expect(['alone7x', 'alone8x', `alone${COUNT - 1}x`].filter((word) => isOnDisk(directory, word))).toEqual([]);
  expect(isOnDisk(directory, 'alone9x')).toBe(true);
  await expectAll(first.store, ids, [7, 8, COUNT - 1]);
  await remove(first.store, [9]);
  const killed = asKilled(directory);
  await first.store.close();
  const second = await openTexts(killed);
  await second.store.reclaim();
  expect(isOnDisk(killed, 'alone9x')).toBe(false);
  await expectAll(second.store, ids, [7, 8, 9, COUNT - 1]);
  await second.store.close();
});

test('a cleared mailbox leaves no text', async () => {
  const { directory, ids } = await prepared();
  const { store } = await openTexts(directory);
  await expectAll(store, ids);
  const [message] = await store.read.messages.many(ids.slice(0, 1), momentAt(NOON));
  await store.transaction((tx) => tx.messages.removeAll(message?.mailboxId as never)); // the message exists
  await store.reclaim();
  expect(textFiles(directory)).toEqual([]);
  expect(await findWord(store, [], 'common')).toEqual([]);
  await store.close();
});

describe('what is damaged is never searched, and is prepared anew', () => {
  const DAMAGES: readonly (readonly [string, (path: string, all: readonly string[], at: number) => void])[] = [
    [
      'a flipped bit',
      (path, _all, at) => {
        const bytes = readFileSync(path);
        const position = Math.floor((at / 16) * bytes.length);
        bytes[position] = (bytes[position] ?? 0) ^ (1 << (at % 8));
        writeFileSync(path, bytes);
      },
    ],
    ['a cut file', (path, _all, at) => truncateSync(path, Math.floor((at / 16) * readFileSync(path).length))],
    ['a file that is missing', (path) => rmSync(path)],
    ['a file of something else', (path) => writeFileSync(path, 'hello')],
    ['the copy of another block', (path, all) => copyFileSync(all.find((other) => other !== path) ?? path, path)],
    [
      'a directory in its place',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'a link in its place',
      (path, all) => {
        const target = all.find((other) => other !== path) ?? path;
        rmSync(path);
        symlinkSync(target, path);
      },
    ],
  ];

  test.each(DAMAGES)('%s', async (_name, damage) => {
    const { directory, ids } = await prepared();
    for (let at = 0; at < 16; at += IS_NIGHT ? 1 : 3) {
      const broken = asKilled(directory);
      const files = textFiles(broken);
      damage(files[at % files.length] ?? '', files, at);
      const { store } = await openTexts(broken);
      await expectAll(store, ids);
      await prepare(store, ids);
      await expectAll(store, ids);
      expect(await store.texts.progress()).toEqual({ prepared: COUNT, missing: 0 });
      await store.close();
    }
  });

  test('a bit that flips while the server runs', async () => {
    const { directory, ids } = await prepared();
    for (let at = 0; at < 32; at += IS_NIGHT ? 1 : 5) {
      const broken = asKilled(directory);
      const { store } = await openTexts(broken);
      await store.texts.missing(1);
      const files = textFiles(broken);
      DAMAGES[0]?.[1](files[at % files.length] ?? '', files, at % 16);
      await expectAll(store, ids);
      await prepare(store, ids);
      await expectAll(store, ids);
      await store.close();
    }
  });
});

test('a process that ends at any step of preparing, merging and erasing leaves texts that tell the truth', async () => {
  const directory = newDirectory();
  const whole = await openTexts(directory);
  const ids = await fill(whole.store, (await aPlace(whole.store)).mailbox, COUNT);
  await whole.store.close();
  let hasEnded = true;
  for (let steps = 1; hasEnded; steps += IS_NIGHT ? 1 : 9) {
    const killed = asKilled(directory);
    const disk = endingDisk(steps);
    const first = await openTexts(killed, disk);
    for (let round = 0; round < 20; round++) {
      const missing = await first.store.texts.missing(5);
      if (missing.length === 0) break;
      await prepareSome(
        first.store,
        ids,
        missing.map(({ id }) => id),
      );
    }
    await first.store.transaction((tx) => tx.messages.remove(ids[20] as MessageId)); // the number is in range
    await first.store.reclaim();
    hasEnded = disk.hasEnded();
    const rest = asKilled(killed);
    await first.store.close();
    const second = await openTexts(rest);
    await expectAll(second.store, ids, [20]);
    await prepare(second.store, ids);
    await second.store.reclaim();
    await expectAll(second.store, ids, [20]);
    expect(isOnDisk(rest, 'alone20x')).toBe(false);
    expect(textFiles(rest).filter((path) => path.endsWith('.new'))).toEqual([]);
    await second.store.close();
  }
});

async function prepareSome(store: Store, all: readonly MessageId[], some: readonly MessageId[]): Promise<void> {
  await store.texts.add(some.map((id) => ({ id, document: documentWith(bodyOf(all.indexOf(id))) })));
}

/** A disk on which everything fails after some steps, as if the process had ended. A write may be done in part. */
function endingDisk(steps: number): Disk & { hasEnded(): boolean } {
  let left = steps;
  const step = () => {
    if (--left < 0) throw Object.assign(new Error('the process has ended'), { code: 'EIO' });
  };
  return {
    ...nodeDisk,
    hasEnded: () => left < 0,
    open: async (path, mode) => {
      step();
      const file = await nodeDisk.open(path, mode);
      return {
        ...file,
        write: async (parts, position) => {
          step();
          if (left > 0) return file.write(parts, position);
          const bytes = Buffer.concat(parts);
          await file.write([bytes.subarray(0, bytes.length / 2)], position);
          throw new Error('the process has ended');
        },
      };
    },
    rename: async (from, to) => {
      step();
      await nodeDisk.rename(from, to);
    },
    unlink: async (path) => {
      step();
      await nodeDisk.unlink(path);
    },
  };
}

test.each([
  ['a full disk', { space: async () => ({ freeBytes: 1_000, totalBytes: 1_000_000 }) }],
  ['a directory that is read-only', { makeDirectory: failing('EROFS') }],
  ['a disk that has no room left', { rename: failing('ENOSPC') }],
] as const)('%s keeps no text, searches read mail, and the log says so once', async (_name, over) => {
  const directory = newDirectory();
  let isBroken = true;
  const disk: Disk = new Proxy(nodeDisk, {
    get: (target, name) => Reflect.get(isBroken && name in over ? over : target, name),
  });
  const { store, lines } = await openTexts(directory, disk);
  const ids = await fill(store, (await aPlace(store)).mailbox, COUNT);
  for (let round = 0; round < 3; round++) {
    await prepare(store, ids);
    await expectAll(store, ids);
    expect(await store.texts.missing(1)).toEqual([]);
    await store.reclaim();
  }
  expect(lines).toEqual([expect.stringContaining('can not be kept now')]);
  isBroken = false;
  await prepare(store, ids);
  await expectAll(store, ids);
  expect((await store.texts.progress()).missing).toBe(0);
  await store.close();
});

function failing(code: string) {
  return async () => {
    throw Object.assign(new Error(code), { code });
  };
}

test('a file of the texts can be read by its owner alone', async () => {
  const { directory } = await prepared();
  for (const path of [join(directory, 'texts'), ...textFiles(directory)])
    expect(statSync(path).mode & 0o077, path).toBe(0);
});

test('the search of a mailbox covers its messages, with and without a text', async () => {
  const directory = newDirectory();
  const { store } = await openTexts(directory);
  const one = (await aPlace(store)).mailbox;
  const other = (await aPlace(store)).mailbox;
  const ids: MessageId[] = [];
  for (let round = 0; round < 15; round++) {
    ids.push(...(await fill(store, one, 3)));
    ids.push(...(await fill(store, other, 1)));
  }
  const missing = await store.texts.missing(41);
  await prepareSome(
    store,
    ids,
    missing.map(({ id }) => id),
  );
  const query = [{ kind: 'text' as const, field: 'body' as const, not: false, text: 'common' }];
  const hits: string[] = [];
  let gaps = 0;
  for await (const { found } of store.texts.find(query, { mailboxId: other.id })) {
    if (found === null) gaps++;
    else hits.push(...found.map(({ id }) => id));
  }
  expect(gaps).toBe(1);
  expect(hits).toEqual(
    ids
      .slice(0, 41)
      .filter((_id, n) => n % 4 === 3)
      .reverse(),
  );
  await store.close();
});
