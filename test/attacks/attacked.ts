import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect } from 'vitest';
import { peakMegabytes, type Served, serve } from '../faults/served.ts';

const FIGURES = process.env['MAILCAP_ATTACK_FIGURES'];
/** The longest time in milliseconds for which health may go unanswered on a quiet machine. */
const MOST_GAP_MS = 100;
/**
 * The most processor time in milliseconds that the server's main thread may take before it answers health. Beside other
 * tests the clock says nothing, because they lengthen every wait.
 */
const MOST_HELD_MS = 1_000;
const MOST_MEGABYTES = 700;

/** What an attack cost the server. */
export interface Cost {
  /** The longest time in milliseconds from a request for health to its answer, with a request every 10 ms. */
  readonly worstGapMs: number;
  /** The most processor time in milliseconds that its main thread took before an answer of health. */
  readonly heldMs: number;
  /** The peak memory of the process since its start, in MiB. 0 where the system does not report it. */
  readonly peakMegabytes: number;
}

/**
 * Runs an attack on a server in its own process (`serve` of test/faults/served.ts), and claims that meanwhile health was
 * answered and the memory stayed bounded. With MAILCAP_ATTACK_FIGURES, the path of a file, it holds the server to the
 * figures of a quiet machine and appends them to that file: see docs/guarantees.md#how-this-is-tested.
 *
 * @param what the attack in a few words
 */
export async function attacked(served: Served, what: string, attack: () => Promise<unknown>): Promise<Cost> {
  const poller = new Worker(new URL('./health-poller.js', import.meta.url), {
    workerData: { url: served.ready.url, pid: served.ready.pid },
  });
  let found: { longestMs: number; heldMs: number; answers: number };
  try {
    await once(poller, 'online');
    await attack();
    poller.postMessage('over');
    [found] = (await once(poller, 'message')) as [typeof found]; // health-poller.js posts this shape
  } finally {
    await poller.terminate();
  }
  const [worstGapMs, heldMs] = [Math.round(found.longestMs), Math.round(found.heldMs)];
  const cost = { worstGapMs, heldMs, peakMegabytes: Math.round(peakMegabytes(served)) };
  expect(served.child.exitCode ?? served.child.signalCode, `${what}: the server runs`).toBeNull();
  expect(found.answers, `${what}: health is answered`).toBeGreaterThan(0);
  expect(found.heldMs, `${what}: the processor time before an answer of health`).toBeLessThan(MOST_HELD_MS);
  expect(cost.peakMegabytes, `${what}: the peak memory`).toBeLessThan(MOST_MEGABYTES);
  if (FIGURES !== undefined) {
    appendFileSync(FIGURES, `${JSON.stringify({ what, ...cost })}\n`);
    expect(cost.worstGapMs, `${what}: the worst gap of health`).toBeLessThan(MOST_GAP_MS);
  }
  return cost;
}

/**
 * Starts a server in its own process for all tests of a file, with more flags if they are given. After them it claims that
 * the server ends in order. Returns the function that returns the server, once the tests run.
 */
export function serveForAll(...flags: string[]): () => Served {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-attacks-'));
  let served: Served;
  beforeAll(async () => {
    served = await serve(directory, ...flags);
  });
  afterAll(async () => {
    expect(await served.end('SIGTERM')).toBe(0);
    rmSync(directory, { recursive: true, force: true });
  });
  return () => served;
}
