import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Exit, type Run, run, temporaryDirectory } from '../support/cli.ts';
import { packed } from '../support/packed.ts';
import { blocksOf, onPorts } from '../support/pages.ts';
import { runs } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { WALKED_SENTENCES, type WalkedSentence } from './walked-sentences.ts';

// Somebody who knows nothing walks through the README and the pages that it names, with the package and npm alone. Each
// step is what the installed page says: its code block, or the names and commands of its sentence. A step that says
// something untrue fails.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const QUIET = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

let tarball: string;
beforeAll(async () => {
  tarball = await packed();
}, 120_000);

/** A directory with an empty package.json, as a newcomer begins. */
async function newProject(manifest: object = {}): Promise<string> {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'package.json'), `${JSON.stringify({ name: 'newcomer', private: true, ...manifest })}\n`);
  return cwd;
}

/** Runs a line of a page in a shell, with the package of this build in the place of the published one. */
async function typed(cwd: string, line: string, env: Readonly<Record<string, string>> = {}): Promise<Exit> {
  const local = line.replace(/(npm install\b.*?\s)mailcap\b/, `$1${tarball}`);
  const exit = await run('bash', ['-euo', 'pipefail', '-c', local], { cwd, env: { ...QUIET, ...env } }).exit;
  expect(exit, `${line}\n${exit.stdout}${exit.stderr}`).toMatchObject({ code: 0 });
  return { ...exit, stdout: stripVTControlCharacters(exit.stdout) };
}

/** Returns a page of the installed package. */
const pageIn = (cwd: string, path: string) => readFile(join(cwd, 'node_modules', 'mailcap', path), 'utf8');

async function blockIn(cwd: string, path: string, mark: string): Promise<string> {
  const [only, ...others] = blocksOf(await pageIn(cwd, path)).filter((block) => block.mark === mark);
  if (only === undefined || others.length > 0) throw new Error(`${path} has not one block ${mark}`);
  return only.text;
}

/** Returns what the groups of a pattern match in a page. Throws if the page no longer says it. */
async function saidIn(cwd: string, { page, sentence }: WalkedSentence): Promise<string[]> {
  const found = sentence.exec(await pageIn(cwd, page));
  if (found === null) throw new Error(`${page} does not say ${sentence}`);
  return found.slice(1);
}

/** Installs the package as the README says. */
async function installed(manifest: object = {}): Promise<string> {
  const cwd = await newProject(manifest);
  await typed(cwd, 'npm install --save-dev mailcap');
  const [install] = (await blockIn(cwd, 'README.md', 'install')).split('\n');
  expect(install).toBe('npm install --save-dev mailcap');
  return cwd;
}

/** Starts the server by a command of a page, on free ports, and waits until it is ready. */
async function started(cwd: string, command: string): Promise<Run & { url: string; smtpPort: number }> {
  const env = { MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0', MAILCAP_JSON: '1' };
  const server = run('bash', ['-c', `exec ${command.replace('npx ', 'node_modules/.bin/')}`], { cwd, env });
  onTestFinished(() => void server.child.kill());
  return Object.assign(server, await server.ready());
}

test('the first minute: install, start, send, show, and only the code', async () => {
  const cwd = await installed();
  const [, start = ''] = (await blockIn(cwd, 'README.md', 'install')).trim().split('\n');
  await started(cwd, start);
  const { stdout } = await typed(cwd, await blockIn(cwd, 'README.md', 'first'));
  expect(stdout).toMatch(/^Welcome\n[\s\S]*Your code is 481516\.\n481516\n$/);
  expect((await typed(cwd, 'npx mailcap docs wait for a code')).stdout).toContain(
    'cli#wait-for-mail-in-a-shell-script',
  );
});

test('an app in Python sends by SMTP, and the shell reads its code', async () => {
  const cwd = await installed();
  const server = await started(cwd, 'npx mailcap dev');
  const [host = '', port = ''] = await saidIn(cwd, WALKED_SENTENCES.smtp);
  const address = onPorts(server, `${host}:${port}`);
  await writeFile(
    join(cwd, 'sign-up.sh'),
    `#!/usr/bin/env python3
import smtplib, sys
from email.message import EmailMessage
host, port = ${JSON.stringify(address)}.split(':')
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'app@example.com', sys.argv[1], 'Your code'
mail.set_content('Your code is 902817.')
with smtplib.SMTP(host, int(port)) as smtp:
    smtp.send_message(mail)
`,
    { mode: 0o755 },
  );
  const { stdout } = await typed(cwd, `${await blockIn(cwd, 'README.md', 'shell')}\necho "$code"`);
  expect(stdout).toBe('902817\n');
});

test('a suite with Playwright, by the README', async () => {
  const cwd = await installed();
  const [file = '', further = '', command = ''] = await saidIn(cwd, WALKED_SENTENCES.playwright);
  await typed(cwd, `npm install --save-dev @playwright/test ${further}`);
  await writeFile(join(cwd, file), await blockIn(cwd, 'README.md', 'playwright'));
  expect((await typed(cwd, command)).stdout).toContain('1 passed');
});

test('a suite with Vitest, by its page, and code that reads its environment when it is loaded', async () => {
  const cwd = await installed({ type: 'module' });
  const [install = ''] = await saidIn(cwd, WALKED_SENTENCES.vitest);
  await typed(cwd, `${install} vitest`);
  const [first] = blocksOf(await pageIn(cwd, 'docs/vitest.md')).filter(({ mark }) => mark === 'vitest');
  await writeFile(join(cwd, 'receipt.test.js'), first?.text ?? '');
  await writeFile(join(cwd, 'app.js'), 'export const address = process.env.MAILCAP_SMTP_URL;\n');
  await writeFile(
    join(cwd, 'app.test.js'),
    "import { expect, test } from 'vitest';\nimport { address } from './app.js';\ntest('knows', () => expect(address).toMatch(/^smtp:/));\n",
  );
  await writeFile(join(cwd, 'vitest.config.js'), await blockIn(cwd, 'docs/vitest.md', 'vitestconfig'));
  expect((await typed(cwd, 'npx vitest run')).stdout).toContain('2 passed');
});

test('`mailcap init` in a project with Playwright and Vitest: both first tests pass, and neither runs the other', async () => {
  const cwd = await newProject({ type: 'module' });
  await typed(cwd, 'npm install --save-dev mailcap @playwright/test vitest');
  const [command = ''] = await saidIn(cwd, WALKED_SENTENCES.init);
  const { stdout } = await typed(cwd, `${command} --yes`);
  const runs = [...stdout.matchAll(/^ {2}(npx \S.*)$/gm)].map(([, line = '']) => line);
  expect(runs).toHaveLength(2);
  for (const line of [...runs, 'npx playwright test', 'npx vitest run'])
    expect((await typed(cwd, line)).stdout, line).toMatch(/\b1 passed/);
  expect((await typed(cwd, `${command} --yes`)).stdout).toContain('There is nothing to change.');
});

test("`mailcap init` with Yarn's Plug'n'Play: a server of its own and one of the run", async () => {
  const yarn = await newProject();
  await typed(yarn, 'npm install @yarnpkg/cli-dist@4');
  const cwd = await newProject();
  await writeFile(join(cwd, 'yarn.lock'), '');
  const ca = process.env['NODE_EXTRA_CA_CERTS'];
  const env = {
    PATH: `${join(yarn, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
    YARN_ENABLE_GLOBAL_CACHE: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_ENABLE_TELEMETRY: '0',
    // Yarn takes an empty path for the project's directory.
    ...(ca === undefined ? {} : { YARN_HTTPS_CA_FILE_PATH: ca }),
  };
  await typed(cwd, `yarn add --dev mailcap@file:${tarball} nodemailer @playwright/test`, env);
  const { stdout } = await typed(cwd, 'yarn mailcap init --yes', env);
  const [first = ''] = /yarn playwright test \S+/.exec(stdout) ?? [];
  expect((await typed(cwd, first, env)).stdout).toContain('1 passed');
  await typed(cwd, 'yarn mailcap dev --detach', { ...env, MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0' });
  try {
    expect((await typed(cwd, first, env)).stdout).toContain('1 passed');
    const received = JSON.parse((await typed(cwd, 'yarn mailcap api listRuns', env)).stdout);
    expect(received).toMatchObject([{ runner: 'playwright', passed: 1 }]);
  } finally {
    await typed(cwd, 'yarn mailcap stop', env);
  }
});

test('a suite with Mocha, by its page, also in parallel', async () => {
  const cwd = await installed();
  await typed(cwd, 'npm install --save-dev mocha nodemailer');
  const { page } = WALKED_SENTENCES.mocha;
  const [hooks = '', settings = '', config = ''] = await saidIn(cwd, WALKED_SENTENCES.mocha);
  await writeFile(join(cwd, hooks), await blockIn(cwd, page, 'mochahooks'));
  await writeFile(join(cwd, config), settings);
  await mkdir(join(cwd, 'test'));
  for (const name of ['one', 'two'])
    await writeFile(join(cwd, 'test', `${name}.test.js`), await blockIn(cwd, page, 'mocha'));
  for (const command of ['npx mocha', 'npx mocha --parallel'])
    expect((await typed(cwd, command)).stdout, command).toContain('2 passing');
});

test('the example of the client runs on Bun and Deno, with a server of bunx', async () => {
  const cwd = await newProject({ type: 'module' });
  // The runtimes come from npm, beside the project.
  const runtimes = await newProject();
  await typed(runtimes, 'npm install bun@1 deno@2');
  const [bun = '', bunx = '', deno = ''] = ['bun/bin/bun.exe', 'bun/bin/bunx.exe', 'deno/deno'].map((program) =>
    join(runtimes, 'node_modules', program),
  );
  await typed(cwd, `${bun} add --dev ${tarball} nodemailer`);
  const server = await started(cwd, `${bunx} mailcap dev`);
  // It is a process of its own, which outlives bunx.
  onTestFinished(async () => void (await typed(cwd, 'npx mailcap stop')));
  const page = await pageIn(cwd, 'docs/client.md');
  const [example] = blocksOf(page).filter(({ text }) => text.includes("from 'mailcap/client'"));
  const [output] = blocksOf(page).filter(({ mark }) => mark === 'output');
  await writeFile(join(cwd, 'example.js'), onPorts(server, example?.text ?? ''));
  for (const runtime of [bun, `${deno} run --allow-all`])
    expect((await typed(cwd, `${runtime} example.js`)).stdout, runtime).toBe(output?.text);

  // A test for node:test starts a server of its own.
  await writeFile(join(cwd, 'code.test.mjs'), await blockIn(cwd, 'docs/client.md', 'node'));
  const [ofBun = '', ofDeno = ''] = await saidIn(cwd, WALKED_SENTENCES.bunAndDeno);
  const tested = [ofBun.replace('bun', bun), `${ofDeno.replace('deno', deno)} code.test.mjs`];
  for (const command of tested) await typed(cwd, command);
});

unless(test, runs('python3', ['-m', 'pytest', '--version']) ? null : 'pytest is not here')(
  'a suite with pytest, by its page, with the variables of `env`',
  async () => {
    const cwd = await installed();
    await started(cwd, 'npx mailcap dev');
    await writeFile(join(cwd, 'conftest.py'), await blockIn(cwd, 'docs/other-runners.md', 'conftest'));
    await writeFile(join(cwd, 'test_code.py'), await blockIn(cwd, 'docs/other-runners.md', 'pytest'));
    const [variables = ''] = await saidIn(cwd, WALKED_SENTENCES.pytest);
    const { stdout } = await typed(cwd, `${variables}\npython3 -m pytest -p no:cacheprovider`);
    expect(stdout).toContain('1 passed');
  },
);

test('Docker: the app and the tests in other places than the server, by the addresses that `env` prints', async () => {
  const cwd = await installed();
  const docker = blocksOf(await pageIn(cwd, 'docs/docker.md')).filter(({ mark }) => mark === 'docker');
  const start = docker.find(({ text }) => /^npx mailcap dev /.test(text))?.text.trim() ?? '';
  const told = docker.find(({ text }) => text.includes('mailcap env'))?.text ?? '';
  const [, print = '', host = '', file = ''] = /^(npx mailcap env --host (\S+)) > (\S+)$/m.exec(told) ?? [];
  expect([start, told]).toEqual([expect.stringContaining('--host'), expect.stringContaining(`--env-file ${file}`)]);
  await started(cwd, start);
  // Without an engine, the address of this machine in its network stands for the name that containers know.
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const elsewhere = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';
  await typed(cwd, `${print.replace(host, elsewhere)} > ${file}`);
  const env = parseEnv(await readFile(join(cwd, file), 'utf8'));
  expect(env['MAILCAP_URL']).toContain(elsewhere);

  const inside = await installed({ type: 'module' });
  await typed(inside, 'npm install --save-dev vitest nodemailer');
  const [test] = blocksOf(await pageIn(inside, 'docs/vitest.md')).filter(({ mark }) => mark === 'vitest');
  await mkdir(join(inside, 'test'));
  await writeFile(join(inside, 'test', 'receipt.test.js'), test?.text ?? '');
  const given = Object.fromEntries(Object.entries(env).map(([name, value = '']) => [name, value]));
  expect((await typed(inside, 'npx vitest run', given)).stdout).toContain('1 passed');
  const received = JSON.parse((await typed(cwd, 'npx mailcap api listRuns')).stdout);
  expect(received).toMatchObject([{ runner: 'vitest', passed: 1, failed: 0 }]);
});
