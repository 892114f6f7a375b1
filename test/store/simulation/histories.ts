import { campaign, runSeed } from './campaign.ts';
import type { OpenStore } from './recover.ts';
import { REGRESSIONS } from './regressions.ts';
import { runOf } from './run.ts';

/** The number of histories; nightly runs try more. */
const HISTORIES = Number(process.env['MAILCAP_SIMULATION_HISTORIES'] ?? 300);
/** The only seed to run, as a failure message names it. */
const ONLY = process.env['MAILCAP_SIMULATION_SEED'];

/** The share of histories for each kind of run. A life is longer, so each of its crashes costs more. */
const SHARES = { crashEverywhere: 0.85, liveThrough: 0.15 };

/**
 * Runs the share of histories of one kind, and starts with seeds that failed before. Returns how many were tried and
 * how many were planned.
 */
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
