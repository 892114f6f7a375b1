import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mailcap.ts';
import { byDay, IS_NIGHT } from '../support/night.ts';
import { serverIn } from '../support/server-in.ts';
import {
  failuresOf,
  installOldest,
  makePlaywrightProject,
  OLDEST,
  PLAYWRIGHT,
  playwright,
  type Report,
  resultsOf,
  VERSIONS,
} from './playwright-project.ts';
import { type Project, until } from './project.ts';

/** 4 tests pass at once, and one passes when it is retried. */
const MANY = `import { expect, test } from 'mailcap/playwright';
import { send } from '../app.js';
for (const n of [1, 2, 3, 4]) test('mail ' + n, async ({ mailbox, webhook }) => {
  await expect(mailbox).not.toHaveReceived();
  await send(mailbox.address, 'Code', 'Your code is 10000' + n);
  await fetch(webhook.url, { method: 'POST', body: String(n) });
  expect(await mailbox.waitForCode()).toBe('10000' + n);
  expect((await webhook.waitForRequest()).text()).toBe(String(n));
});
test('at the second attempt', async ({ mailbox }, { retry }) => {
  await expect(mailbox).not.toHaveReceived();
  await send(mailbox.address, 'Code', 'Your code is 100005');
  await mailbox.waitForCode();
  expect(retry).toBe(1);
});
`;

let project: Project;

beforeAll(async () => {
  project = await makePlaywrightProject();
});
afterAll(() => project.remove());

describe.each(VERSIONS)('mailcapWebServer, with the Playwright %s', (version) => {
  const isOldest = version === OLDEST;
  let project: Project;
  let remove = async () => {};
  let appUrl: string;

  const CONFIG = `import { mailcapWebServer } from 'mailcap/playwright';
export default {
  testDir: 'served',
  fullyParallel: true,
  webServer: [
    mailcapWebServer(),
    { command: 'node app-server.js', url: process.env.APP_URL, env: { SMTP: process.env.MAILCAP_SMTP_URL } },
  ],
};`;
  const SERVER = `import { createServer } from 'node:http';
import nodemailer from 'nodemailer';
const transport = nodemailer.createTransport(process.env.SMTP);
createServer(async (request, response) => {
  const to = new URL(request.url, 'http://x').searchParams.get('to');
  if (to) await transport.sendMail({ from: 'app@shop.test', to, subject: 'Code', text: 'Your code is 481516.' });
  response.end();
}).listen(new URL(process.env.APP_URL).port);`;
  const SPEC = `import { expect, test } from 'mailcap/playwright';
for (let i = 0; i < 4; i++) test('mail ' + i, async ({ mailbox, mailcap }) => {
  await fetch(process.env.APP_URL + '/?to=' + mailbox.address);
  expect(await mailbox.waitForCode()).toBe('481516');
  expect((await mailcap.server()).url).toBe(process.env.MAILCAP_URL);
  const { MAILCAP_SMTP_HOST: host, MAILCAP_SMTP_PORT: port } = process.env;
  expect(process.env.MAILCAP_SMTP_URL).toBe('smtp://' + host + ':' + port + (process.env.IN_THE_CLEAR ?? ''));
  expect(process.env.RESEND_BASE_URL).toBe(process.env.MAILCAP_URL + '/providers/resend/');
});`;

  beforeAll(async () => {
    const oldest = isOldest ? await installOldest() : { instead: {}, remove };
    remove = oldest.remove;
    project = await makePlaywrightProject(oldest.instead);
    appUrl = `http://127.0.0.1:${await freePort()}`;
    await project.write('served/playwright.config.js', CONFIG.replace("testDir: 'served',", "testDir: '.',"));
    await project.write('served/app-server.js', SERVER);
    await project.write('served/served.spec.js', SPEC);
  }, 120_000);
  afterAll(async () => {
    await project.remove();
    await remove();
  });

  const SHARDS: (readonly [readonly string[]])[] = [[[]], [['--shard=2/2']]];
  test.each(byDay(SHARDS, ([more]) => more.length === 0))(
    'starts one server on free ports for the app and the workers %s',
    async (more) => {
      const args = ['--config', 'served/playwright.config.js', '--workers=2', ...more];
      const report = await playwright(project, args, { APP_URL: appUrl });
      expect(failuresOf(report)).toEqual([]);
      expect(report.stats.expected).toBe(more.length === 0 ? 4 : 2);
      expect(await project.servers()).toEqual([]);
    },
  );

  test('starts no server if one runs in a directory above, which the app and the tests use', async () => {
    const server = await serverIn(project.directory);
    const report = await playwright(project, ['--config', 'served/playwright.config.js', '--workers=1'], {
      APP_URL: appUrl,
      IN_THE_CLEAR: '?ignoreTLS=true',
    });
    expect(failuresOf(report)).toEqual([]);
    expect(await project.servers()).toEqual([]);
    const mailboxes = await (await fetch(`${server.url}/_mailcap/workspaces`)).json();
    expect(mailboxes).toHaveLength(1);
  }, 180_000);

  test('starts no server if MAILCAP_URL is set', async () => {
    await using mailcap = await startServer({ starttls: 'off' });
    const { host, port } = mailcap.smtp;
    const env = {
      APP_URL: appUrl,
      MAILCAP_URL: mailcap.url,
      MAILCAP_API_KEY: mailcap.apiKey,
      MAILCAP_SMTP_URL: `smtp://${host}:${port}`,
    };
    const report = await playwright(project, ['--config', 'served/playwright.config.js', '--workers=1'], env);
    expect(failuresOf(report)).toEqual([]);
    expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
  }, 180_000);
});

test('a run within a run uses the server of the outer one', async () => {
  const config = `import { mailcapWebServer } from 'mailcap/playwright';
export default { testDir: '.', testMatch: process.env.INNER ? 'inner.js' : 'outer.js', webServer: mailcapWebServer() };`;
  await project.write('nested/playwright.config.js', config);
  await project.write(
    'nested/inner.js',
    `import { expect, test } from 'mailcap/playwright';
test('inner', async ({ mailcap }) => {
  expect((await mailcap.server()).url).toBe(process.env.OUTER);
});`,
  );
  await project.write(
    'nested/outer.js',
    `import { execFileSync } from 'node:child_process';
import { expect, test } from 'mailcap/playwright';
test('outer', async ({ mailcap }) => {
  const { TEST_WORKER_INDEX: _, ...rest } = process.env;
  const env = { ...rest, INNER: '1', OUTER: (await mailcap.server()).url };
  const args = ['${PLAYWRIGHT}', 'test', '--config', 'nested/playwright.config.js', '--reporter=line', '--output=nested/inner-results'];
  expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toContain('1 passed');
});`,
  );
  expect(failuresOf(await playwright(project, ['--config', 'nested/playwright.config.js']))).toEqual([]);
}, 180_000);

describe('a server does not outlive its runner', () => {
  const HANGS = `import { test } from 'mailcap/playwright';
test('hangs', async ({ mailbox }) => {
  console.log('it has ' + mailbox.address);
  await new Promise(() => {});
});`;

  const ENDS = [
    ['of a worker', 'worker', 'SIGKILL'],
    ['of a worker', 'worker', 'SIGINT'],
    ['of a worker', 'worker', 'SIGTERM'],
    ['of the config', 'config', 'SIGKILL'],
    ['of the config', 'config', 'SIGINT'],
    ['of the config', 'config', 'SIGTERM'],
  ] as const;
  // A signal that can not be handled, and the one that takes the way of all others.
  const isHardest = ([, where, signal]: (typeof ENDS)[number]) =>
    signal === (where === 'worker' ? 'SIGKILL' : 'SIGTERM');
  test.each(byDay(ENDS, isHardest))('%s (%s), by %s', async (_of, where, signal) => {
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
  });

  const LOST = [
    ['process.exit', 'process.exit(3);'],
    ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
    ['an error that nothing catches', "setTimeout(() => { throw new Error('lost'); });"],
  ] as const;
  /** One run of all, a file for each. */
  let lost: Promise<Report> | null = null;
  const runLost = async () => {
    for (const [at, [by, ends]] of LOST.entries())
      await project.write(
        `ends/${at}.spec.js`,
        `import { expect, test } from 'mailcap/playwright';
import { send } from '../app.js';
test('ends by ${by}', async ({ mailbox }) => {
  ${ends}
  await mailbox.waitForMessage();
});
test('goes on after ${by}', async ({ mailbox }) => {
  await send(mailbox.address, 'Code', 'Your code is 100001');
  expect(await mailbox.waitForCode()).toBe('100001');
});`,
      );
    return playwright(project, ['ends/', '--workers=1']);
  };

  test.each(LOST)(
    'a worker ended by %s fails its test alone',
    async (by) => {
      lost ??= runLost();
      const report = await lost;
      const failed = new Set(failuresOf(report).map((line) => line.slice(0, line.indexOf(': '))));
      expect([failed.has(`ends by ${by}`), failed.has(`goes on after ${by}`)]).toEqual([true, false]);
      expect(resultsOf(report).get(`goes on after ${by}`)).toMatchObject([{ status: 'passed' }]);
      expect(report.stats).toMatchObject({ expected: LOST.length, unexpected: LOST.length });
      await until(async () => (await project.servers()).length === 0, 'the server gone');
    },
    120_000,
  );
});

test('shards that run at once, with many workers, retries and repetitions, share a server and leave nothing in it', async () => {
  await using mailcap = await startServer({ starttls: 'off' });
  await project.write('many/many.spec.js', MANY);
  await project.write(
    'many/playwright.config.js',
    "export default { fullyParallel: true, retries: 1, use: { mailcapKeep: 'off' } };",
  );
  const { host, port } = mailcap.smtp;
  const env = {
    MAILCAP_URL: mailcap.url,
    MAILCAP_API_KEY: mailcap.apiKey,
    MAILCAP_SMTP_URL: `smtp://${host}:${port}`,
  };
  const rounds = IS_NIGHT ? 5 : 2;
  const shard = (which: string) => {
    const many = ['--workers=4', `--repeat-each=${rounds}`];
    const args = ['--config', 'many/playwright.config.js', ...many, `--shard=${which}`];
    return playwright(project, [...args, `--output=many/results-${which[0]}`], env);
  };
  const reports = await Promise.all([shard('1/2'), shard('2/2')]);
  const failures = reports.flatMap(failuresOf);
  expect(failures.filter((line) => !line.startsWith('at the second attempt: '))).toEqual([]);
  const total = (of: 'expected' | 'flaky' | 'unexpected') => reports.reduce((sum, { stats }) => sum + stats[of], 0);
  expect([total('expected'), total('flaky'), total('unexpected')]).toEqual([4 * rounds, rounds, 0]);
  expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
}, 300_000);
