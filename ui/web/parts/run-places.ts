import type { ShellApi, TestRunWithTests } from '../app/api.ts';
import { loadCode, loadStyle } from '../machine/load-code.ts';
import { type TestPlace, testPlacesOf } from './test-places.ts';

// Tells the sidebar which test of which run a mailbox belongs to. It polls while the page is visible, because a suite
// reports each of its tests, and the page would follow them all.

const EVERY_MS = 2_000;
/** The number of runs whose tests are read, the newest. Mailboxes of older ones were deleted, or are kept by a worker. */
const RUNS = 3;

/**
 * Calls `tell` with the places of mailboxes by their ids, now and after each change. They are none if the server can't
 * be asked. The returned function stops it.
 */
export function followRuns(api: ShellApi, tell: (places: ReadonlyMap<string, TestPlace>) => void): () => void {
  let known: readonly TestRunWithTests[] = [];
  let isStopped = false;
  const look = async () => {
    if (document.hidden) return;
    const runs = (await api.listRuns()).slice(0, RUNS);
    const before = new Map(known.map((run) => [run.id, run]));
    if (runs.length === known.length && runs.every(({ id, updatedAt }) => before.get(id)?.updatedAt === updatedAt))
      return;
    const now = await Promise.all(
      runs.map((run) => {
        const same = before.get(run.id);
        return same?.updatedAt === run.updatedAt ? same : api.getRun(run.id);
      }),
    );
    // Those of the tests are among them.
    await loadStyle('views');
    if (isStopped) return;
    known = now;
    tell(testPlacesOf(now));
  };
  // A run may be forgotten between both calls, and a server that is away is told elsewhere.
  const tryLook = () => loadCode(look).catch(() => {});
  void tryLook().then(() => isStopped || known.length > 0 || tell(new Map()));
  const timer = setInterval(() => void tryLook(), EVERY_MS);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
