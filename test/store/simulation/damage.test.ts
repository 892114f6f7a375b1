import { describe, expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/storage.ts';
import type { Log } from '../../../src/ports/system.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { survey } from './damage.ts';
import { Draw } from './draw.ts';
import { openTinyStore } from './files.ts';
import { furnish } from './furnished.ts';

/** The machine has not restarted, so a power cut cannot explain the damage. */
const open = (disk: Disk, logger: Log) => openTinyStore(disk, logger, 'one boot');

/** The number of bits to flip, each in its own copy of the disk. */
const FLIPS = Number(process.env['MAILCAP_SIMULATION_FLIPS'] ?? (IS_NIGHT ? 1_000 : 50));

describe.each(['closed', 'killed'] as const)('one flipped bit anywhere in a store that was %s', (end) => {
  test('costs at most the record that it hit, is reported, and alters nothing that is served', async () => {
    const { disk, store, history, world } = await furnish(open, 5, 60);
    if (end === 'closed') await store.close();
    const draw = new Draw(11);
    const left = disk.kill(draw.fork());
    const places = [...left.files()].flatMap(([path, { length }]) =>
      Array.from({ length }, (_, offset) => ({ path, offset })),
    );
    const failures: string[] = [];
    let lost = 0;
    for (let i = 0; i < FLIPS; i++) {
      const { path, offset } = draw.pick(places);
      const bit = draw.int(8);
      const damaged = left.fork(draw.fork());
      damaged.flipBit(path, offset, bit);
      const what = `bit ${bit} of byte ${offset} of ${path}`;
      try {
        lost += await survey(damaged, { what, history, world, open });
      } catch (error) {
        failures.push(String(error));
      }
      damaged.scheduler.die();
    }
    expect(failures.slice(0, 5), `${failures.length} of ${FLIPS}`).toEqual([]);
    expect(lost).toBeGreaterThan(0);
  }, 120_000);
});
