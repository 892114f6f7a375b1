import { expect, onTestFinished, test } from 'vitest';
import { installOldest, OLDEST } from './playwright-project.ts';
import { makeProject, TSC } from './project.ts';
import { TYPES } from './vitest-suites.ts';

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
  expect(await complaints()).toBe('');
}, 60_000);

test(`and against those of Playwright ${OLDEST}`, async () => {
  const { instead, remove } = await installOldest();
  onTestFinished(remove);
  expect(await complaints(instead)).toBe('');
}, 120_000);

/** Of the compiler. */
async function complaints(instead: Readonly<Record<string, string>> = {}): Promise<string> {
  const project = await makeProject(instead);
  onTestFinished(() => project.remove());
  await project.write('vitest.ts', TYPES);
  await project.write('playwright.ts', PLAYWRIGHT);
  const { stdout } = await project.node([...TSC, 'vitest.ts', 'playwright.ts']).exit;
  return stdout;
}
