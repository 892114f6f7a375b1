import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mailcap.ts';
import {
  failuresOf,
  installOldest,
  makePlaywrightProject,
  OLDEST,
  PLAYWRIGHT,
  playwright,
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
  expect(process.env.MAILCAP_SMTP_URL).toBe('smtp://' + host + ':' + port);
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

  test.each([[[]], [['--shard=2/2']]])(
    'starts one server on free ports for the app and the workers %s',
    async (more) => {
      const args = ['--config', 'served/playwright.config.js', '--workers=2', ...more];
      const report = await playwright(project, args, { APP_URL: appUrl });
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

  test.each([
    ['of a worker', 'worker', 'SIGKILL'],
    ['of a worker', 'worker', 'SIGINT'],
    ['of a worker', 'worker', 'SIGTERM'],
    ['of the config', 'config', 'SIGKILL'],
    ['of the config', 'config', 'SIGINT'],
    ['of the config', 'config', 'SIGTERM'],
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

  test.each([
    ['process.exit', 'process.exit(3);'],
    ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
    ['an error that nothing catches', "setTimeout(() => { throw new Error('lost'); });"],
  ])(
    'a worker ended by %s fails its test alone',
    async (_by, ends) => {
      await project.write(
        'ends/ends.spec.js',
        `import { expect, test } from 'mailcap/playwright';
import { send } from '../app.js';
test('ends', async ({ mailbox }) => {
  ${ends}
  await mailbox.waitForMessage();
});
test('goes on', async ({ mailbox }) => {
  await send(mailbox.address, 'Code', 'Your code is 100001');
  expect(await mailbox.waitForCode()).toBe('100001');
});`,
      );
      const report = await playwright(project, ['ends/', '--workers=1']);
      expect(failuresOf(report).filter((line) => !line.startsWith('ends: '))).toEqual([]);
      expect(report.stats).toMatchObject({ expected: 1, unexpected: 1 });
      await until(async () => (await project.servers()).length === 0, 'the server gone');
    },
    60_000,
  );
});

test('shards that run at once, with many workers, retries and repetitions, share a server and leave nothing in it', async () => {
  await using mailcap = await startServer({ starttls: 'off' });
  await project.write('many/many.spec.js', MANY);
  await project.write('many/playwright.config.js', 'export default { fullyParallel: true, retries: 1 };');
  const { host, port } = mailcap.smtp;
  const env = {
    MAILCAP_URL: mailcap.url,
    MAILCAP_API_KEY: mailcap.apiKey,
    MAILCAP_SMTP_URL: `smtp://${host}:${port}`,
  };
  const shard = (which: string) => {
    const args = ['--config', 'many/playwright.config.js', '--workers=4', '--repeat-each=5', `--shard=${which}`];
    return playwright(project, [...args, `--output=many/results-${which[0]}`], env);
  };
  const reports = await Promise.all([shard('1/2'), shard('2/2')]);
  const failures = reports.flatMap(failuresOf);
  expect(failures.filter((line) => !line.startsWith('at the second attempt: '))).toEqual([]);
  const total = (of: 'expected' | 'flaky' | 'unexpected') => reports.reduce((sum, { stats }) => sum + stats[of], 0);
  expect([total('expected'), total('flaky'), total('unexpected')]).toEqual([20, 5, 0]);
  expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
}, 120_000);
