import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig, variableOf } from '../src/config/load.ts';
import { OPTIONS } from '../src/config/options.ts';
import { BIN, temporaryDirectory } from './support/cli.ts';
import { DOCKERFILE, imageConfig } from './support/dockerfile.ts';
import { blockOf, readPage } from './support/pages.ts';
import { lacking } from './support/programs.ts';
import { unless } from './support/unless.ts';

// Tests the CI examples of the README and of docs/ci.md, and compose.yaml.

const COMPOSE = readFileSync(join(import.meta.dirname, '..', 'compose.yaml'), 'utf8');
const OPTION_NAMES = Object.keys(OPTIONS).map(variableOf);
/** The environment variables that clients and fixtures read (docs/cli.md#variables). */
const CLIENT_NAMES = [
  'MAILCAP_URL',
  'MAILCAP_API_KEY',
  'MAILCAP_WORKSPACE_ID',
  'MAILCAP_SMTP_URL',
  'MAILCAP_ADMIN_TOKEN',
];
const exec = promisify(execFile);

// The schema refuses a value that YAML does not read as text, such as `off` without quotes.
const Variables = z.record(z.string(), z.string());
const Container = z.strictObject({ image: z.string(), ports: z.array(z.string()), env: Variables });
const Step = z.strictObject({
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  run: z.string().optional(),
});
const Workflow = z.strictObject({
  jobs: z.strictObject({
    test: z.strictObject({
      'runs-on': z.string(),
      services: z.strictObject({ mailcap: Container }).optional(),
      env: Variables.optional(),
      steps: z.array(Step),
    }),
  }),
});
const Matrix = z.object({
  jobs: z.object({ tests: z.object({ strategy: z.object({ matrix: z.object({ part: z.array(z.number()) }) }) }) }),
});
/** The part of a workflow of this repository that tests look at. */
const OurWorkflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      /** A workflow that is the whole job. Such a job has no steps. */
      uses: z.string().optional(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })).default([]),
    }),
  ),
});
const WORKFLOWS = join(import.meta.dirname, '..', '.github', 'workflows');
const Compose = z.strictObject({
  services: z.strictObject({
    mailcap: z.strictObject({
      build: z.literal('.'),
      ports: z.array(z.string()),
      environment: Variables,
      volumes: z.array(z.string()),
      read_only: z.boolean(),
      tmpfs: z.array(z.string()),
      restart: z.string(),
      stop_grace_period: z.string(),
    }),
  }),
  volumes: z.strictObject({ mailcap: z.null() }),
});

test('the service container gets options that mailcap dev takes, and the job gets the variables that its clients read', async () => {
  const { services, env = {} } = jobOf('service');
  const { ports, env: options } = Container.parse(services?.mailcap);
  await expectOptions(options);
  expect(Object.keys(env).filter((name) => !CLIENT_NAMES.includes(name))).toEqual([]);
  expect(env).toMatchObject({
    MAILCAP_URL: `http://127.0.0.1:${OPTIONS.port.default}`,
    MAILCAP_SMTP_URL: `smtp://127.0.0.1:${OPTIONS.smtpPort.default}`,
    MAILCAP_API_KEY: options['MAILCAP_API_KEY'],
    MAILCAP_ADMIN_TOKEN: options['MAILCAP_ADMIN_TOKEN'],
  });
  expect(ports).toEqual(imageConfig(DOCKERFILE).ports.map((port) => `${port}:${port}`));
});

unless(test, lacking('bash'))(
  'the steps without a container start a server, and run tests that find it',
  async () => {
    const steps = jobOf('npx').steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect([steps[0], steps.at(-1)]).toEqual(['npm ci', 'npm test']);
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, 'node_modules', '.bin'), { recursive: true });
    await symlink(BIN, join(cwd, 'node_modules', '.bin', 'mailcap'));
    await writeFile(join(cwd, 'package.json'), '{ "scripts": { "test": "mailcap health" } }');

    const [port, smtpPort] = await freePorts();
    const end = `kill $(node -p "require('./.mailcap/server.json').pid")`;
    const script = [`trap '${end.replaceAll("'", `'\\''`)}' EXIT`, ...steps.slice(1)].join('\n');
    const env = { ...process.env, MAILCAP_PORT: String(port), MAILCAP_SMTP_PORT: String(smtpPort) };
    const { stdout } = await exec('bash', ['-e', '-c', script], { cwd, env, timeout: 60_000 });
    expect(stdout).toContain(`http://127.0.0.1:${port}`);
    expect(stdout).toContain('"status":"ok"');
  },
  180_000,
);

test('CI runs .ci/run, and the night runs what check:all runs, its tests in parts', () => {
  const runsOf = (name: string, job: string) => {
    const { jobs } = OurWorkflow.parse(parse(readFileSync(join(WORKFLOWS, `${name}.yml`), 'utf8')));
    return jobs[job]?.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  };
  expect(runsOf('ci', 'check')).toEqual(['sudo --preserve-env=PATH .ci/run']);
  const { parts: indexes, count } = partsOfNight();
  expect(indexes).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  expect(runsOf('night', 'tests')).toEqual([
    'sudo .ci/programs',
    'npm ci',
    `sudo --preserve-env=PATH NEED_ALL_PROGRAMS=1 npm run test:night -- --shard=\${{ matrix.part }}/${count}`,
  ]);
  const { scripts } = z.object({ scripts: Variables }).parse(JSON.parse(readPage('package.json')));
  const parts = (name: string) => (scripts[name] ?? '').split(' && ');
  expect(parts('test:night')).toEqual(parts('test').map(atNight));
  expect(parts('test:night')).toContain('vitest run --mode night');
  // Beside the tests, the night checks what .ci/run checks. It runs the compiler by itself too, because oxlint's check of
  // types is experimental.
  const [lint, types, tests, packed] = [
    'npm run lint',
    'npm run typecheck',
    'npm run test:night',
    'npm run pack:check',
  ];
  expect(parts('check')).toEqual([lint, 'npm test', packed]);
  expect(parts('check:all')).toEqual([lint, types, tests, packed]);
  expect(runsOf('night', 'checks')).toEqual(['npm ci', lint, types, 'npm run build', packed]);
});

/** Returns the parts into which the workflow of the night divides the tests, and of how many each says it is one. */
function partsOfNight(): { parts: unknown; count: number } {
  const night = readFileSync(join(WORKFLOWS, 'night.yml'), 'utf8');
  const { jobs } = Matrix.parse(parse(night));
  const [, count] = /--shard=\$\{\{ matrix\.part \}\}\/(\d+)/.exec(night) ?? [];
  return { parts: jobs.tests.strategy.matrix.part, count: Number(count) };
}

test('each workflow names each action by a commit, and all of them the same one', () => {
  const commits = new Map<string, Set<string>>();
  for (const file of readdirSync(WORKFLOWS)) {
    const { jobs } = OurWorkflow.parse(parse(readFileSync(join(WORKFLOWS, file), 'utf8')));
    for (const { uses } of Object.values(jobs).flatMap((job) => [job, ...job.steps])) {
      if (uses === undefined || uses.startsWith('./.github/workflows/')) continue;
      const [, action = '', commit = ''] = /^([^@]+)@([0-9a-f]{40})$/.exec(uses) ?? [];
      expect(commit, `${file}: ${uses}`).not.toBe('');
      commits.set(action, (commits.get(action) ?? new Set()).add(commit));
    }
  }
  expect([...commits.keys()]).toContain('actions/checkout');
  for (const [action, found] of commits) expect([...found], action).toHaveLength(1);
});

test('the steps of the README are those of docs/ci.md', () => {
  expect(yaml(blockOf('README.md', 'ci'))).toEqual(jobOf('npx').steps);
});

test('compose.yaml starts the image with its volume and its ports on loopback, and options that mailcap dev takes', async () => {
  const { ports, environment, volumes, stop_grace_period: grace } = Compose.parse(yaml(COMPOSE)).services.mailcap;
  const image = imageConfig(DOCKERFILE);
  expect(ports).toEqual(image.ports.map((port) => `127.0.0.1:${port}:${port}`));
  expect(volumes).toEqual([`mailcap:${image.volume}`]);
  expect(Number.parseInt(grace, 10)).toBeGreaterThan(10);
  const unset = Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]);
  await expectOptions(Object.fromEntries(unset));
});

function atNight(part: string): string {
  return part === 'vitest run' ? 'vitest run --mode night' : part;
}

/** Parses a file that YAML 1.1 and YAML 1.2 must read alike, because we cannot know which version a CI system uses. */
function yaml(text: string): unknown {
  const value: unknown = parse(text, { version: '1.2', strict: true });
  expect(parse(text, { version: '1.1', strict: true })).toEqual(value);
  return value;
}

function jobOf(mark: string) {
  return Workflow.parse(yaml(blockOf('docs/ci.md', mark))).jobs.test;
}

async function expectOptions(variables: Readonly<Record<string, string>>): Promise<void> {
  expect(Object.keys(variables).filter((name) => !OPTION_NAMES.includes(name))).toEqual([]);
  await loadConfig({}, { ...imageConfig(DOCKERFILE).env, ...variables }, await temporaryDirectory(), 'programs');
}

/** Returns free ports. The CI steps use their port numbers before the server listens on them. */
async function freePorts(): Promise<number[]> {
  const probes = [createServer(), createServer()];
  const ports: number[] = [];
  for (const probe of probes) {
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const address = probe.address();
    if (typeof address === 'object' && address !== null) ports.push(address.port);
  }
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}

const FAILED = '\u001b[41m FAIL \u001b[49m \u001b[46m day \u001b[49m test/http/await.test.ts > a wait ends\n';
const OTHER = ' FAIL  processes test/cli/stop.test.ts > SIGTERM > ends it\n';
const TRAP = (file: string) => `test/TRAPS.md names a test of ${file} that did not pass here: a wait ends\n`;

test.each([
  ['', 'passes', 1, []],
  [FAILED + FAILED + OTHER, 'passes', 0, ['day test/http/await.test.ts', 'processes test/cli/stop.test.ts']],
  [FAILED, 'fails', 1, ['day test/http/await.test.ts']],
  [FAILED + TRAP('http/await.test.ts'), 'passes', 0, ['day test/http/await.test.ts']],
  [FAILED + TRAP('http/feed.test.ts'), 'passes', 1, []],
  [`${FAILED}Unhandled Errors\n`, 'passes', 1, []],
  [`${FAILED}  1 because curl is not installed here\n`, 'passes', 1, []],
  [`${FAILED}  2 without a reason\n`, 'passes', 1, []],
  [Array.from({ length: 6 }, (_, at) => ` FAIL  day test/${at}.test.ts > x\n`).join(''), 'passes', 1, []],
] as const)(
  'of the report %j what failed runs once more alone, and %s: exit code %i',
  async (report, result, code, ran) => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'report');
    await writeFile(file, report);
    const record = join(directory, 'ran');
    const npx = `#!/bin/sh\necho "$4 $5" >> '${record}'\n${result === 'passes' ? 'exit 0' : 'exit 1'}\n`;
    await writeFile(join(directory, 'npx'), npx, { mode: 0o755 });
    const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
    const alone = join(import.meta.dirname, '..', '.ci', 'alone');
    const ended = await exec(alone, [file], { env }).catch((error: { code: number; stdout: string }) => error);
    expect('code' in ended ? ended.code : 0).toBe(code);
    expect(existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []).toEqual(ran);
    if (code === 0)
      for (const one of ran) expect(ended.stdout).toContain(`failed beside others, and passed alone: ${one}\n`);
  },
);
