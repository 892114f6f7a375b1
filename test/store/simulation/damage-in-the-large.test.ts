import { expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/storage.ts';
import type { Log } from '../../../src/ports/system.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { Draw } from './draw.ts';
import { checkThatItWas, everythingThatWas, ROWS } from './ever.ts';
import { openTinyStore } from './files.ts';
import { furnish } from './furnished.ts';
import { Broken } from './history.ts';
import { pictureOf, pictureOfModel } from './picture.ts';
import { listeningLog, settled } from './recover.ts';
import type { SimulatedDisk } from './simulated-disk.ts';

// These tests lose more than one record. The store must still open, name the damaged file, and never return data that
// did not exist.

const open = (disk: Disk, logger: Log) => openTinyStore(disk, logger, 'one boot');

const harms: Record<string, (disk: SimulatedDisk, logs: readonly string[], draw: Draw) => string> = {
  'a zeroed sector': (disk, logs, draw) => {
    const path = draw.pick(logs);
    const sector = draw.int(Math.ceil((disk.files().get(path)?.length ?? 1) / 512));
    disk.zeroSector(path, sector);
    return `sector ${sector} of ${path} zeroed`;
  },
  'a segment cut short': (disk, logs, draw) => {
    const path = draw.pick(logs.slice(0, -1));
    const length = draw.int(disk.files().get(path)?.length ?? 1);
    disk.rot(path, (bytes) => bytes.subarray(0, length));
    return `${path} cut to ${length}`;
  },
  'a segment that is gone': (disk, logs, draw) => {
    const path = draw.pick(logs);
    disk.lose(path);
    return `${path} gone`;
  },
  'two segments exchanged': (disk, logs, draw) => {
    const one = draw.pick(logs);
    const other = draw.pick(logs.filter((path) => path !== one));
    disk.swap(one, other);
    return `${one} and ${other} exchanged`;
  },
};

const ROUNDS = Number(process.env['MAILCAP_SIMULATION_FLIPS'] ?? (IS_NIGHT ? 300 : 120)) / 6;

test.each(Object.keys(harms))(
  '%s is reported by its name, and nothing is served that was never stored',
  async (name) => {
    const { disk, store, history, world } = await furnish(open, 5, 60);
    await store.close();
    const known = everythingThatWas(history, world);
    const draw = new Draw(7);
    const left = disk.kill(draw.fork());
    const logs = [...left.files().keys()].filter((path) => path.endsWith('.log')).sort();
    expect(logs.length).toBeGreaterThan(2);
    const expected = pictureOfModel(history.moment().acknowledged, world);
    let harmed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const damaged = left.fork(draw.fork());
      const what = harms[name]?.(damaged, logs, draw) ?? '';
      const log = listeningLog();
      const again = await settled(open(damaged, log), damaged, `opening with ${what}`);
      const found = await settled(pictureOf(again, world, 'shown'), damaged, `reading with ${what}`);
      checkThatItWas(found, known, what);
      const isHarmed = [...expected].some(([row, text]) => ROWS.test(row) && found.get(row) !== text);
      const isSaid = log.said.some(({ level, text }) => level === 'error' && /\/data\/\S+\.log/.test(text));
      if (isHarmed && !isSaid) throw new Broken(`${what}: something is lost, and no error names a file`);
      if (isHarmed) harmed++;
      for (let pass = 0; pass < 3; pass++) await settled(again.reclaim(), damaged, what).catch(() => {});
      checkThatItWas(
        await settled(pictureOf(again, world, 'shown'), damaged, `reading after reclaiming, ${what}`),
        known,
        what,
      );
      await settled(again.close(), damaged, `closing with ${what}`);
      damaged.scheduler.die();
    }
    expect(harmed).toBeGreaterThan(0);
  },
);
