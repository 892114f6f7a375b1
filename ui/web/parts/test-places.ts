import type { TestAttempt, TestOfRun, TestRunWithTests } from '../app/api.ts';

/** The test that a mailbox belongs to, and its run. */
export interface TestPlace {
  readonly run: { readonly id: string; readonly title: string; readonly failed: number };
  readonly test: {
    readonly id: string;
    readonly name: string;
    /** Its last title, with those before it only where another test of the run has the same one. */
    readonly shortName: string;
    readonly outcome: TestOfRun['outcome'];
  };
  /** False if the mailbox has the name of its test. */
  readonly hasOwnName: boolean;
}

/** The random part of the name of a fixture's mailbox, which its subdomain has too (src/client/mailbox/mailbox.ts). */
const RANDOM = / [a-z0-9]{12}$/;

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
    const namesake = new Map<string | undefined, Set<string>>();
    for (const { titles } of inTime) {
      const whole = namesake.get(titles.at(-1)) ?? new Set();
      namesake.set(titles.at(-1), whole.add(titles.join()));
    }
    for (const test of inTime) {
      const name = nameOf(test.titles, test.attempt);
      const isAlone = namesake.get(test.titles.at(-1))?.size === 1;
      const shortName = isAlone ? nameOf(test.titles.slice(-1), test.attempt) : name;
      for (const mailbox of test.mailboxes)
        places.set(mailbox.id, {
          run: { id: run.id, title, failed: run.failed },
          test: { id: test.id, name, shortName, outcome: test.outcome },
          hasOwnName: !name.toLowerCase().includes(mailbox.name.toLowerCase().replace(RANDOM, '')),
        });
    }
  }
  return places;
}

/** The number of the attempt is as long as the end of a name that stays when its middle is cut. */
function nameOf(titles: TestAttempt['titles'], attempt: number): string {
  return `${titles.join(' › ')}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
}
