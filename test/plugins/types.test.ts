import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, readPage } from '../support/pages.ts';
import { installOldest, OLDEST, VERSIONS } from './playwright-project.ts';
import { makeProject, TSC } from './project.ts';
import { TYPES } from './vitest-suites.ts';

const PLAYWRIGHT = `import { defineConfig, mergeTests, test as base } from '@playwright/test';
import { expect, fixtures, mailcapWebServer, test, type MailcapOptions, type MailcapTestFixtures, type MailcapWorkerFixtures } from 'mailcap/playwright';
export default defineConfig<MailcapOptions>({ webServer: [mailcapWebServer({ port: 0 })], use: { mailcapIsolation: 'address', mailcapTimeout: 5 } });
const mine = base.extend<MailcapTestFixtures, MailcapWorkerFixtures>(fixtures);
mine('x', async ({ mailbox, page }) => { await page.goto(mailbox.address); await expect(page).toHaveScreenshot('a.png', { mask: [page.locator('a')] }); });
mergeTests(test, base)('y', async ({ mailbox, webhook }) => {
  await expect(mailbox).toHaveReceived({ subject: 'a' });
  await expect(mailbox).toStayEmpty({ for: 1 });
  expect(await mailbox.waitForMessage()).toHaveLink('verify');
  expect(await webhook.waitForRequest()).toHaveValidSignature('stripe', 's');
  const message = await mailbox.waitForMessage();
  await expect(message).toHaveScreenshot('a.png', { widths: { phone: 320 }, schemes: ['dark'], mask: '.code', threshold: 0.1 });
  await expect(message).not.toHaveScreenshot({ name: ['a', 'b.png'] });
  // @ts-expect-error no such scheme
  await expect(message).toHaveScreenshot({ schemes: ['sepia'] });
  // @ts-expect-error no such filter
  await expect(mailbox).toHaveReceived({ subjekt: 'a' });
});
`;

test('a strict TypeScript project compiles against fixtures, options and matchers of both runners', async () => {
  expect(await complaints()).toBe('');
}, 180_000);

test.each(VERSIONS.filter((version) => version === OLDEST))(
  'a strict TypeScript project compiles against the types of Playwright %s',
  async () => {
    const { instead, remove } = await installOldest();
    onTestFinished(remove);
    expect(await complaints(instead)).toBe('');
  },
  120_000,
);

test('the tests of docs/recipes.md, below its import, and those of docs/faults.md compile', async () => {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  const page = readPage('docs/recipes.md');
  const [, shared = ''] = /`(import \{ .*?)`/.exec(page) ?? [];
  const textsOf = (page: string) => blocksOf(page).flatMap(({ mark, text }) => (mark === 'recipe' ? [text] : []));
  const recipes = [...textsOf(page).map((text) => `${shared};\n\n${text}`), ...textsOf(readPage('docs/faults.md'))];
  expect(recipes).toHaveLength(16);
  const files = recipes.map((_, at) => `recipe-${at + 1}.ts`);
  await Promise.all(recipes.map((text, at) => project.write(files[at] ?? '', text)));
  const { stdout } = await project.node([...TSC, ...files]).exit;
  expect(stdout).toBe('');
}, 180_000);

test('the tasks of Cypress have types beside its own', async () => {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  await project.write('cypress.d.ts', CYPRESS);
  await project.write('test.cy.ts', CYPRESS_TEST);
  const { stdout } = await project.node([...TSC, 'cypress.d.ts', 'test.cy.ts']).exit;
  expect(stdout).toBe('');
}, 180_000);

/** The part of Cypress's types that concerns tasks, and the end of a run. */
const CYPRESS = `declare namespace Cypress {
  interface Timeoutable { timeout: number }
  interface Loggable { log: boolean }
  interface Chainable<Subject = any> {
    then<S>(next: (this: unknown, subject: Subject) => Chainable<S> | S | void): Chainable<S>;
    task<S = unknown>(event: string, arg?: any, options?: Partial<Loggable & Timeoutable>): Chainable<S>;
  }
  interface RunResult { totalFailed: number; runs: unknown[] }
  interface FailedRunResult { status: 'failed'; failures: number; message: string }
  interface PluginEvents {
    (action: 'after:browser:launch', fn: (browser: object, options: object) => void | Promise<void>): void;
    (action: 'after:run', fn: (results: RunResult | FailedRunResult) => void | Promise<void>): void;
    (action: 'task', tasks: { [key: string]: (value: any) => any }): void;
  }
}
declare const cy: Cypress.Chainable<undefined>;
`;
const CYPRESS_TEST = `import { mailcap } from 'mailcap/cypress';
export const config = { e2e: { setupNodeEvents: async (on: Cypress.PluginEvents) => { await mailcap(on); } } };
cy.task('mailcap:mailbox').then(({ id, address }) => {
  const at: string = address;
  cy.task('mailcap:send', { to: at, text: 'Your code is 481516.' });
  cy.task('mailcap:code', { mailbox: id, subject: at }).then((code) => code.toUpperCase());
  cy.task('mailcap:message', { mailbox: id }).then(({ from }) => from.address);
});
cy.task<number>('another', 5).then((n) => n.toFixed());
`;

/** Returns the errors of the compiler. */
async function complaints(instead: Readonly<Record<string, string>> = {}): Promise<string> {
  const project = await makeProject(instead);
  onTestFinished(() => project.remove());
  await project.write('vitest.ts', TYPES);
  await project.write('playwright.ts', PLAYWRIGHT);
  const { stdout } = await project.node([...TSC, 'vitest.ts', 'playwright.ts']).exit;
  return stdout;
}
