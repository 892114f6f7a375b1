import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestRun, TestRunWithTests } from '../../src/client/index.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { unless } from '../support/unless.ts';
import { NO_BROWSER } from '../ui/web/open-inbox.ts';
import { makePlaywrightProject, PLAYWRIGHT } from './playwright-project.ts';
import type { Project } from './project.ts';
import { VITEST } from './vitest-project.ts';

// The fixtures report which test a mailbox belongs to, and how it ended (docs/runs.md).

const TESTS = (runner: string, group: string) => `import { test } from 'mailcap/${runner}';
${group}
import { send } from './app.js';
let tries = 0;
group('accounts', () => {
  test('signs up', async ({ mailbox }) => {
    await send(mailbox.address, 'Welcome', 'Your code is 481516.');
    await mailbox.waitForCode();
  });
  test('resets', async ({ mailbox, webhook }) => {
    await send(mailbox.address, 'Hello', 'Nothing to see.');
    await fetch(webhook.url, { method: 'POST', body: 'paid' });
    await mailbox.waitForCode({ subject: 'Hello' }, { timeout: 100 });
  });
  test('is flaky', async ({ mailbox }, info) => {
    tries++;
    const attempt = info?.retry ?? tries - 1;
    await send(mailbox.address, attempt === 0 ? 'Nothing' : 'Code 481516', 'Hello.');
    await mailbox.waitForMessage({ subject: 'Code' }, { timeout: attempt === 0 ? 100 : 10_000 });
  });
  test.skip('waits', async ({ mailbox }) => { await mailbox.waitForCode(); });
  test('needs no mail', async () => {});
});
`;

const RUNNERS = {
  playwright: {
    file: 'runs.spec.js',
    text: TESTS('playwright', 'const group = test.describe;'),
    program: [PLAYWRIGHT, 'test', '--workers=2', '--retries=1', '--reporter=list'],
  },
  vitest: {
    file: 'runs.test.js',
    text: TESTS('vitest', "import { describe as group } from 'vitest';"),
    program: [VITEST, 'run', '--pool=forks', '--retry=1'],
  },
} as const;

let mailcap: TestServer;
let project: Project;

beforeEach(async () => {
  mailcap = await startServer({ starttls: 'off' });
  project = await makePlaywrightProject();
});
afterEach(async () => {
  await project.remove();
  await mailcap.close();
});

async function run(runner: keyof typeof RUNNERS): Promise<string> {
  const { file, text, program } = RUNNERS[runner];
  await project.write(file, text);
  const environment = {
    ...{ CI: '', MAILCAP_URL: mailcap.url, MAILCAP_API_KEY: mailcap.apiKey },
    MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
  };
  const { stdout, stderr } = await project.node([...program, file], environment).exit;
  return stdout + stderr;
}

const get = async <T>(path: string): Promise<T> => JSON.parse(await (await mailcap.api(path)).text());

describe.each(['playwright', 'vitest'] as const)('with %s', (runner) => {
  test('a run has each test that used the server, each attempt, its mailboxes, and why it failed; the next run deletes the mailboxes but not the facts', async () => {
    const output = await run(runner);
    const runs = await get<TestRun[]>('/_mailcap/runs');
    expect(runs, output).toHaveLength(1);
    expect(runs[0]).toMatchObject({ runner, passed: 1, flaky: 1, failed: 1, running: 0, skipped: 0, dropped: 0 });
    // The runner also counts the passed test that used no mail.
    if (runner === 'playwright') expect(output).toMatch(/1 failed[\s\S]*1 flaky[\s\S]*1 skipped[\s\S]*2 passed/);
    else expect(output).toMatch(/1 failed \| 3 passed \| 1 skipped/);
    const { tests } = await get<TestRunWithTests>(`/_mailcap/runs/${runs[0]?.id}`);
    expect(
      tests.map(({ titles, outcome, attempts }) => [
        ...[titles.join(' › '), outcome],
        attempts.map((one) => one.outcome),
      ]),
    ).toEqual([
      ['accounts › resets', 'failed', ['failed', 'failed']],
      ['accounts › is flaky', 'flaky', ['failed', 'passed']],
      ['accounts › signs up', 'passed', ['passed']],
    ]);
    const [first, , passed] = tests.map(({ attempts }) => attempts[0]);
    expect(first).toMatchObject({
      file: RUNNERS[runner].file,
      mailboxes: [{ exists: true }],
      webhooks: [{ exists: true }],
      waits: [{ call: 'waitForCode', filter: expect.stringContaining('Hello') }],
    });
    expect(first?.error).toMatch(/There is no code in "Hello"[\s\S]*whole mail\.$/);
    expect(passed).toMatchObject({ error: null, waits: [], mailboxes: [{ exists: false }] });
    expect(passed?.mailboxes[0]?.name).toContain('signs up');

    await run(runner);
    const after = await get<TestRun[]>('/_mailcap/runs');
    expect(after).toHaveLength(2);
    expect(after[1]).toEqual(runs[0]);
    const kept = await get<TestRunWithTests>(`/_mailcap/runs/${runs[0]?.id}`);
    const [failed] = kept.tests[0]?.attempts ?? [];
    expect(failed?.mailboxes).toMatchObject([{ exists: false }]);
    expect(failed?.error).toContain('There is no code');
  });
});

unless(test, NO_BROWSER)('the failure names a page, which shows the test with its error and its mail', async () => {
  const output = await run('vitest');
  const [, page = ''] = /The test in the web inbox: (\S+)/.exec(output) ?? [];
  expect(page, output).toContain('/#/runs/');
  const context = await (await sharedBrowser()).newContext();
  const opened = await context.newPage();
  await opened.goto(page);
  const row = opened
    .getByRole('list', { name: 'The attempts at accounts › resets' })
    .getByRole('link', { name: /failed Attempt/ })
    .and(opened.locator('[aria-expanded=true]'));
  await row.waitFor();
  await expect.poll(() => opened.locator('.test-facts').innerText()).toContain('There is no code in');
  await opened.locator('.test-facts .handles a').first().click();
  await opened.getByText('Nothing to see.').first().waitFor();
  await context.close();
});
