import type { Disk } from '../../../src/ports/disk.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Store } from '../../../src/ports/store.ts';
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

/** What is under test, and what it lives in. */
export interface Trial {
  readonly open: OpenStore;
  readonly world: World;
  /** Errors in the log are no failure: the disk was damaged, or refused. */
  readonly mayComplain?: boolean;
}

/** Keeps what is said at a level that somebody should look at. */
export function listeningLog(): Log & { readonly said: Said[] } {
  const said: Said[] = [];
  const say = (level: Said['level']) => (message: string, fields?: unknown) =>
    void said.push({ level, text: `${message} ${JSON.stringify(fields ?? {})}` });
  return { said, error: say('error'), warn: say('warn'), info: () => {}, debug: () => {} };
}

/** Opens a store on what a crash left and looks whether it has what it must. Throws {@link Broken}. */
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

/** Opens a store and reads all of it; no more than that. */
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

/** Takes a mail and gives back its bytes, still after a reopen. */
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

/** The newest id the feed ever told: whoever resumes must not be told of an older one as new. */
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

/** What a promise comes to; throws {@link Broken} where the disk has nothing to do and it still does not settle. */
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

/** Lets whatever follows from what was done happen. */
export async function idle(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
