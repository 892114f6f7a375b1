import type { Store } from '../../../src/ports/store.ts';
import { Draw } from './draw.ts';
import { Broken, History, type Moment } from './history.ts';
import { Model } from './model.ts';
import { differences, pictureOf, pictureOfModel } from './picture.ts';
import { idle, listeningLog, type OpenStore, recover, reopen, settled, type Trial, takesMail } from './recover.ts';
import { type Chances, NO_CHANCES } from './refusals.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { type PlannedStep, planOf, stepOf } from './workload.ts';
import { World } from './world.ts';

/** The options of a run: its seed, its steps, and the store under test. */
export interface RunOptions {
  readonly seed: number;
  readonly plan: readonly PlannedStep[];
  readonly open: OpenStore;
}

/** A moment for a crash, and a copy of the disk at that moment. */
interface Still {
  readonly disk: SimulatedDisk;
  readonly moment: Moment;
}

/**
 * The share of crashes that are tested more closely: with another crash after each operation of the recovery, and one
 * right after it.
 */
const CLOSELY = 0.04;
/** The number of steps of a run that crashes after every operation. */
const STEPS_OF_EVERY = 12;
const STEPS_OF_LIVES = 40;

/** Crashes once after every operation of a run. Returns the number of histories. */
export async function crashEverywhere({ seed, plan, open }: RunOptions): Promise<number> {
  const draw = new Draw(seed);
  const world = new World();
  const disk = new SimulatedDisk(draw.fork());
  disk.refusals.chances = { ...NO_CHANCES, shortWrite: 0.1, shortRead: 0.1 };
  const history = new History();
  const stills: Still[] = [];
  const life = new Life(disk, open, world, history);
  const beside = draw.fork();
  disk.scheduler.observer = () => stills.push({ disk: disk.fork(beside.fork()), moment: history.moment() });
  await life.live(plan);
  disk.scheduler.die();
  const trial: Trial = { open, world };
  for (const still of stills) {
    const left = draw.chance(0.2) ? still.disk.kill(draw.fork()) : still.disk.crash(draw.fork());
    await tryRecovery(left, still.moment, trial, draw);
  }
  return stills.length;
}

/**
 * Runs one store over several lives, each of which ends at a random operation. Some lives have a disk that refuses
 * operations. Returns the number of crashes.
 */
export async function liveThrough({ seed, plan, open }: RunOptions): Promise<number> {
  const draw = new Draw(seed);
  const world = new World();
  const refuses = draw.chance(0.4);
  const trial: Trial = { open, world, mayComplain: refuses };
  let disk = new SimulatedDisk(draw.fork());
  let model = new Model();
  let lives = 0;
  for (let rest = plan; rest.length > 0; lives++) {
    const history = new History(model);
    const life = new Life(disk, open, world, history, refuses ? badDisk(draw) : SHORT);
    const end = draw.int(300);
    disk.scheduler.observer = () => {
      if (disk.scheduler.done > end) disk.scheduler.die();
    };
    rest = rest.slice(await life.live(rest));
    const moment = history.moment();
    disk = draw.chance(0.4) ? disk.kill(draw.fork()) : disk.crash(draw.fork());
    model = await tryRecovery(disk.fork(draw.fork()), moment, trial, draw);
  }
  return lives;
}

/** The life of a store on one disk, until the plan or the disk ends. */
class Life {
  readonly #disk: SimulatedDisk;
  readonly #open: OpenStore;
  readonly #world: World;
  readonly #history: History;
  readonly #chances: Chances;
  readonly #log = listeningLog();
  #store: Store | null = null;

  constructor(disk: SimulatedDisk, open: OpenStore, world: World, history: History, chances = SHORT) {
    this.#disk = disk;
    this.#open = open;
    this.#world = world;
    this.#history = history;
    this.#chances = chances;
  }

  get #refuses(): boolean {
    return this.#chances !== SHORT;
  }

  /** Runs steps and returns how many were begun. Throws the error of a step. */
  async live(plan: readonly PlannedStep[]): Promise<number> {
    const under: { failure: unknown } = { failure: null };
    let begun = 0;
    const body = (async () => {
      const store = await this.#open(this.#disk, this.#log);
      this.#store = store;
      this.#disk.refusals.chances = this.#chances;
      let running: Promise<void>[] = [];
      for (const step of plan) {
        begun++;
        if (step.name === 'reopen' || step.name === 'verify') {
          await Promise.all(running);
          running = [];
          await this.#whole(step.name);
          continue;
        }
        const done = this.#do(step);
        running.push(done);
        if (step.alone || running.length > 6) {
          await Promise.all(running);
          running = [];
        }
      }
      await Promise.all(running);
    })().catch((error: unknown) => {
      under.failure = error;
    });
    await untilDead(body, this.#disk);
    if (under.failure !== null && !this.#disk.scheduler.dead) throw under.failure;
    const errors = this.#log.said.filter(({ level }) => level === 'error');
    if (errors.length > 0 && !this.#refuses) throw new Broken(`said on an undamaged disk: ${errors[0]?.text}`);
    return Math.max(1, begun);
  }

  async #do({ name, seed }: PlannedStep): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    try {
      if (name === 'reclaim') await store.reclaim();
      else await stepOf(name)?.({ store, history: this.#history, world: this.#world, draw: new Draw(seed) });
    } catch (error) {
      // If the disk refuses operations, a step can fail before its transaction, and a reclaim can fail in the middle.
      if (!this.#refuses || error instanceof Broken) throw error;
    }
  }

  async #whole(name: 'reopen' | 'verify'): Promise<void> {
    if (name === 'reopen' && !this.#refuses) {
      await this.#store?.close();
      this.#store = await this.#open(this.#disk, this.#log);
    }
    const store = this.#store;
    if (store === null) return;
    const expected = pictureOfModel(this.#history.moment().acknowledged, this.#world);
    // A refused read says nothing about the contents, so refusals are off while the store is read.
    this.#disk.refusals.chances = SHORT;
    const lines = differences(expected, await pictureOf(store, this.#world));
    this.#disk.refusals.chances = this.#chances;
    if (lines.length > 0) throw new Broken(`in the middle of a run:\n  ${lines.slice(0, 8).join('\n  ')}`);
    await idle();
    if (this.#disk.openUnlinked.length > 0) throw new Broken(`open without a name: ${this.#disk.openUnlinked.join()}`);
  }
}

/** Recovers a store after a crash, and sometimes checks it more closely. Returns the contents of the store. */
async function tryRecovery(left: SimulatedDisk, moment: Moment, trial: Trial, draw: Draw): Promise<Model> {
  const closely = draw.chance(CLOSELY);
  const again: SimulatedDisk[] = [];
  if (closely) left.scheduler.observer = () => again.push(left.fork(draw.fork()));
  const recovered = await recover(left, moment, trial);
  left.scheduler.observer = null;
  if (closely) {
    for (const disk of again) await recover(disk.crash(draw.fork()), moment, trial).then(() => disk.scheduler.die());
    const { picture } = await reopen(left.fork(draw.fork()).crash(draw.fork()), trial);
    const lines = differences(recovered.picture, picture);
    if (lines.length > 0)
      throw new Broken(`a second recovery gives another store:\n  ${lines.slice(0, 8).join('\n  ')}`);
  }
  if (closely || draw.chance(0.2)) await takesMail(left, recovered, trial, draw);
  left.scheduler.die();
  return recovered.model;
}

const SHORT: Chances = { shortWrite: 0.1, shortRead: 0.1, refused: {} };

function badDisk(draw: Draw): Chances {
  const refused = { write: draw.next() * 0.1, sync: draw.next() * 0.1, syncDirectory: draw.next() * 0.1 };
  const rarely = { open: 0.01, rename: 0.02, truncate: 0.02, unlink: 0.02 };
  return { shortWrite: 0.2, shortRead: 0.1, refused: draw.chance(0.5) ? refused : { ...refused, ...rarely } };
}

/** Waits until a run ends or its disk dies. */
async function untilDead(body: Promise<void>, disk: SimulatedDisk): Promise<void> {
  let over = false;
  const dead = new Promise<void>((resolve) => {
    const look = () => (over || disk.scheduler.dead ? resolve() : void setImmediate(look));
    look();
  });
  await settled(Promise.race([body, dead]), disk, 'the run').finally(() => {
    over = true;
  });
}

/** Returns the kind of run and the steps of a seed. */
export function runOf(seed: number): { run: typeof crashEverywhere; plan: PlannedStep[] } {
  return seed % 4 === 0
    ? { run: crashEverywhere, plan: planOf(seed, STEPS_OF_EVERY) }
    : { run: liveThrough, plan: planOf(seed, STEPS_OF_LIVES) };
}
