import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byDay } from '../support/night.ts';
import { makePlaywrightProject, playwright, type Result, resultsOf } from './playwright-project.ts';
import type { Project } from './project.ts';

/**
 * Tests that wait for mail in vain. The line of each expected error ends with its test's title, except for `toPass`,
 * whose line Playwright chooses.
 */
const SPEC = `import { expect, test } from 'mailcap/playwright';
test.describe.configure({ timeout: 2000 });
test('slow', async ({ mailbox }) => {
  test.slow();
  await mailbox.waitForMessage(); // slow
});
test('set in the test', async ({ mailbox }) => {
  test.setTimeout(3000);
  await mailbox.waitForMessage(); // set in the test
});
test('no timeout', async ({ mailbox }) => {
  test.setTimeout(0);
  await mailbox.waitForMessage({}, { timeout: 200 }); // no timeout
});
test.describe('hooks', () => {
  test.beforeEach(() => test.setTimeout(3000));
  test('set in a hook', async ({ mailbox }) => {
    await mailbox.waitForMessage(); // set in a hook
  });
});
test.describe('hooks', () => {
  test.beforeEach(async ({ mailbox }) => {
    await mailbox.waitForMessage(); // before each
  });
  test('before each', () => {});
});
test.describe('hooks', () => {
  test.afterEach(async ({ mailbox }) => {
    await mailbox.waitForMessage(); // after each
  });
  test('after each', () => {});
});
test.describe('hooks', () => {
  test.beforeAll(async ({ createMailbox }) => {
    const mailbox = await createMailbox();
    await mailbox.waitForMessage(); // before all
  });
  test('before all', () => {});
});
test('a step', async ({ mailbox }) => {
  await test.step('reads mail', async () => {
    await mailbox.waitForMessage(); // a step
  });
});
test('a poll', async ({ mailbox }) => {
  await expect.poll(() => mailbox.waitForCode({}, { timeout: 100 }), { timeout: 500 }).toBe('1'); // a poll
});
test('to pass', async ({ mailbox }) => {
  await expect(async () => {
    await mailbox.waitForMessage({}, { timeout: 100 });
  }).toPass({ timeout: 500 }); // to pass
});
test('a matcher to pass', async ({ mailbox }) => {
  await expect(async () => {
    await expect(mailbox).toHaveReceived({}, { timeout: 100 });
  }).toPass({ timeout: 500 }); // a matcher to pass
});
test('a step that ends first', async ({ mailbox }) => {
  await test.step('reads mail', async () => {
    await mailbox.waitForMessage({}, { timeout: 1500 });
  }, { timeout: 300 });
});
`;

/** The ways in which a test gets its limit. Each ends its worker, so that by day those run that imply the others. */
const WAYS = byDay(
  [
    'slow',
    'set in the test',
    'no timeout',
    'set in a hook',
    'before each',
    'after each',
    'before all',
    'a step',
    'a poll',
    'to pass',
    'a matcher to pass',
  ],
  (way) => ['no timeout', 'set in a hook', 'before all', 'after each', 'a poll', 'a matcher to pass'].includes(way),
);
const ENDS_FIRST = 'a step that ends first';

let project: Project;
let results: ReadonlyMap<string, readonly Result[]> = new Map();

beforeAll(async () => {
  project = await makePlaywrightProject();
  await project.write('times.spec.js', SPEC);
});
afterAll(() => project.remove());

function lineOf(title: string): number {
  return SPEC.split('\n').findIndex((line) => line.endsWith(`// ${title}`)) + 1;
}

describe('a wait ends before its test, and the error points at its line', () => {
  test('in a run', async () => {
    const titles = [...WAYS, ENDS_FIRST].join('|');
    const report = await playwright(project, ['times.spec.js', '--workers=2', '--grep', ` (${titles})$`]);
    results = resultsOf(report);
    expect([...results.keys()].sort()).toEqual([...WAYS, ENDS_FIRST].sort());
    expect(report.stats).toMatchObject({ expected: 0, unexpected: results.size });
  }, 400_000);

  test.each(WAYS)('%s', (title) => {
    const [result] = results.get(title) ?? [];
    expect(result?.status).toBe('failed');
    const [error, ...more] = result?.errors ?? [];
    expect(error?.message).toContain('No message to');
    expect(error?.location).toMatchObject({ file: expect.stringContaining('times.spec.js'), line: lineOf(title) });
    expect(more).toEqual([]);
  });
});

test('the time to reach the server does not count as time of the test', async () => {
  await project.write(
    'late/late.spec.js',
    `import { expect, test } from 'mailcap/playwright';
import http from 'node:http';
const { request } = http;
let isLate = false;
http.request = (...args) => {
  if (!isLate) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  isLate = true;
  return request(...args);
};
test.setTimeout(5000);
test('late', async ({ mailbox }) => {
  expect(isLate).toBe(true);
  await mailbox.waitForMessage();
});`,
  );
  const [error] = resultsOf(await playwright(project, ['late/'])).get('late')?.[0]?.errors ?? [];
  const within = /^WaitTimeoutError: No message to \S+ within (\d+) ms/.exec(error?.message ?? '')?.[1];
  // If those 3000 ms counted against the 5000, the margin would leave only 1600.
  expect(Number(within)).toBeGreaterThan(2_000);
}, 180_000);

test('a wait that a step of the user’s own timeout leaves behind says that the test has ended', () => {
  const [first, ...more] = results.get(ENDS_FIRST)?.[0]?.errors ?? [];
  expect(first?.message).toContain('Step timeout of 300ms exceeded');
  for (const { message } of more) expect(message).toContain('The test ended while it waited');
});

test('a debugger removes the limit', async () => {
  const debugged = resultsOf(await playwright(project, ['times.spec.js', '--grep', 'no timeout$'], { PWDEBUG: '1' }));
  expect(debugged.get('no timeout')?.[0]?.errors[0]?.message).toContain('within 200 ms');
}, 180_000);
