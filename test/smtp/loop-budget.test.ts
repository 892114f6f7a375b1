import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopBudget } from '../../src/smtp/intake.ts';

/** Runs steps of `ms` each for several mails at once. Returns how many steps each turn of the event loop did. */
async function stepsByTurn(mails: number, steps: number, ms: number): Promise<number[]> {
  let now = 0;
  let endTurn = () => {};
  const nextTurn = () =>
    new Promise<void>((resolve) => {
      endTurn = resolve;
    });
  const budget = new LoopBudget({ steady: () => now }, nextTurn);
  const done: number[] = [];
  let inThis = 0;
  let over = false;
  const all = Promise.all(
    Array.from({ length: mails }, async () => {
      for (let step = 0; step < steps; step++) {
        await budget.do(() => {
          now += ms;
          inThis++;
        });
      }
    }),
  ).finally(() => {
    over = true;
  });
  while (!over) {
    // By then every step that this turn has time for is done.
    await setImmediate();
    done.push(inThis);
    inThis = 0;
    endTurn();
  }
  await all;
  return done;
}

test.each([
  ['one mail of cheap steps', 1, 40, 1, [10, 10, 10, 10]],
  ['one mail of dear steps', 1, 5, 12, [1, 1, 1, 1, 1]],
  ['fifty mails at once', 50, 2, 3, Array.from({ length: 25 }, () => 4)],
])(
  '%s: a turn of the event loop ends with the step that fills its ten milliseconds',
  async (_what, mails, steps, ms, turns) => {
    expect(await stepsByTurn(mails, steps, ms)).toEqual(turns);
  },
);

test('steps that fit share a turn', async () => {
  expect(await stepsByTurn(1, 5, 1)).toEqual([5]);
});

test('a step for which a turn has no time left waits for the next turn of the event loop', async () => {
  let now = 0;
  const budget = new LoopBudget({ steady: () => now });
  let isDone = false;
  const first = budget.do(() => {
    now += 10;
  });
  expect(first).toBeUndefined();
  const later = budget.do(() => {
    isDone = true;
  });
  await Promise.resolve();
  expect(isDone).toBe(false);
  await later;
  expect(isDone).toBe(true);
  expect(budget.do(() => {})).toBeUndefined();
});

test('a step that fails does not stop the others', async () => {
  const budget = new LoopBudget({ steady: () => 0 });
  const failing = () =>
    budget.do(() => {
      throw new Error('a step');
    });
  expect(failing).toThrow('a step');
  let did = false;
  await budget.do(() => {
    did = true;
  });
  expect(did).toBe(true);
});
