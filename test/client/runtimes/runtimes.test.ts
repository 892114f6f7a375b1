import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../support/cli.ts';
import { startServer, type TestServer } from '../../support/mailcap.ts';
import { CHROMIUM, lacking } from '../../support/programs.ts';
import { unless } from '../../support/unless.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const JOURNEY = join(import.meta.dirname, 'journey.js');
const exec = promisify(execFile);

const SEEN = {
  code: '481516',
  link: 'https://shop.test/verify?a=1&b=2',
  raw: true,
  statuses: [503, 200],
  json: { paid: true },
  authenticator: true,
  again: 'no_fresh_code',
  missed: ['WaitTimeoutError', true, true],
  pointsHere: true,
  aborted: 'enough',
  gone: [404, 'not_found'],
};

let mailcap: TestServer;

beforeAll(async () => {
  mailcap = await startServer({ limits: 'off' });
});
afterAll(() => mailcap.close());

unless(test, lacking('chromium'))('the bundled client does the same in a browser', async () => {
  const entry = `import * as mailcap from 'mailcap/client'; import { journey } from '${JOURNEY}';
    globalThis.walk = (options) => journey(mailcap, options);`;
  const bundle = await rolldown({
    input: 'entry.js',
    platform: 'browser',
    resolve: { alias: { 'mailcap/client': join(ROOT, 'dist', 'src', 'client', 'index.js') } },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry.js' ? id : null),
        load: (id) => (id === 'entry.js' ? entry : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false });
  await bundle.close();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage();
    // The page must have the server's own origin, because the server refuses others.
    await page.goto(`${mailcap.url}/_mailcap/health`);
    await page.evaluate(output[0].code);
    const options = { baseUrl: mailcap.url, apiKey: mailcap.apiKey, workspaceId: mailcap.workspaceId };
    expect(await page.evaluate(`walk(${JSON.stringify(options)})`)).toEqual({
      ...SEEN,
      pointsHere: expect.any(Boolean),
    });
  } finally {
    await browser.close();
  }
});

// This downloads some 200 MB.
describe('the client of the packed tarball does the same in', () => {
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'mailcap-runtimes-'));
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', project];
    const { stdout } = await exec('npm', pack, { cwd: ROOT });
    await writeFile(join(project, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');
    const runtimes = ['node22@npm:node@22', 'node24@npm:node@24', 'deno@2', 'bun@1'];
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=dev'];
    await exec('npm', ['install', `./${JSON.parse(stdout)[0].filename}`, ...runtimes, ...quietly], { cwd: project });
    await copyFile(JOURNEY, join(project, 'journey.js'));
    await writeFile(
      join(project, 'run.js'),
      `import * as mailcap from 'mailcap/client';
       import { journey } from './journey.js';
       console.log(JSON.stringify(await journey(mailcap, {})));`,
    );
  }, 300_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  test.each([
    ['Node 22', 'node22/bin/node', []],
    ['Node 24', 'node24/bin/node', []],
    ['Deno', 'deno/deno', ['run', '--allow-all']],
    ['Bun', 'bun/bin/bun.exe', []],
  ])('%s', async (_runtime, program, args) => {
    const env = {
      MAILCAP_URL: mailcap.url,
      MAILCAP_API_KEY: mailcap.apiKey,
      MAILCAP_WORKSPACE_ID: mailcap.workspaceId,
    };
    const { stdout, stderr } = await run(join(project, 'node_modules', program), [...args, 'run.js'], {
      cwd: project,
      env,
    }).exit;
    // The time step of a code may be nearly over, which a warning tells.
    expect(
      stderr.split('\n').filter((line) => line !== '' && !/MAILCAP_CODE_WAITS|--trace-warnings/.test(line)),
    ).toEqual([]);
    expect(JSON.parse(stdout)).toEqual(SEEN);
  });

  test.each(['node22', 'node24'])('a server that runs on %s, found by its server.json', async (name) => {
    const node = join(project, 'node_modules', name, 'bin', 'node');
    const bin = join(project, 'node_modules', 'mailcap', 'bin', 'mailcap.js');
    const args = ['dev', '--json', '--port', '0', '--smtp-port', '0', '--limits', 'off'];
    const server = run(node, [bin, ...args], { cwd: project });
    await server.ready();
    const { stdout } = await run(node, ['run.js'], { cwd: project }).exit;
    expect(JSON.parse(stdout)).toEqual(SEEN);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
