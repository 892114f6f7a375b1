import { testKeyOf } from '../../../domain/test-run.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import { removeEach, type Write, type Writes } from './rows.ts';

export function readRuns(state: State): Reader['runs'] {
  const attemptsAt = (key: string) => [...state.attemptsByTest.of(key).ascending()];
  return {
    get: async (id) => state.runs.get(id) ?? null,
    list: async () => [...state.runs.values()].sort((one, other) => other.updatedAt - one.updatedAt),
    test: async (id) => state.tests.get(id) ?? null,
    tests: async (id) => [...state.testsByRun.of(id).ascending()],
    attempts: async (key) => attemptsAt(key),
    oldestTest: async (id, isWanted) => {
      for (const test of state.testsByRun.of(id).ascending()) {
        const attempts = attemptsAt(testKeyOf(test));
        if (isWanted(attempts)) return attempts;
      }
      return null;
    },
  };
}

export function writeRuns(state: State, write: Write): Writes<'runs'> {
  return {
    put: async (run) => write(['put', 'runs', run]),
    remove: async (id) => {
      removeEach(write, 'tests', state.testsByRun.of(id));
      write(['remove', 'runs', id]);
    },
    putTest: async (test) => write(['put', 'tests', test]),
    removeTest: async (id) => write(['remove', 'tests', id]),
  };
}
