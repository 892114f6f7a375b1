import type { OpenStore } from './recover.ts';
import { runOf } from './run.ts';
import type { PlannedStep } from './workload.ts';

/** The number of attempts to shrink a failing run to fewer steps. */
const SHRINKS = 150;

/** Runs seeds until `histories` were tried and returns their number. If a run fails, it throws how to repeat it. */
export async function campaign(
  open: OpenStore,
  seeds: Iterable<number>,
  histories: number,
  shrinks = SHRINKS,
): Promise<number> {
  let tried = 0;
  for (const seed of seeds) {
    if (tried >= histories) break;
    tried += await runSeed(open, seed, shrinks);
  }
  return tried;
}

/** Runs one seed. If it fails, it throws the fewest steps that still fail. */
export async function runSeed(open: OpenStore, seed: number, shrinks = SHRINKS): Promise<number> {
  const { run, plan } = runOf(seed);
  try {
    return await run({ seed, plan, open });
  } catch (failure) {
    const fewest = await shrink(plan, shrinks, async (fewer) => {
      try {
        await run({ seed, plan: fewer, open });
        return false;
      } catch {
        return true;
      }
    });
    const error = await run({ seed, plan: fewest, open }).then(
      () => failure,
      (last: unknown) => last,
    );
    throw new Error(
      `seed ${seed} fails; run it again with MAILCAP_SIMULATION_SEED=${seed}\n` +
        `the fewest steps that still fail: ${fewest.map(({ name, alone }) => `${name}${alone ? '' : ' &'}`).join(', ')}\n` +
        (error instanceof Error ? (error.stack ?? error.message) : String(error)),
      { cause: error },
    );
  }
}

/** Removes steps as long as the run still fails: first many at once, then single ones. */
async function shrink(
  plan: readonly PlannedStep[],
  shrinks: number,
  fails: (fewer: readonly PlannedStep[]) => Promise<boolean>,
): Promise<readonly PlannedStep[]> {
  let best = plan;
  let tries = 0;
  for (let size = Math.ceil(plan.length / 2); size >= 1 && tries < shrinks; size = Math.floor(size / 2)) {
    for (let from = 1; from < best.length && tries < shrinks; tries++) {
      const fewer = [...best.slice(0, from), ...best.slice(from + size)];
      if (await fails(fewer)) best = fewer;
      else from += size;
    }
  }
  return best;
}
