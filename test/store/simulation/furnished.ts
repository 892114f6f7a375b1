import type { Store } from '../../../src/ports/store.ts';
import { Draw } from './draw.ts';
import { History } from './history.ts';
import { listeningLog, type OpenStore } from './recover.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import type { Stage } from './stage.ts';
import { planOf, stepOf } from './workload.ts';
import { World } from './world.ts';

/** A store with data, its disk, and its history. */
export interface Furnished {
  readonly disk: SimulatedDisk;
  readonly store: Store;
  readonly history: History;
  readonly world: World;
  stage(seed: number): Stage;
}

/** Opens a store on a new disk and runs this many steps one after another. */
export async function furnish(open: OpenStore, seed: number, steps: number): Promise<Furnished> {
  const disk = new SimulatedDisk(new Draw(seed));
  const store = await open(disk, listeningLog());
  const history = new History();
  const world = new World();
  const stage = (own: number): Stage => ({ store, history, world, draw: new Draw(own) });
  for (const { name, seed: own } of planOf(seed, steps)) {
    if (name === 'reclaim') await store.reclaim();
    await stepOf(name)?.(stage(own));
  }
  return { disk, store, history, world, stage };
}
