import { afterAll, beforeAll, expect, test } from 'vitest';
import { failuresOf, makePlaywrightProject, playwright } from './playwright-project.ts';
import type { Project } from './project.ts';
import { results, vitest } from './vitest-project.ts';

// Tests of both runners claim fixed addresses that the app's seed data uses.

let project: Project;

beforeAll(async () => {
  project = await makePlaywrightProject();
}, 180_000);
afterAll(() => project.remove());

test('Playwright: an option and createMailbox claim the same addresses in one test after the other, on several workers', async () => {
  const file = (name: string) => `import { expect, test } from 'mailcap/playwright';
import { send } from './app.js';
test.use({ mailcapAddresses: ['${name}@email.com', '*@${name}.test'] });
for (const n of [1, 2, 3]) test('${name} ' + n, async ({ mailbox, createMailbox }) => {
  await send('${name.toUpperCase()}@email.com', 'To ${name} ' + n, 'Hello.');
  await send('anybody@${name}.test', 'To the domain ' + n, 'Hello.');
  expect((await mailbox.waitForMessages(2)).map(({ subject }) => subject)).toEqual(['To ${name} ' + n, 'To the domain ' + n]);
  const other = await createMailbox({ addresses: ['other-${name}@email.com'] });
  await send('other-${name}@email.com', 'To the other', 'Hello.');
  expect(await other.waitForMessage()).toMatchObject({ subject: 'To the other' });
});
`;
  await project.write('alice.spec.js', file('alice'));
  await project.write('bob.spec.js', file('bob'));
  const report = await playwright(project, ['--workers=2', 'alice.spec.js', 'bob.spec.js']);
  expect(failuresOf(report)).toEqual([]);
  expect(report.stats).toMatchObject({ expected: 6 });
}, 120_000);

test('Playwright: of two tests that claim one address at the same time, the second is told which test holds it', async () => {
  // Both workers share one server.
  await project.write(
    'both.config.js',
    `import { defineConfig } from '@playwright/test';
     import { mailcapWebServer } from 'mailcap/playwright';
     export default defineConfig({ webServer: [mailcapWebServer()], fullyParallel: true, workers: 2 });`,
  );
  await project.write(
    'both.spec.js',
    `import { existsSync, writeFileSync } from 'node:fs';
     import { expect, test } from 'mailcap/playwright';
     const claim = { addresses: ['carol@email.com'] };
     const sees = async (name) => { while (!existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 20)); };
     test('Carol resets her password', async ({ createMailbox }) => {
       await createMailbox(claim);
       writeFileSync('held', '');
       await sees('told');
     });
     test('Carol signs in', async ({ createMailbox }) => {
       await sees('held');
       const error = await createMailbox(claim).catch((reason) => reason);
       writeFileSync('told', '');
       expect(error.message).toContain('"Carol resets her password" already claims carol@email.com');
       expect(error.code).toBe('address_taken');
     });`,
  );
  const report = await playwright(project, ['--config=both.config.js', 'both.spec.js']);
  expect(failuresOf(report)).toEqual([]);
  expect(report.stats).toMatchObject({ expected: 2 });
}, 120_000);

test('Vitest: an option and createMailbox claim addresses, which the next test may claim again', async () => {
  await project.write(
    'claims.test.js',
    `import { expect, test as base } from 'mailcap/vitest';
     import { send } from './app.js';
     const test = base.extend({ mailcapAddresses: ['dora@email.com', '*@dora.test'] });
     for (const n of [1, 2]) test('claims ' + n, async ({ mailbox, createMailbox }) => {
       await send('dora@email.com', 'To Dora ' + n, 'Hello.');
       expect(await mailbox.waitForMessage({ to: 'dora@email.com' })).toMatchObject({ subject: 'To Dora ' + n });
       const other = await createMailbox({ name: 'other', addresses: ['erin@email.com'] });
       expect(other.addresses).toEqual(['erin@email.com']);
       await expect(createMailbox({ addresses: ['erin@email.com'] })).rejects.toThrow('"other" already claims erin@email.com');
     }, 30_000);`,
  );
  expect(results(await vitest(project, 'claims.test.js'))).toEqual(['passed claims 1', 'passed claims 2']);
}, 180_000);

test('Vitest: tests that run at once and claim one address wait for it with mailcapAddressesWait', async () => {
  await project.write(
    'waits.test.js',
    `import { expect, test as base } from 'mailcap/vitest';
     import { send } from './app.js';
     const test = base.extend({ mailcapAddresses: ['fay@email.com'], mailcapAddressesWait: true });
     for (const n of [1, 2, 3]) test.concurrent('waits ' + n, async ({ expect, mailbox, createMailbox }) => {
       await send('fay@email.com', 'To Fay ' + n, 'Hello.');
       expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['To Fay ' + n]);
       await expect(createMailbox({ addresses: ['FAY@email.com'], wait: true })).rejects.toThrow('already claims fay@email.com');
     }, 30_000);`,
  );
  expect(results(await vitest(project, 'waits.test.js')).sort()).toEqual([
    'passed waits 1',
    'passed waits 2',
    'passed waits 3',
  ]);
}, 180_000);
