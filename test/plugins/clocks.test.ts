import { afterAll, beforeAll, expect, test } from 'vitest';
import { failuresOf, makePlaywrightProject, playwright } from './playwright-project.ts';
import type { Project } from './project.ts';

// Parallel tests that set the time of their workspace.

let project: Project;

beforeAll(async () => {
  project = await makePlaywrightProject();
}, 180_000);
afterAll(() => project.remove());

test('Playwright: of two tests on one server, the one that moves its clock hides its own mail and none of the other', async () => {
  await project.write(
    'clocks.config.js',
    `import { defineConfig } from '@playwright/test';
     import { mailcapWebServer } from 'mailcap/playwright';
     export default defineConfig({ webServer: [mailcapWebServer()], fullyParallel: true, workers: 2 });`,
  );
  await project.write(
    'clocks.spec.js',
    `import { existsSync, writeFileSync } from 'node:fs';
     import { expect, test } from 'mailcap/playwright';
     import { send } from './app.js';
     const sees = async (name) => { while (!existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 20)); };
     const offsetOf = async (mailcap) => (await mailcap.local.getWorkspaceClock(await mailcap.workspaceId())).offsetSeconds;
     test('a month later', async ({ mailbox, setClock, mailcap }) => {
       await send(mailbox.address, 'Welcome', 'Hello');
       await mailbox.waitForMessage();
       await sees('sent');
       await setClock({ offsetSeconds: 30 * 86400 });
       expect(await mailbox.messages()).toEqual([]);
       writeFileSync('later', '');
       await sees('looked');
       await setClock(null);
       expect(await mailbox.messages()).toHaveLength(1);
     });
     test('today', async ({ mailbox, mailcap }) => {
       await send(mailbox.address, 'Welcome', 'Hello');
       await mailbox.waitForMessage();
       writeFileSync('sent', '');
       await sees('later');
       expect(await mailbox.messages()).toHaveLength(1);
       expect(await offsetOf(mailcap)).toBe(0);
       writeFileSync('looked', '');
     });`,
  );
  const report = await playwright(project, ['--config=clocks.config.js', 'clocks.spec.js']);
  expect(failuresOf(report)).toEqual([]);
  expect(report.stats).toMatchObject({ expected: 2 });
}, 120_000);
