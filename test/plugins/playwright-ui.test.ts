import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM, has, lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { makePlaywrightProject, PLAYWRIGHT } from './playwright-project.ts';
import { type Project, until } from './project.ts';

/**
 * Each test records its mailbox in a file. That file is outside the tests' directory, because UI mode reloads tests
 * when a file there changes.
 */
const SPEC = `import { appendFileSync } from 'node:fs';
import { expect, test } from 'mailcap/playwright';
import { send } from '../app.js';
test.afterEach(async ({ mailbox, mailcap }, { title }) => {
  const { url } = await mailcap.server();
  const workspaces = (await mailcap.local.listWorkspaces()).length;
  appendFileSync('seen', JSON.stringify({ title, url, address: mailbox.address, workspaces }) + '\\n');
});
for (const n of [1, 2, 3]) test('mail ' + n, async ({ mailbox }) => {
  await expect(mailbox).not.toHaveReceived();
  await send(mailbox.address, 'Code', 'Your code is 10000' + n);
  expect(await mailbox.waitForCode()).toBe('10000' + n);
});
test('fails', async ({ mailbox }) => {
  await send(mailbox.address, 'Hello', 'Hello');
  await mailbox.waitForCode({}, { timeout: 100 });
});
`;
/** The configuration writes the server's address to a file, so that this test can look at it. */
const CONFIG = `import { writeFileSync } from 'node:fs';
import { mailcapWebServer } from 'mailcap/playwright';
const webServer = mailcapWebServer();
if (!process.env.TEST_WORKER_INDEX) writeFileSync('server', JSON.stringify([process.env.MAILCAP_URL, process.env.MAILCAP_API_KEY]));
export default { testDir: 'tests', fullyParallel: true, workers: 2, webServer, use: { mailcapKeep: 'off' } };`;

interface Seen {
  readonly title: string;
  readonly url: string;
  readonly address: string;
  readonly workspaces: number;
}

let project: Project;
let browser: Browser;

beforeAll(async () => {
  if (!has('chromium')) return;
  project = await makePlaywrightProject();
  await project.write('tests/ui.spec.js', SPEC);
  await project.write('playwright.config.js', CONFIG);
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking'],
  });
});
afterAll(async () => {
  await browser?.close();
  await project?.remove();
});

async function seen(): Promise<Seen[]> {
  const text = await project.read('seen').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Starts a run and waits until the button is enabled again. The run and its workers have then ended. */
async function run(page: Page, start: () => Promise<void>, tests: number): Promise<void> {
  const before = (await seen()).length;
  await start();
  await until(async () => (await seen()).length === before + tests, `${tests} tests`);
  await until(() => page.getByTitle(/^Run all/).isEnabled(), 'a run that has ended');
}

async function workspaces(): Promise<number> {
  const [url, key] = JSON.parse(await project.read('server'));
  const response = await fetch(`${url}/_mailcap/workspaces`, { headers: { authorization: `Bearer ${key}` } });
  const all: unknown[] = JSON.parse(await response.text());
  return all.length;
}

unless(test, lacking('chromium'))(
  'the runs of UI mode share one server, have their own addresses, and leave nothing for each other',
  async () => {
    const ui = project.node([PLAYWRIGHT, 'test', '--ui-host=127.0.0.1', '--ui-port=0']);
    let stdout = '';
    ui.child.stdout?.on('data', (text) => (stdout += text));
    await until(() => /http:\/\/\S+/.test(stdout), 'an address');
    const page = await browser.newPage();
    await page.goto(/http:\/\/\S+/.exec(stdout)?.[0] ?? '');
    await page.getByRole('treeitem').first().waitFor();

    // A process of a server, or the shell that Playwright started it with.
    const servers = new Set<string>();
    for (let at = 0; at < 3; at++) {
      await run(page, () => page.getByTitle(/^Run all/).click(), 4);
      await page.getByText('3 passed, 1 failed').waitFor();
      await until(async () => (await workspaces()) === 1, 'the workers’ workspaces gone');
      servers.add(String(await project.servers()));
    }
    const one = page.getByRole('treeitem', { name: /mail 2/ });
    await one.hover();
    await run(page, () => one.getByTitle('Run').click(), 1);
    await until(async () => (await workspaces()) === 1, 'the worker’s workspace gone');

    servers.add(String(await project.servers()));
    expect([...servers]).toEqual([expect.stringMatching(/\d/)]);
    const all = await seen();
    expect(all.map(({ title }) => title).filter((title) => title === 'mail 2')).toHaveLength(4);
    expect(new Set(all.map(({ address }) => address)).size).toBe(13);
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    // There are the seeded workspace and one for each of two workers. A worker that replaced a failed one may not have
    // deleted the old workspace yet.
    expect(Math.max(...all.map((each) => each.workspaces))).toBeLessThanOrEqual(4);

    await page.close();
    ui.child.kill('SIGINT');
    await ui.exit;
    await until(async () => (await project.servers()).length === 0, 'the server gone');
  },
  120_000,
);
