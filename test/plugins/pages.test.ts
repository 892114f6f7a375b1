import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { failure } from '../client/modes.ts';
import type { Exit } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { blockOf, blocksOf, readPage } from '../support/pages.ts';
import { makeProject, type Project } from './project.ts';

// Runs the blocks of the README and of docs/ that are tests, runner configurations and errors.

const SOON = { timeout: 100 };

/** The first test of a run starts a server. Vitest's own limit of five seconds is too short on a busy machine. */
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=120000'];

const RUNNERS: Readonly<
  Record<string, { readonly ending: string; readonly command: readonly string[]; says(tests: number): string }>
> = {
  playwright: {
    ending: 'spec.js',
    command: ['node_modules/@playwright/test/cli.js', 'test'],
    says: (tests) => `${tests} passed`,
  },
  vitest: { ending: 'test.js', command: VITEST, says: (tests) => `${tests} passed` },
  node: { ending: 'test.mjs', command: ['--test'], says: (tests) => `# pass ${tests}` },
};
const WITH_TESTS = ['README.md', 'docs/playwright.md', 'docs/vitest.md', 'docs/client.md', 'docs/checks.md'];
/** The tests by their text. A test that is on two pages runs once. */
const TESTS = new Map(
  WITH_TESTS.flatMap((path) =>
    blocksOf(readPage(path)).flatMap(({ mark, text }, at) => (mark in RUNNERS ? [[text, { path, at, mark }]] : [])),
  ),
);

test('the pages have tests for each of the runners', () => {
  expect([...new Set([...TESTS.values()].map(({ mark }) => mark))].sort()).toEqual(Object.keys(RUNNERS).sort());
});

const outcomes = new Map<string, Promise<Exit>>();

/** Runs all tests for a runner, each in a file of its own, once. */
async function outcomeOf(mark: string, { ending, command }: (typeof RUNNERS)[string]): Promise<Exit> {
  const project = await aProject();
  for (const [text, test] of TESTS) if (test.mark === mark) await project.write(fileOf(test, ending), text);
  return project.node(command).exit;
}

function fileOf({ path, at }: { readonly path: string; readonly at: number }, ending: string): string {
  return `${path.replace(/\W/g, '-')}-${at}.${ending}`;
}

test.each([...TESTS].map(([, { path, at, mark }]) => [path, at, mark] as const))(
  '%s, block %i: a test for %s that passes, without a config',
  async (_path, _at, mark) => {
    const runner = RUNNERS[mark];
    if (runner === undefined) throw new Error(`${mark}: no such runner`);
    const outcome = outcomes.get(mark) ?? outcomeOf(mark, runner);
    outcomes.set(mark, outcome);
    const tests = [...TESTS.values()].filter((test) => test.mark === mark).length;
    const { code, stdout } = await outcome;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(runner.says(tests)) });
  },
  120_000,
);

test('the configuration for Playwright hands an app in another process the address of SMTP', async () => {
  const project = await aProject();
  const port = String(await freePort());
  await project.write('playwright.config.js', blockOf('docs/playwright.md', 'playwrightconfig').replace('3000', port));
  await project.write('package.json', '{ "type": "module", "scripts": { "start": "node app.js" } }');
  await project.write(
    'app.js',
    `import { createServer } from 'node:http';
     createServer((_req, res) => res.end(process.env.SMTP_URL)).listen(${port}, '127.0.0.1');`,
  );
  await project.write(
    'app.spec.js',
    `import { expect, test } from 'mailcap/playwright';
     import nodemailer from 'nodemailer';
     test('the app has it', async ({ mailbox, request }) => {
       const url = await (await request.get('http://127.0.0.1:${port}')).text();
       await nodemailer.createTransport(url).sendMail({ to: mailbox.address, subject: 'Hi', text: 'Your code is 234815.' });
       expect(await mailbox.waitForCode()).toBe('234815');
     });`,
  );
  const { code, stdout } = await project.node(['node_modules/@playwright/test/cli.js', 'test']).exit;
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') });
}, 180_000);

test('the configuration for Vitest hands code the address of SMTP before it is loaded', async () => {
  const project = await aProject();
  await project.write('vitest.config.js', blockOf('docs/vitest.md', 'vitestconfig'));
  await project.write(
    'app.js',
    `import nodemailer from 'nodemailer';
     export const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);`,
  );
  await project.write(
    'app.test.js',
    `import { expect, test } from 'mailcap/vitest';
     import { transport } from './app.js';
     test('mails', async ({ mailbox }) => {
       await transport.sendMail({ to: mailbox.address, subject: 'Hi', text: 'Your code is 234815.' });
       expect(await mailbox.waitForCode()).toBe('234815');
     });`,
  );
  const { code, stdout } = await project.node(VITEST).exit;
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') });
}, 180_000);

test('a global setup with options starts a server that containers reach, and hands on its token', async () => {
  const project = await aProject();
  const page = blockOf('docs/vitest.md', 'vitestsetup');
  const port = await freePort();
  await project.write('mail-server.js', page.replace('1025', String(port)));
  await project.write('vitest.config.js', "export default { test: { globalSetup: './mail-server.js' } };");
  await project.write(
    'app.test.js',
    `import { networkInterfaces } from 'node:os';
     import nodemailer from 'nodemailer';
     import { expect, test } from 'mailcap/vitest';
     test('mails', async ({ mailbox }) => {
       expect(process.env.MAILCAP_ADMIN_TOKEN).toMatch(/^[\\w-]{43}$/);
       const others = Object.values(networkInterfaces()).flat().filter(({ family }) => family === 'IPv4');
       for (const { address } of others) {
         const transport = nodemailer.createTransport({ host: address, port: ${port}, ignoreTLS: true });
         await transport.sendMail({ to: mailbox.address, subject: address, text: 'Your code is 234815.' });
         expect(await mailbox.waitForCode({ subject: address })).toBe('234815');
       }
     });`,
  );
  const { code, stdout } = await project.node(VITEST).exit;
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') });
}, 180_000);

test('the errors that docs/troubleshooting.md shows are the real ones', async () => {
  const mailcap = await startServer({ starttls: 'off', catchAll: 'off' });
  onTestFinished(() => mailcap.close());
  const { url: baseUrl, apiKey } = mailcap;
  const client = createClient({ baseUrl, apiKey });
  const mailbox = await client.mailbox({ name: 'sign-up' });
  const webhook = await client.webhook();

  await send(mailcap, mailbox.address, 'Welcome');
  const unmatched = await failure(mailbox.waitForCode({ subject: 'your code' }, SOON));
  const [another, billing] = [await client.mailbox({ name: 'sign-up' }), await client.mailbox({ name: 'billing' })];
  await failure(send(mailcap, 'ada@exmaple.com', 'Your code'));
  await send(mailcap, billing.address, 'Your code');
  const astray = await failure(another.waitForCode({ subject: 'your code' }, SOON));
  const silent = await failure(webhook.waitForRequest({ method: 'POST', path: '/orders' }, SOON));
  const shown = [unmatched, astray, silent].map(({ name, message }) => `${name}: ${stable(message)}\n`);
  expect(shown.join('\n')).toBe(blockOf('docs/troubleshooting.md', 'errors'));
});

async function aProject(): Promise<Project> {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  return project;
}

async function send({ smtp }: TestServer, to: string, subject: string): Promise<void> {
  const transport = createTransport({ ...smtp });
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text: 'Hello.' });
}

/** Replaces the parts that differ between runs by examples. */
function stable(message: string): string {
  return message
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)/g, '2026-11-20T15:55:21.123+00:00')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8025')
    .replace(/(?<=hooks\/)[\w-]{43}/g, '3q2-7wAAAB')
    .replace(/-[a-z0-9]{12}(?=\.mailcap\.example\.com|,|\))/g, '-4k2m')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '01KAEX');
}
