import { expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/storage.ts';
import type { Log } from '../../../src/ports/system.ts';
import { verifyStore } from '../../../src/store/file/verify.ts';
import { runSeed } from './campaign.ts';
import { openTinyStore } from './files.ts';
import { tryHistories } from './histories.ts';

const HOURS = 12 * 3_600_000;

test(
  'a crash after every single operation leaves a store that keeps its promises',
  async () => {
    const { tried, wanted } = await tryHistories(openTinyStore, 'crashEverywhere');
    expect(tried).toBeGreaterThanOrEqual(wanted);
  },
  HOURS,
);

/** A seed whose power cuts also come while a dead record is overwritten, so that half of it is zero. */
const ERASES = 1160;

test('mailcap doctor finds no damage in what a power cut left, also in the middle of an erasing', async () => {
  let told = 0;
  const openVerified = async (disk: Disk, log: Log) => {
    if ((await disk.stat('/data/state.json')) !== null) {
      const { findings } = await verifyStore(disk, '/data');
      for (const { level, path, offset, message } of findings)
        if (level === 'error') log.error(`doctor: ${path} at ${offset} ${message}`);
      told++;
    }
    return openTinyStore(disk, log);
  };
  await runSeed(openVerified, ERASES);
  expect(told).toBeGreaterThan(50);
}, 240_000);
