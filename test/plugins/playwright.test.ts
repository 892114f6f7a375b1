import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/mailcap.ts';
import { makeProject, type Project, until } from './project.ts';

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';

/** What the tests of a project need to be an app. */
const APP = `import nodemailer from 'nodemailer';
export async function send(to, subject, text, more = {}) {
  const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
  await transport.sendMail({ from: 'App <app@shop.test>', to, subject, text, ...more });
  transport.close();
}
`;

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('app.js', APP);
});
afterAll(() => project.remove());

interface Step {
  readonly title: string;
  readonly steps?: readonly Step[];
}
interface Result {
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
interface Report {
  readonly errors: readonly { readonly message: string }[];
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
  readonly suites: readonly Suite[];
}

/** Runs Playwright in the project. */
async function playwright(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Report> {
  const { stdout, stderr } = await project.node([PLAYWRIGHT, 'test', '--reporter=json', ...args], env).exit;
  try {
    return JSON.parse(stdout.slice(stdout.indexOf('{')));
  } catch {
    throw new Error(`playwright said: ${stdout}\n${stderr}`);
  }
}

function resultsOf({ suites }: Pick<Report, 'suites'>): Map<string, readonly Result[]> {
  const all = suites.flatMap((suite) => [
    ...suite.specs.map(({ title, tests }) => [title, tests.flatMap(({ results }) => results)] as const),
    ...resultsOf({ suites: suite.suites ?? [] }),
  ]);
  return new Map(all);
}

function failuresOf(report: Report): string[] {
  const own = report.errors.map(({ message }) => message);
  const tests = [...resultsOf(report)].flatMap(([title, results]) =>
    results.flatMap(({ errors }) => errors.map(({ message }) => `${title}: ${message}`)),
  );
  return [...own, ...tests];
}

async function contentOf({ body = '', path }: Result['attachments'][number]): Promise<string> {
  return path === undefined ? Buffer.from(body, 'base64').toString() : readFile(path, 'utf8');
}

const GREEN = `import { createHmac, randomBytes } from 'node:crypto';
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
  // Of an account that is new: base32
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

test('a first test takes one import and no config, and has all fixtures and matchers', async () => {
  await project.write('green.spec.js', GREEN);
  const report = await playwright(['--workers=2', '--retries=1']);
  expect(failuresOf(report).filter((line) => !line.startsWith('a mailbox of each attempt'))).toEqual([]);
  expect(report.stats).toMatchObject({ expected: 7, flaky: 1, unexpected: 0 });
  expect(await project.servers()).toEqual([]);
}, 120_000);

const FAILS = `import { expect, test } from 'mailcap/playwright';
import { send } from './app.js';
test.describe.configure({ timeout: 3000 });
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

describe('a wait that gets nothing', () => {
  let results: ReadonlyMap<string, readonly Result[]> = new Map();

  test('fails its test', async () => {
    await project.write('fails/mail.spec.js', FAILS.replace('./app.js', '../app.js'));
    const report = await playwright(['fails/', '--workers=1', '--reporter=json']);
    results = resultsOf(report);
    expect(report.stats).toMatchObject({ expected: 0, unexpected: 4 });
  }, 120_000);

  test.each([
    ['mail', 'No message to', 7],
    ['matcher', 'No message to', 10],
    ['request', 'No request to', 13],
    ['quiet', 'within 100 ms', 18],
  ])('%s: ends before the test does, says why, and points at the line', (title, reason, line) => {
    const [error, ...more] = results.get(title)?.[0]?.errors ?? [];
    expect(error?.message).toContain(reason);
    expect(error?.message).not.toContain('Test timeout');
    expect(error?.location).toMatchObject({ file: expect.stringContaining('mail.spec.js'), line });
    expect(more).toEqual([]);
  });

  test('is a step with its filter', () => {
    const titles = (steps: readonly Step[] = []): string[] =>
      steps.flatMap(({ title, steps: inner }) => [title, ...titles(inner)]);
    expect(titles(results.get('mail')?.[0]?.steps)).toContainEqual(
      expect.stringMatching(/^waitForCode \{ subject: "code" \} at user@mail-/),
    );
  });

  test('attaches each message as a page and as its source, a timeline, and the requests', async () => {
    const all = results.get('mail')?.[0]?.attachments ?? [];
    // Playwright's own
    const attachments = all.filter(({ name }) => name !== 'error-context');
    expect(attachments.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['mailbox.json', 'application/json'],
      ['mailbox mail 1: Welcome <b>', 'text/html'],
      ['mailbox mail 1: Welcome <b> (source)', 'message/rfc822'],
      ['webhook.json', 'application/json'],
    ]);
    const [overview, page, source, requests] = await Promise.all(attachments.map(contentOf));
    expect(JSON.parse(overview ?? '').timeline).toMatchObject([
      { opened: true },
      { came: 'Welcome <b>' },
      { call: 'waitForCode' },
    ]);
    expect(page).toContain('<h1>Welcome &#60;b&#62;</h1>');
    expect(page).toContain('<iframe sandbox srcdoc=');
    expect(page).not.toContain('<script>');
    expect(source).toMatch(/^Subject: Welcome <b>\r$/m);
    expect(JSON.parse(requests ?? '').requests).toMatchObject([{ method: 'POST', body: '{"paid":true}' }]);
  });
});

describe('mailcapWebServer', () => {
  const CONFIG = `import { mailcapWebServer } from 'mailcap/playwright';
export default {
  testDir: 'served',
  fullyParallel: true,
  webServer: [
    mailcapWebServer(),
    { command: 'node app-server.js', wait: { stdout: /(?<APP_URL>http:\\S+)/ }, env: { SMTP: process.env.MAILCAP_SMTP_URL } },
  ],
};`;
  const SERVER = `import { createServer } from 'node:http';
import nodemailer from 'nodemailer';
const transport = nodemailer.createTransport(process.env.SMTP);
const server = createServer(async (request, response) => {
  const to = new URL(request.url, 'http://x').searchParams.get('to');
  await transport.sendMail({ from: 'app@shop.test', to, subject: 'Code', text: 'Your code is 481516.' });
  response.end();
}).listen(0, () => console.log('http://127.0.0.1:' + server.address().port));`;
  const SPEC = `import { expect, test } from 'mailcap/playwright';
for (let i = 0; i < 4; i++) test('mail ' + i, async ({ mailbox, mailcap }) => {
  await fetch(process.env.APP_URL + '/?to=' + mailbox.address);
  expect(await mailbox.waitForCode()).toBe('481516');
  expect((await mailcap.server()).url).toBe(process.env.MAILCAP_URL);
});`;

  beforeAll(async () => {
    await project.write('served/playwright.config.js', CONFIG.replace("testDir: 'served',", "testDir: '.',"));
    await project.write('served/app-server.js', SERVER);
    await project.write('served/served.spec.js', SPEC);
  });

  test.each([[[]], [['--shard=2/2']]])(
    'starts one server on free ports for the app and the workers %s',
    async (more) => {
      const report = await playwright(['--config', 'served/playwright.config.js', '--workers=2', ...more]);
      expect(failuresOf(report)).toEqual([]);
      expect(report.stats.expected).toBe(more.length === 0 ? 4 : 2);
      expect(await project.servers()).toEqual([]);
    },
    60_000,
  );

  test('starts nothing where MAILCAP_URL is set', async () => {
    await using mailcap = await startServer({ starttls: 'off' });
    const { host, port } = mailcap.smtp;
    const env = {
      MAILCAP_URL: mailcap.url,
      MAILCAP_API_KEY: mailcap.apiKey,
      MAILCAP_SMTP_URL: `smtp://${host}:${port}`,
    };
    const report = await playwright(['--config', 'served/playwright.config.js', '--workers=1'], env);
    expect(failuresOf(report)).toEqual([]);
    expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
  }, 60_000);
});

describe('a server does not outlive its runner', () => {
  const HANGS = `import { test } from 'mailcap/playwright';
test('hangs', async ({ mailbox }) => {
  console.log('it has ' + mailbox.address);
  await new Promise(() => {});
});`;

  test.each([
    ['of a worker', 'worker', 'SIGKILL'],
    ['of a worker', 'worker', 'SIGINT'],
    ['of the config', 'config', 'SIGKILL'],
    ['of the config', 'config', 'SIGINT'],
  ] as const)(
    '%s (%s), by %s',
    async (_of, where, signal) => {
      await project.write('hangs/hangs.spec.js', HANGS);
      const webServer = where === 'config' ? 'mailcapWebServer()' : '[]';
      await project.write(
        'hangs/playwright.config.js',
        `import { mailcapWebServer } from 'mailcap/playwright';\nexport default { webServer: ${webServer} };`,
      );
      const { child, exit } = project.node([
        PLAYWRIGHT,
        'test',
        '--config',
        'hangs/playwright.config.js',
        '--reporter=line',
      ]);
      let stdout = '';
      child.stdout?.on('data', (text) => (stdout += text));
      await until(() => stdout.includes('it has user@'), 'a test with a mailbox');
      expect((await project.servers()).length).toBeGreaterThan(0);
      child.kill(signal);
      await exit;
      await until(async () => (await project.servers()).length === 0, 'the server gone');
    },
    60_000,
  );
});
