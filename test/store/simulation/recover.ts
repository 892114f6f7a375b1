import type { Disk } from '../../../src/ports/storage.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Log } from '../../../src/ports/system.ts';
import type { Draw } from './draw.ts';
import { Broken, History, type Moment, possible } from './history.ts';
import { receiveMail } from './mail-steps.ts';
import type { Model } from './model.ts';
import { openWorkspace } from './other-steps.ts';
import { differences, type Picture, pictureOf, pictureOfModel } from './picture.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { World } from './world.ts';

/** Opens the store under test on a disk. */
export type OpenStore = (disk: Disk, logger: Log) => Promise<Store>;

export interface Said {
  readonly level: 'error' | 'warn';
  readonly text: string;
}

export interface Recovered {
  readonly store: Store;
  readonly model: Model;
  readonly picture: Picture;
}

/** The store under test and its world. */
export interface Trial {
  readonly open: OpenStore;
  readonly world: World;
  /** True if errors in the log are no failure, because the disk was damaged or refused operations. */
  readonly mayComplain?: boolean;
}

/** Creates a log that keeps errors and warnings. */
export function listeningLog(): Log & { readonly said: Said[] } {
  const said: Said[] = [];
  const say = (level: Said['level']) => (message: string, fields?: unknown) =>
    void said.push({ level, text: `${message} ${JSON.stringify(fields ?? {})}` });
  return { said, error: say('error'), warn: say('warn'), info: () => {}, debug: () => {} };
}

/** Opens a store after a crash and checks its contents. Throws {@link Broken}. */
export async function recover(disk: SimulatedDisk, moment: Moment, trial: Trial): Promise<Recovered> {
  const { store, picture } = await reopen(disk, trial);
  const models = possible(moment);
  const pictures = models.map((model) => pictureOfModel(model, trial.world));
  const fitting = pictures.findLastIndex((expected) => differences(expected, picture).length === 0);
  const model = models[fitting];
  if (model === undefined) {
    const nearest = pictures
      .map((expected) => differences(expected, picture))
      .reduce((best, other) => (other.length < best.length ? other : best));
    throw new Broken(
      `after recovery (${models.length - 1} were on their way):\n  ${nearest.slice(0, 12).join('\n  ')}`,
    );
  }
  await checkFeedEnd(store, model, trial.world);
  return { store, model, picture };
}

/** Opens a store and reads everything, without changes. */
export async function reopen(
  disk: SimulatedDisk,
  { open, world, mayComplain }: Trial,
): Promise<{ store: Store; picture: Picture }> {
  const log = listeningLog();
  const store = await settled(open(disk, log), disk, 'opening');
  const picture = await settled(pictureOf(store, world), disk, 'reading everything');
  const errors = log.said.filter(({ level }) => level === 'error');
  if (errors.length > 0 && mayComplain !== true) throw new Broken(`said on an undamaged disk: ${errors[0]?.text}`);
  await idle();
  if (disk.openUnlinked.length > 0) throw new Broken(`open without a name: ${disk.openUnlinked.join()}`);
  return { store, picture };
}

/** Checks that a recovered store accepts a mail and returns its bytes. */
export async function takesMail(
  disk: SimulatedDisk,
  { store, model }: Recovered,
  trial: Trial,
  draw: Draw,
): Promise<void> {
  const history = new History(model);
  const stage = { store, history, world: trial.world, draw };
  if (model.all('mailboxes').length === 0) await settled(openWorkspace(stage), disk, 'making a mailbox');
  await settled(receiveMail(stage), disk, 'taking mail');
  if (history.refused > 0) throw new Broken('a recovered store refuses mail');
  const after = differences(
    pictureOfModel(history.moment().acknowledged, trial.world),
    await pictureOf(store, trial.world),
  );
  if (after.length > 0) throw new Broken(`after new mail:\n  ${after.slice(0, 8).join('\n  ')}`);
}

/**
 * Checks that the newest id of the feed did not decrease. A subscriber that resumes must not receive an older event as
 * a new one.
 */
async function checkFeedEnd(store: Store, model: Model, world: World): Promise<void> {
  const last = (await store.read.events.lastId()) ?? '';
  const inbound = model.all('inbound').map(({ lastId }) => lastId);
  const told = [...model.feedIds(), ...inbound].sort().at(-1) ?? '';
  if (last < told) throw new Broken(`the feed's newest id fell to ${last}, and was ${told}`);
  if (last > world.lastId)
    throw new Broken(`the feed's newest id is ${last}, and none past ${world.lastId} was given out`);
}

const IDLE_TURNS = 2_000;
const IDLE_MS = 3_000;

/** Awaits a promise. Throws {@link Broken} if the disk is idle and the promise still does not settle. */
export async function settled<T>(promise: Promise<T>, disk: SimulatedDisk, what: string): Promise<T> {
  let done = false;
  const watched = promise.finally(() => {
    done = true;
  });
  watched.catch(() => {});
  let operations = disk.scheduler.done;
  let since = performance.now();
  for (let turns = 0; !done; turns++) {
    await turn();
    if (disk.scheduler.done !== operations) {
      operations = disk.scheduler.done;
      since = performance.now();
      turns = 0;
    }
    if (turns > IDLE_TURNS && performance.now() - since > IDLE_MS) throw new Broken(`${what} does not end`);
  }
  return watched;
}

/** Lets all pending callbacks run. */
export async function idle(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
