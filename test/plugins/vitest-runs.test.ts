import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { serverIn } from '../support/server-in.ts';
import { makeProject, type Project, until } from './project.ts';
import { VITEST } from './vitest-project.ts';

// A busy machine may need more than Vitest's five seconds for the first mail.
const CONFIG = "export default { test: { globalSetup: 'mailcap/vitest/global-setup', testTimeout: 120_000 } };";

/** Test files share one worker and run in turn; tests run concurrently. */
const SHARED = ['--no-isolate', '--no-file-parallelism', '--sequence.concurrent'];

// The app reads its environment during import, as apps do.
const APP = `import nodemailer from 'nodemailer';
const transport = nodemailer.createTransport(process.env.MAILCAP_SMTP_URL);
export const send = (to) => transport.sendMail({ from: 'app@shop.test', to, subject: 'Code', text: 'Your code is 481516.' });
`;
const TEST = `import { inject } from 'vitest';
import { expect, test } from 'mailcap/vitest';
import { send } from '../app.js';
test('mail', async ({ mailbox, mailcap }) => {
  await send(mailbox.address);
  expect(await mailbox.waitForCode()).toBe('481516');
  expect((await mailcap.server()).url).toBe(process.env.MAILCAP_URL);
  console.log('server ' + process.env.MAILCAP_URL);
});
`;
const HANGS = `import { test } from 'mailcap/vitest';
test('hangs', async ({ mailbox }) => {
  console.log('it has ' + mailbox.address);
  await mailbox.waitForMessage({}, { timeout: 55_000 });
}, 180_000);
`;

const FAILS = `import { expect, test } from 'mailcap/vitest';
test('fails', async ({ mailbox }) => { expect(mailbox.address).toBe('another'); });
`;

let project: Project;

beforeAll(async () => {
  project = await makeProject();
  await project.write('vitest.config.js', CONFIG);
  await project.write('app.js', APP);
  await project.write('a/mail.test.js', TEST);
  await project.write('a/more.test.js', TEST);
  await project.write('b/hangs.test.js', HANGS);
  await project.write('c/hangs.test.js', HANGS);
  await project.write('d/fails.test.js', FAILS);
});
afterAll(() => project.remove());

describe('mailcap/vitest/global-setup', () => {
  test('the error of a test says of its page that it is there while the run lasts', async () => {
    const { code, stdout, stderr } = await project.node([VITEST, 'run', 'd/']).exit;
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/The test in the web inbox while the run lasts: http:\S+\/#\/runs\//);
  });

  const POOLS = ['--pool=threads', '--pool=forks', '--pool=vmThreads', '--pool=vmForks', ...SHARED];
  test.each(byDay(POOLS, (option) => option === '--no-isolate'))(
    'starts one server for all files of a run, with %s',
    async (option) => {
      const { code, stdout, stderr } = await project.node([VITEST, 'run', 'a/', option]).exit;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(new Set(stdout.match(/server http:\S+/g)).size).toBe(1);
      expect(stdout.match(/server http:\S+/g)).toHaveLength(2);
      expect(await project.servers()).toEqual([]);
    },
  );

  const OTHERS = ['--pool=forks', '--pool=vmThreads', ...SHARED];
  test.each(byDay(OTHERS, (option) => option === '--pool=forks'))(
    'uses the server at MAILCAP_URL, and leaves nothing there, with %s',
    async (option) => {
      await using mailcap = await startServer();
      const env = { MAILCAP_URL: mailcap.url, MAILCAP_API_KEY: mailcap.apiKey };
      const { code, stdout } = await project.node([VITEST, 'run', 'a/', option], env).exit;
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`server ${mailcap.url}`) });
      expect(await (await mailcap.api('/_mailcap/workspaces')).json()).toHaveLength(1);
    },
  );

  test('uses the server that runs in the directory, and leaves nothing there', async () => {
    const server = await serverIn(project.directory);
    const { code, stdout } = await project.node([VITEST, 'run', 'a/']).exit;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`server ${server.url}`) });
    expect(await (await fetch(`${server.url}/_mailcap/workspaces`)).json()).toHaveLength(1);
    await server.close();
  });

  test('keeps its server for the reruns of watch mode, until another config has one of its own', async () => {
    const watch = project.node([VITEST, '--watch', 'a/mail'], { CI: '' });
    let stdout = '';
    watch.child.stdout?.on('data', (text) => (stdout += text));
    const runs = () => stdout.match(/server http:\S+/g) ?? [];
    await until(() => runs().length === 1 && stdout.includes('Waiting for file changes'), 'a first run');
    await project.write('a/mail.test.js', `${TEST}\n// changed`);
    await until(() => runs().length === 2, 'a second run');
    expect(new Set(runs()).size).toBe(1);
    await project.write('vitest.config.js', `${CONFIG}\n// changed`);
    await until(() => runs().length === 3, 'a run with the changed config');
    expect(new Set(runs()).size).toBe(2);
    // A process that is about to start another program still has its parent's name.
    await until(async () => (await project.servers()).length === 1, 'one server');
    await watch.stop();
    await until(async () => (await project.servers()).length === 0, 'the server gone');
  }, 180_000);
});

describe('a server does not outlive its runner', () => {
  const ENDS = [
    ['of a global setup', 'b/', 'SIGKILL'],
    ['of a global setup', 'b/', 'SIGINT'],
    ['of a worker', 'c/', 'SIGKILL'],
  ] as const;
  test.each(byDay(ENDS, ([of, , signal]) => of === 'of a global setup' && signal === 'SIGKILL'))(
    '%s (%s), by %s',
    async (_of, directory, signal) => {
      if (directory === 'c/') await rm(join(project.directory, 'vitest.config.js'), { force: true });
      const { child, exit } = project.node([VITEST, 'run', directory]);
      let stdout = '';
      child.stdout?.on('data', (text) => (stdout += text));
      await until(() => stdout.includes('it has user@'), 'a test with a mailbox');
      await until(async () => (await project.servers()).length === 1, 'one server');
      child.kill(signal);
      await exit;
      await until(async () => (await project.servers()).length === 0, 'the server gone');
    },
  );
});
