import { expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/disk.ts';
import type { Log } from '../../../src/ports/log.ts';
import { Draw } from './draw.ts';
import { openTinyStore } from './files.ts';
import { furnish } from './furnished.ts';
import { Broken, type History } from './history.ts';
import { Model } from './model.ts';
import { type Picture, pictureOf, pictureOfModel, UNREADABLE } from './picture.ts';
import { listeningLog, settled } from './recover.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { World } from './world.ts';

// These tests lose more than one record. The store must still open, name the damaged file, and never return data that
// did not exist.

const open = (disk: Disk, logger: Log) => openTinyStore(disk, logger, 'one boot');

/** Tables whose rows do not depend on other rows. Counts, by contrast, follow from the rows that are left. */
const ROWS =
  /^(workspaces|keys|groups|authenticators|identities|suppression|mailboxes|messages|webhooks|requests|sends|idempotency|events) /;

/** Returns every value that each row ever had. */
function everythingThatWas(history: History, world: World): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  let model = new Model();
  const note = () => {
    for (const [name, text] of pictureOfModel(model, world)) {
      const texts = known.get(name) ?? new Set();
      known.set(name, texts.add(text));
    }
  };
  for (const changes of history.acknowledged) {
    model = model.after(changes);
    note();
  }
  return known;
}

function check(found: Picture, known: Map<string, Set<string>>, what: string): void {
  for (const [name, text] of found) {
    if (!ROWS.test(name) || text.includes(UNREADABLE)) continue;
    if (known.get(name)?.has(text) !== true) throw new Broken(`${what}: ${name} is ${text}, and never was`);
  }
}

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

const ROUNDS = Number(process.env['MAILCAP_SIMULATION_FLIPS'] ?? 300) / 6;

test.each(Object.keys(harms))(
  '%s is said by its name, and nothing that never was is served',
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
      check(found, known, what);
      const isHarmed = [...expected].some(([row, text]) => ROWS.test(row) && found.get(row) !== text);
      const isSaid = log.said.some(({ level, text }) => level === 'error' && /\/data\/\S+\.log/.test(text));
      if (isHarmed && !isSaid) throw new Broken(`${what}: something is lost, and no error names a file`);
      if (isHarmed) harmed++;
      for (let pass = 0; pass < 3; pass++) await settled(again.reclaim(), damaged, what).catch(() => {});
      check(await settled(pictureOf(again, world, 'shown'), damaged, `reading after reclaiming, ${what}`), known, what);
      await settled(again.close(), damaged, `closing with ${what}`);
      damaged.scheduler.die();
    }
    expect(harmed).toBeGreaterThan(0);
  },
  60_000,
);
