import { expect, test } from 'vitest';
import type { TestId, TestRunId, Ulid } from '../../src/domain/ids.ts';
import { type TestAttempt, type TestRun, testKeyOf } from '../../src/domain/test-run.ts';
import type { Store } from '../../src/ports/store.ts';
import { NOON } from './rows.ts';

const ulid = <Id extends Ulid>(end: string) => end.padStart(26, '0') as Id;

function aRun(end: string, updatedAt: number): TestRun {
  const counts = { running: 0, passed: 0, failed: 1, skipped: 0, flaky: 0 };
  return {
    ...{ id: ulid<TestRunId>(end), runner: 'vitest', project: 'shop', startedAt: NOON, updatedAt, counts },
    ...{ attempts: 1, dropped: 0 },
  };
}

function aTest(end: string, run: TestRun, test: string): TestAttempt {
  return {
    ...{ id: ulid<TestId>(end), runId: run.id, test, file: 'a.test.ts', titles: ['signs up'], attempt: 1, worker: '1' },
    ...{ outcome: 'failed', error: 'no mail', startedAt: NOON, endedAt: NOON + 1 },
    ...{ mailboxes: [], webhooks: [], waits: [] },
  };
}

/** Specifies how a Store keeps the runs of test runners. */
export function runSuite(current: () => Store): void {
  test('runs and their attempts are kept, listed and removed together', async () => {
    const store = current();
    const [one, other] = [aRun('1', NOON), aRun('2', NOON + 1)];
    const [first, second, third] = [aTest('11', one, 'a'), aTest('12', one, 'b'), aTest('13', other, 'b')];
    await store.transaction(async (tx) => {
      for (const run of [one, other]) await tx.runs.put(run);
      for (const test of [second, first, third]) await tx.runs.putTest(test);
      expect(await tx.runs.tests(one.id)).toEqual([first, second]);
    });
    expect(await store.read.runs.list()).toEqual([other, one]);
    expect(await store.read.runs.get(one.id)).toEqual(one);
    expect(await store.read.runs.tests(one.id)).toEqual([first, second]);
    expect(await store.read.runs.test(third.id)).toEqual(third);
    expect(await store.read.runs.oldestTest(one.id, ([only]) => only?.id !== first.id)).toEqual([second]);
    expect(await store.read.runs.attempts(testKeyOf(second))).toEqual([second]);
    // A retry stands with the first attempt, in the order of their ids.
    const retry = { ...aTest('14', one, 'a'), attempt: 2 };
    await store.transaction((tx) => tx.runs.putTest(retry));
    expect(await store.read.runs.attempts(testKeyOf(first))).toEqual([first, retry]);
    expect(await store.read.runs.oldestTest(one.id, () => true)).toEqual([first, retry]);
    await store.transaction((tx) => tx.runs.removeTest(retry.id));
    expect(await store.read.runs.oldestTest(one.id, () => false)).toBeNull();
    await store.transaction((tx) => tx.runs.removeTest(first.id));
    expect(await store.read.runs.tests(one.id)).toEqual([second]);
    await store.transaction((tx) => tx.runs.remove(one.id));
    expect(await store.read.runs.list()).toEqual([other]);
    expect(await store.read.runs.test(second.id)).toBeNull();
    expect(await store.read.runs.tests(one.id)).toEqual([]);
    expect(await store.read.runs.get(one.id)).toBeNull();
  });
}
