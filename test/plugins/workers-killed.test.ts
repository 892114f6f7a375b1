import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/mailcap.ts';
import { byDay } from '../support/night.ts';
import { makePlaywrightProject, PLAYWRIGHT, playwright } from './playwright-project.ts';
import type { Project } from './project.ts';
import { VITEST } from './vitest-project.ts';

// The server belongs to another process and keeps running.

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

const env = () => ({ MAILCAP_URL: mailcap.url, MAILCAP_API_KEY: mailcap.apiKey });

async function workspaces(): Promise<string[]> {
  const all: { name: string }[] = JSON.parse(await (await mailcap.api('/_mailcap/workspaces')).text());
  return all.map(({ name }) => name);
}

const testOf = (runner: string, body: string) => `import { expect, test } from 'mailcap/${runner}';
test('mail', async ({ mailbox }) => { expect(mailbox.address).toContain('@'); ${body} });`;

const ENDS = [
  ['an exit', 'process.reallyExit(3);'],
  ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
] as const;

describe.each([
  ['playwright', 'spec', [PLAYWRIGHT, 'test']],
  ['vitest', 'test', [VITEST, 'run', '--pool=forks']],
] as const)('with %s', (runner, kind, program) => {
  test.each(byDay(ENDS, ([by]) => by === 'SIGKILL'))(
    'a worker ended by %s leaves a workspace that the next one deletes',
    async (_by, ends) => {
      await project.write(`killed.${kind}.js`, testOf(runner, ends));
      await project.write(`next.${kind}.js`, testOf(runner, ''));
      const [first] = await workspaces();
      expect((await project.node([...program, 'killed'], env()).exit).code).not.toBe(0);
      expect(await workspaces()).toEqual([first, expect.stringMatching(/ \(process \d+ of [0-9a-f]{16}\)$/)]);
      expect((await project.node([...program, 'next'], env()).exit).code).toBe(0);
      expect(await workspaces()).toEqual([first]);
    },
  );
});

test('workspaces of living processes, of other hosts and with other names stay', async () => {
  await project.write('next.spec.js', testOf('playwright', ''));
  await project.write('mark.spec.js', testOf('playwright', "process.kill(process.pid, 'SIGKILL');"));
  await project.node([PLAYWRIGHT, 'test', 'mark'], env()).exit;
  const [, left = ''] = await workspaces();
  const others = [
    'mine',
    left.replace(/process \d+/, `process ${process.pid}`),
    left.replace(/of [0-9a-f]{16}/, `of ${'0'.repeat(16)}`),
    `${left}, not quite`,
    'playwright worker 0',
  ];
  for (const name of others) await mailcap.api('/_mailcap/workspaces', { json: { name } });
  expect((await playwright(project, ['next'], env())).stats).toMatchObject({ expected: 1 });
  const after = await workspaces();
  expect(after).toEqual(expect.arrayContaining(others));
  expect(after).not.toContain(left);
}, 180_000);
