import { campaign, runSeed } from './campaign.ts';
import type { OpenStore } from './recover.ts';
import { REGRESSIONS } from './regressions.ts';
import { runOf } from './run.ts';

/** How many histories are tried in all; more of them at night. */
const HISTORIES = Number(process.env['MAILCAP_SIMULATION_HISTORIES'] ?? 10_000);
/** One seed alone, as a failure tells it. */
const ONLY = process.env['MAILCAP_SIMULATION_SEED'];

/** The kinds of runs, and how many of the histories are of each: lives are longer, and a crash in them costs more. */
const SHARES = { crashEverywhere: 0.85, liveThrough: 0.15 };

/** Tries its share of the histories with the runs of one kind, what once failed first. How many were tried, and should be. */
export async function tryHistories(
  open: OpenStore,
  kind: keyof typeof SHARES,
): Promise<{ tried: number; wanted: number }> {
  const isOfKind = (seed: number) => runOf(seed).run.name === kind;
  if (ONLY !== undefined) {
    const tried = isOfKind(Number(ONLY)) ? await runSeed(open, Number(ONLY)) : 0;
    return { tried, wanted: tried };
  }
  const wanted = Math.ceil(HISTORIES * SHARES[kind]);
  const tried = await campaign(open, seedsOf(isOfKind), wanted);
  return { tried, wanted };
}

function* seedsOf(isOfKind: (seed: number) => boolean): Generator<number> {
  for (const { seed } of REGRESSIONS) if (isOfKind(seed)) yield seed;
  for (let seed = 0; ; seed++) if (isOfKind(seed)) yield seed;
}
