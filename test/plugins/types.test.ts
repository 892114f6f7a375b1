import { expect, onTestFinished, test } from 'vitest';
import { makeProject } from './project.ts';

const VITEST = `import { test as base } from 'vitest';
import { expect, test, withMailcap } from 'mailcap/vitest';
const mine = withMailcap(base.extend<{ n: number }>({ n: 1 }));
mine('x', async ({ mailbox, n }) => {
  const a: string = mailbox.address + n.toFixed();
  await expect(mailbox).toHaveReceived({ subject: a });
  await expect(mailbox).toStayEmpty({ for: 1 });
  expect(await mailbox.waitForMessage()).not.toHaveCode('1');
  // @ts-expect-error no such filter
  await expect(mailbox).toHaveReceived({ subjekt: a });
});
test('y', { retry: 1 }, async ({ webhook, totp, mailcap }) => {
  expect(await webhook.waitForRequest()).toHaveValidSignature('github', 's');
  const c: string = await (await totp('x')).code();
  await mailcap.listMailboxes(); void c;
});
test.extend<{ user: string }>({ user: async ({ mailbox }, use) => use(mailbox.address) });
`;

const PLAYWRIGHT = `import { defineConfig, mergeTests, test as base } from '@playwright/test';
import { expect, fixtures, mailcapWebServer, test, type MailcapOptions, type MailcapTestFixtures, type MailcapWorkerFixtures } from 'mailcap/playwright';
export default defineConfig<MailcapOptions>({ webServer: [mailcapWebServer({ port: 0 })], use: { mailcapIsolation: 'address', mailcapTimeout: 5 } });
const mine = base.extend<MailcapTestFixtures, MailcapWorkerFixtures>(fixtures);
mine('x', async ({ mailbox, page }) => { await page.goto(mailbox.address); });
mergeTests(test, base)('y', async ({ mailbox, webhook }) => {
  await expect(mailbox).toHaveReceived({ subject: 'a' });
  await expect(mailbox).toStayEmpty({ for: 1 });
  expect(await mailbox.waitForMessage()).toHaveLink('verify');
  expect(await webhook.waitForRequest()).toHaveValidSignature('stripe', 's');
  // @ts-expect-error no such filter
  await expect(mailbox).toHaveReceived({ subjekt: 'a' });
});
`;

test('a strict TypeScript project compiles against fixtures, options and matchers of both runners', async () => {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  await project.write('vitest.ts', VITEST);
  await project.write('playwright.ts', PLAYWRIGHT);
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--types',
    'node',
  ];
  const { stdout } = await project.node(['node_modules/typescript/bin/tsc', ...options, 'vitest.ts', 'playwright.ts'])
    .exit;
  expect(stdout).toBe('');
}, 60_000);
