import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keeps, whereItIs } from '../../plugins/shared/kept.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { BY_DAY } from '../support/night.ts';
import { unless } from '../support/unless.ts';
import { NO_BROWSER } from '../ui/web/open-inbox.ts';
import { makePlaywrightProject, PLAYWRIGHT } from './playwright-project.ts';
import { type Project, until } from './project.ts';
import { VITEST } from './vitest-project.ts';

// A test that failed keeps its mailboxes on a server that outlives the run, until the next run of the same project.

const TOKEN = 'let-me-in-please-0123456789';
const RUNNERS = {
  playwright: { kind: 'spec', program: [PLAYWRIGHT, 'test', '--workers=1', '--reporter=list', '--timeout=120000'] },
  vitest: { kind: 'test', program: [VITEST, 'run', '--pool=forks', '--testTimeout=120000'] },
} as const;
type Runner = keyof typeof RUNNERS;

/** Two tests that fail and claim the same address, and one that passes. */
const failing = (runner: Runner) => `import { test } from 'mailcap/${runner}';
import { send } from './app.js';
for (const name of ['Ada', 'Bob'])
  test(name, async ({ createMailbox, webhook }) => {
    const mailbox = await createMailbox({ name, addresses: ['seed@email.com'] });
    await send(mailbox.address, 'Welcome ' + name, 'Hello.');
    await fetch(webhook.url, { method: 'POST', body: 'paid' });
    await mailbox.waitForMessage({ subject: 'Welcome' });
    await mailbox.waitForCode({}, { timeout: 100 });
  });
test('Eve', async ({ mailbox }) => { await send(mailbox.address, 'Hello Eve', 'Hello.'); });
`;
const passing = (runner: Runner) => `import { test } from 'mailcap/${runner}';
test('passes', async ({ mailbox }) => { await mailbox.expectNoMessage({}, { for: 1 }); });
`;

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

const environment = () => ({
  CI: '',
  MAILCAP_URL: mailcap.url,
  MAILCAP_API_KEY: mailcap.apiKey,
  MAILCAP_SMTP_URL: `smtp://${mailcap.smtp.host}:${mailcap.smtp.port}`,
});

/** Runs the tests of a file, and returns what they print. */
async function runs(runner: Runner, file: string, env: Readonly<Record<string, string>> = {}, in_ = project) {
  const { kind, program } = RUNNERS[runner];
  const { stdout, stderr } = await in_.node([...program, `${file}.${kind}.js`], { ...environment(), ...env }).exit;
  return stdout + stderr;
}

async function write(runner: Runner, name: string, text: string, to = project) {
  await to.write(`${name}.${RUNNERS[runner].kind}.js`, text);
}

/** Returns the names of the mailboxes of all workspaces but the seeded one, without their random ends. */
async function mailboxes(): Promise<string[]> {
  const all: { name: string }[] = JSON.parse(await (await mailcap.api('/_mailcap/mailboxes')).text());
  return all.map(({ name }) => name.replace(/ [a-z0-9]{12}$/, '')).filter((name) => name !== 'Inbox');
}

const pagesIn = (output: string) => [...new Set(output.match(/http:\/\/\S+\/#\/mail\/\w+/g))];

describe.each(['playwright', 'vitest'] as const)('with %s', (runner) => {
  unless(test, NO_BROWSER)(
    'the URL in the error opens the mailbox after the run, until the next run of the project',
    async () => {
      await write(runner, 'fails', failing(runner));
      await write(runner, 'passes', passing(runner));
      const output = await runs(runner, 'fails');
      const pages = pagesIn(output);
      expect(pages, output).toHaveLength(2);
      expect(output).toContain('until the next run of the tests.');
      expect((await mailboxes()).sort()).toEqual(['Ada', 'Bob']);
      const context = await (await sharedBrowser()).newContext();
      const page = await context.newPage();
      for (const [at, name] of ['Ada', 'Bob'].entries()) {
        await page.goto('about:blank');
        await page.goto(pages[at] ?? '');
        await page.getByRole('option', { name: `Welcome ${name}` }).waitFor();
      }
      await context.close();

      const other = await makePlaywrightProject();
      await write(runner, 'passes', passing(runner), other);
      await runs(runner, 'passes', {}, other);
      await other.remove();
      expect((await mailboxes()).sort()).toEqual(['Ada', 'Bob']);
      await runs(runner, 'passes');
      expect(await mailboxes()).toEqual([]);
      expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
    },
    120_000,
  );

  // By day Vitest stands for both: what differs is the option alone.
  unless(test, runner === 'playwright' ? BY_DAY : null)(
    'nothing is kept in CI, and the error names no URL',
    async () => {
      await write(runner, 'fails', failing(runner));
      const output = await runs(runner, 'fails', { CI: 'true' });
      expect(output).toContain("With mailcapKeep: 'on-failure' it stays until the next run.");
      expect(pagesIn(output)).toEqual([]);
      expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
    },
    60_000,
  );
});

test.each([
  [undefined, '', true],
  [undefined, 'false', true],
  [undefined, 'true', false],
  ['on-failure', 'true', true],
  ['off', '', false],
] as const)('mailcapKeep: %s with CI=%s keeps a failed test: %s', (option, ci, isKept) => {
  vi.stubEnv('CI', ci);
  expect(keeps(option)).toBe(isKept);
  vi.unstubAllEnvs();
});

test('the error says beside the URL that the server ends with the run', () => {
  const page = 'http://127.0.0.1:8025/#/mail/01KAEX';
  const said = whereItIs({ what: 'mailbox', page, isKept: true, ends: 'with the run', isReported: true });
  expect(said).toMatch(`Look at the mailbox at ${page} while the run lasts: its server ends with it.`);
});

test('the next run deletes what a killed run kept', async () => {
  await write('vitest', 'passes', passing('vitest'));
  await write(
    'vitest',
    'hangs',
    `${failing('vitest')}
test('hangs', async ({ mailbox }) => { console.log('it hangs'); await mailbox.waitForMessage({}, { timeout: 50_000 }); }, 60_000);`,
  );
  const { child, exit } = project.node([VITEST, 'run', '--pool=forks', 'hangs'], environment());
  let output = '';
  child.stdout?.on('data', (text) => (output += text));
  await until(() => output.includes('it hangs'), 'a test that hangs');
  child.kill('SIGKILL');
  await exit;
  expect((await mailboxes()).sort()).toEqual(expect.arrayContaining(['Ada', 'Bob']));
  // The worker sees that its run is gone.
  await until(async () => {
    await runs('vitest', 'passes');
    return (await mailboxes()).length === 0;
  }, 'no mailbox of the killed run');
}, 120_000);

test('a server that the run started ends with it, and the error says so in place of a URL', async () => {
  await write('vitest', 'fails', failing('vitest'));
  const output = await runs('vitest', 'fails', { MAILCAP_URL: '', MAILCAP_API_KEY: '', MAILCAP_SMTP_URL: '' });
  expect(output).toContain('because the run has a server of its own');
  expect(output).toContain('On a server that runs before the tests (`npx mailcap dev`), it stays until the next run.');
  expect(pagesIn(output)).toEqual([]);
}, 60_000);

unless(test, NO_BROWSER)(
  'with an admin token the URL leads to the sign-in, and then to the mailbox',
  async () => {
    await mailcap.close();
    mailcap = await startServer({ starttls: 'off', host: '0.0.0.0', adminToken: TOKEN });
    await write('vitest', 'fails', failing('vitest'));
    const output = await runs('vitest', 'fails', {
      MAILCAP_ADMIN_TOKEN: TOKEN,
      MAILCAP_SMTP_URL: `smtp://127.0.0.1:${mailcap.smtp.port}`,
    });
    const [first = ''] = pagesIn(output);
    expect(first, output).toContain('/#/mail/');
    const context = await (await sharedBrowser()).newContext();
    const page = await context.newPage();
    await page.goto(first);
    await page.getByLabel('Admin token').fill(TOKEN);
    await page.getByRole('button', { name: 'Open the inbox' }).click();
    await page.getByRole('option', { name: 'Welcome Ada' }).waitFor();
    await context.close();
  },
  60_000,
);
