import type { TestAttempt, TestOfRun, TestRunWithTests } from '../app/api.ts';

/** The test that a mailbox belongs to, and its run. */
export interface TestPlace {
  readonly run: { readonly id: string; readonly title: string; readonly failed: number };
  readonly test: { readonly id: string; readonly name: string; readonly outcome: TestOfRun['outcome'] };
}

/** Returns the places of the mailboxes of runs, the newest run first. The last attempt that used a mailbox counts. */
export function testPlacesOf(runs: readonly TestRunWithTests[]): ReadonlyMap<string, TestPlace> {
  const places = new Map<string, TestPlace>();
  for (const { tests, ...run } of runs.toReversed()) {
    const title = `${run.project}, ${run.runner}`;
    const attempts = tests.flatMap(({ outcome, attempts }) =>
      // A failed attempt at a test whose retry passed is nothing to look at first.
      attempts.map((one) => ({
        ...one,
        outcome: one.outcome === 'failed' && outcome === 'flaky' ? outcome : one.outcome,
      })),
    );
    const inTime = attempts.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
    for (const test of inTime)
      for (const { id } of test.mailboxes)
        places.set(id, {
          run: { id: run.id, title, failed: run.failed },
          test: { id: test.id, name: nameOf(test), outcome: test.outcome },
        });
  }
  return places;
}

function nameOf({ titles, attempt }: Pick<TestAttempt, 'titles' | 'attempt'>): string {
  return `${titles.join(' › ')}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}
