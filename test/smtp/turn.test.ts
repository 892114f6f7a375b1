import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turn } from '../../src/smtp/turn.ts';

/** Runs steps of `ms` each for several mails at once. Returns how many steps each turn of the event loop did. */
async function stepsByTurn(mails: number, steps: number, ms: number): Promise<number[]> {
  let now = 0;
  const turn = new Turn({ steady: () => now });
  const done: number[] = [];
  let inThis = 0;
  let over = false;
  const all = Promise.all(
    Array.from({ length: mails }, async () => {
      for (let step = 0; step < steps; step++) {
        await turn.do(() => {
          now += ms;
          inThis++;
        });
      }
    }),
  ).finally(() => {
    over = true;
  });
  while (!over) {
    await setImmediate();
    if (inThis > 0) done.push(inThis);
    inThis = 0;
  }
  await all;
  return done;
}

test.each([
  ['one mail of cheap steps', 1, 40, 1],
  ['one mail of dear steps', 1, 5, 12],
  ['fifty mails at once', 50, 4, 3],
])('%s: a turn of the event loop ends with the step that fills it', async (_what, mails, steps, ms) => {
  const turns = await stepsByTurn(mails, steps, ms);
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(mails * steps);
  // Steps before and after the same immediate may belong to two turns.
  for (const count of turns) expect((count - 2) * ms).toBeLessThan(20);
});

test('steps that fit share a turn', async () => {
  expect(await stepsByTurn(1, 5, 1)).toEqual([5]);
});

test('a step that fails does not stop the others', async () => {
  const turn = new Turn({ steady: () => 0 });
  const failing = () =>
    turn.do(() => {
      throw new Error('a step');
    });
  expect(failing).toThrow('a step');
  let did = false;
  await turn.do(() => {
    did = true;
  });
  expect(did).toBe(true);
});
