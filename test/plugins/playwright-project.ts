import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { byDay } from '../support/night.ts';
import { makeProject, type Project } from './project.ts';

export const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
/** The oldest version that package.json allows. */
export const OLDEST = '1.51.1';
/** The versions that tests run with: at night the oldest too, which npm fetches. */
export const VERSIONS = byDay(['here', OLDEST], (version) => version === 'here');

/** The app that the tests of a project use. */
const APP = `import nodemailer from 'nodemailer';
export async function send(to, subject, text, more = {}) {
  const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text, ...more });
  transport.close();
}
`;

/** Creates a project with an app, for the installed Playwright or for the one in `instead`. */
export async function makePlaywrightProject(instead: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await makeProject(instead);
  await project.write('app.js', APP);
  return project;
}

/**
 * Installs the oldest supported Playwright, from npm's cache if possible. The result is an argument for `makeProject`.
 */
export async function installOldest(): Promise<{ instead: Record<string, string>; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-oldest-'));
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', '--prefix', directory, ...quietly, `@playwright/test@${OLDEST}`]);
  const names = ['@playwright', 'playwright', 'playwright-core'];
  return {
    instead: Object.fromEntries(names.map((name) => [name, join(directory, 'node_modules', name)])),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Step {
  readonly title: string;
  readonly steps?: readonly Step[];
}
export interface Result {
  readonly status: string;
  readonly retry: number;
  readonly errors: readonly { readonly message: string; readonly location?: { file: string; line: number } }[];
  readonly attachments: readonly {
    readonly name: string;
    readonly contentType: string;
    readonly body?: string;
    readonly path?: string;
  }[];
  readonly steps?: readonly Step[];
}
interface Suite {
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly { readonly results: readonly Result[] }[];
  }[];
  readonly suites?: readonly Suite[];
}
/** The report of Playwright's JSON reporter. */
export interface Report {
  readonly errors: readonly { readonly message: string }[];
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
  readonly suites: readonly Suite[];
}

/** Runs Playwright in a project and waits until it ends. */
export async function playwright(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const { stdout, stderr } = await project.node([PLAYWRIGHT, 'test', '--reporter=json', ...args], env).exit;
  try {
    return JSON.parse(stdout.slice(stdout.indexOf('{')));
  } catch {
    throw new Error(`playwright said: ${stdout}\n${stderr}`);
  }
}

/** Returns the results of each test by its title. */
export function resultsOf({ suites }: Pick<Report, 'suites'>): Map<string, readonly Result[]> {
  const all = suites.flatMap((suite) => [
    ...suite.specs.map(({ title, tests }) => [title, tests.flatMap(({ results }) => results)] as const),
    ...resultsOf({ suites: suite.suites ?? [] }),
  ]);
  return new Map(all);
}

export function failuresOf(report: Report): string[] {
  const own = report.errors.map(({ message }) => message);
  const tests = [...resultsOf(report)].flatMap(([title, results]) =>
    results.flatMap(({ errors }) => errors.map(({ message }) => `${title}: ${message}`)),
  );
  return [...own, ...tests];
}

export async function contentOf({ body = '', path }: Result['attachments'][number]): Promise<string> {
  return path === undefined ? Buffer.from(body, 'base64').toString() : readFile(path, 'utf8');
}

/** Tests that use every fixture and matcher: 7 tests pass at once, and one passes when it is retried. */
export const GREEN = `import { createHmac, randomBytes } from 'node:crypto';
import { mergeTests, mergeExpects, test as base, expect as baseExpect } from '@playwright/test';
import { expect as mailExpect, fixtures, test } from 'mailcap/playwright';
import { send } from './app.js';

const expect = mergeExpects(mailExpect, baseExpect.extend({}));
test.describe.configure({ mode: 'parallel' });

test('a code', async ({ mailbox }) => {
  await send(mailbox.address, 'Welcome', 'Your code is 481516.');
  await expect(mailbox).toHaveReceived({ subject: /welcome/i });
  expect(await mailbox.waitForCode({ subject: 'welcome' })).toBe('481516');
  await expect(mailbox).toHaveReceived({ subject: 'Welcome' });
  await expect(mailbox).not.toHaveReceived({ subject: 'Goodbye' });
});

test('a message', async ({ createMailbox }) => {
  const mailbox = await createMailbox('verify');
  const attachments = [{ filename: 'Invoice.pdf', content: 'x' }];
  await send(mailbox.address, 'Verify', 'Your code is 481516. Verify: https://shop.test/verify?t=1', { attachments });
  const message = await mailbox.waitForMessage();
  expect(message).toHaveCode('481516');
  expect(message).toHaveLink('verify');
  expect(message).not.toHaveLink('unsubscribe');
  expect(message).toHaveAttachment('invoice.pdf');
});

test('a webhook', async ({ webhook, createWebhook }) => {
  const body = '{"paid": true}';
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  await fetch(webhook.url, { method: 'POST', body, headers: { 'x-hub-signature-256': 'sha256=' + signature } });
  expect(await webhook.waitForRequest()).toHaveValidSignature('github', 'secret');
  await expect(await createWebhook()).toStayEmpty({ for: 50 });
});

test('a second factor', async ({ totp }) => {
  // A secret in base32, as a new account gets one
  const authenticator = await totp(randomBytes(20).toString('hex').replace(/[0189]/g, 'g'));
  expect(await authenticator.code({ minRemaining: 0 })).toMatch(/^[0-9]{6}$/);
});

const merged = mergeTests(test, base.extend({ greeting: 'Hello' }));
merged('merged', async ({ mailbox, greeting }) => {
  expect(mailbox.address + greeting).toContain('@');
});

const extended = base.extend(fixtures).extend({
  user: async ({ mailbox }, use) => use({ email: mailbox.address }),
});
extended('extended', async ({ user }) => {
  expect(user.email).toContain('@');
});

test.describe('an address', () => {
  test.use({ mailcapIsolation: 'address' });
  test('of a shared mailbox', async ({ mailbox, createMailbox }) => {
    const other = await createMailbox();
    expect(other.id).toBe(mailbox.id);
    await send(mailbox.address, 'Code', 'Your code is 100001');
    expect(await mailbox.waitForCode()).toBe('100001');
    await expect(other).toStayEmpty({ for: 50 });
  });
});

test('a mailbox of each attempt', async ({ mailbox }, { retry }) => {
  await expect(mailbox).not.toHaveReceived();
  await send(mailbox.address, 'Code', 'Your code is 100001');
  await mailbox.waitForCode();
  expect(retry).toBe(1);
});
`;

/** Tests that wait for mail in vain. */
export const FAILS = `import { expect, test } from 'mailcap/playwright';
import { send } from '../app.js';
test.describe.configure({ timeout: 6000 });
test('mail', async ({ mailbox, webhook }) => {
  await send(mailbox.address, 'Welcome <b>', 'Hello.', { html: '<p>Hello</p><script>document.title = 1</script>' });
  await fetch(webhook.url, { method: 'POST', body: '{"paid":true}' });
  await mailbox.waitForCode({ subject: 'code' });
});
test('matcher', async ({ mailbox }) => {
  await expect(mailbox).toHaveReceived({ subject: 'code' });
});
test('request', async ({ webhook }) => {
  await webhook.waitForRequest({ method: 'POST' });
});
test('quiet', async ({ mailbox }) => {
  test.setTimeout(60_000);
  await mailbox.expectNoMessage({}, { for: 50 });
  await mailbox.waitForMessage({ from: 'app' }, { timeout: 100 });
});
`;
