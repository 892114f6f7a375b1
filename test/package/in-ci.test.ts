import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createTransport } from 'nodemailer';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createClient } from '../../src/client/index.ts';
import { VERSION } from '../../src/version.ts';
import { until } from '../plugins/project.ts';
import { type Exit, run, temporaryDirectory } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { BY_DAY, IS_NIGHT } from '../support/night.ts';
import { packed } from '../support/packed.ts';
import { blockOf } from '../support/pages.ts';
import { NOT_LINUX } from '../support/platform.ts';
import { unless } from '../support/unless.ts';

// Runs the GitHub Action as a runner does, and the dev container's feature as its tool does.

const ROOT = join(import.meta.dirname, '..', '..');
const ACTION = join(ROOT, '.github', 'actions', 'mailcap');
const FEATURE = join(ROOT, '.devcontainer', 'features', 'mailcap');
const QUIET = { npm_config_prefer_offline: 'true' };

/** https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax, as far as it is used. */
const Action = z.strictObject({
  name: z.string(),
  description: z.string(),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.strictObject({ description: z.string() })),
  runs: z.strictObject({
    using: z.literal('node24'),
    main: z.string(),
    post: z.string(),
    'post-if': z.literal('always()'),
  }),
});
/** https://containers.dev/implementors/features, as far as it is used. */
const Feature = z.strictObject({
  id: z.literal('mailcap'),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  name: z.string(),
  description: z.string(),
  keywords: z.array(z.string()),
  options: z.record(
    z.string(),
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('boolean'), default: z.boolean(), description: z.string() }),
      z.strictObject({
        type: z.literal('string'),
        default: z.string(),
        description: z.string(),
        proposals: z.array(z.string()).optional(),
      }),
    ]),
  ),
  containerEnv: z.record(z.string(), z.string()),
  postStartCommand: z.string(),
  installsAfter: z.array(z.string()),
});
const Steps = z.array(
  z.looseObject({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() }),
);
/** A job has steps, or calls a workflow that has them. */
const JobOfWorkflow = z.looseObject({
  steps: Steps.default([]),
  uses: z.string().optional(),
  needs: z.unknown().optional(),
});
const Workflow = z.looseObject({ jobs: z.record(z.string(), JobOfWorkflow) });

let tarball: string;
beforeAll(async () => {
  if (IS_NIGHT) tarball = await packed();
}, 120_000);

/** A job on a runner: its directories, and what its steps told it. */
class Job {
  readonly project: string;
  readonly #files: Readonly<Record<'GITHUB_ENV' | 'GITHUB_OUTPUT' | 'GITHUB_STATE', string>>;
  readonly #temp: string;

  constructor(project: string, temp: string) {
    this.project = project;
    this.#temp = temp;
    this.#files = {
      GITHUB_ENV: join(temp, 'env'),
      GITHUB_OUTPUT: join(temp, 'output'),
      GITHUB_STATE: join(temp, 'state'),
    };
  }

  async main(inputs: Readonly<Record<string, string>> = {}): Promise<Exit> {
    for (const path of Object.values(this.#files)) await writeFile(path, '');
    const given = { ...this.#defaults(), port: '0', 'smtp-port': '0', ...inputs };
    const named = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
    return this.#run(action().runs.main, Object.fromEntries(named));
  }

  post(): Promise<Exit> {
    const state = Object.entries(this.told('GITHUB_STATE')).map(([name, value]) => [`STATE_${name}`, value]);
    return this.#run(action().runs.post, Object.fromEntries(state));
  }

  /** Reads a file of the runner as the runner does. */
  told(file: 'GITHUB_ENV' | 'GITHUB_OUTPUT' | 'GITHUB_STATE'): Record<string, string> {
    const text = readFileSync(this.#files[file], 'utf8');
    const pairs = [...text.matchAll(/^([^\s<]+)<<(\S+)\n([\s\S]*?)\n\2\n/gm)];
    return Object.fromEntries(pairs.map(([, name, , value]) => [name, value]));
  }

  #run(program: string, env: Readonly<Record<string, string>>): Promise<Exit> {
    const runner = { ...this.#files, RUNNER_TEMP: this.#temp, GITHUB_WORKSPACE: this.project, ...QUIET };
    return run(process.execPath, [join(ACTION, program)], { cwd: this.project, env: { ...runner, ...env } }).exit;
  }

  #defaults(): Record<string, string> {
    return Object.fromEntries(Object.entries(action().inputs).map(([name, input]) => [name, input.default]));
  }
}

function action() {
  return Action.parse(parse(readFileSync(join(ACTION, 'action.yml'), 'utf8')));
}

/** Creates a job whose project has the package of this build. Its server ends with the test. */
async function job({ installed = true } = {}): Promise<Job> {
  const made = new Job(await temporaryDirectory(), await temporaryDirectory());
  await writeFile(join(made.project, 'package.json'), '{ "name": "elsewhere", "private": true }');
  if (installed) {
    const own = join(made.project, 'node_modules', 'mailcap');
    await mkdir(own, { recursive: true });
    for (const path of ['package.json', 'bin', 'dist/bundle'])
      await cp(join(ROOT, path), join(own, path), { recursive: true });
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!name.startsWith('.') && name !== 'mailcap')
        await symlink(join(ROOT, 'node_modules', name), join(made.project, 'node_modules', name));
  }
  onTestFinished(() => {
    const { pid } = made.told('GITHUB_STATE');
    if (pid !== undefined && isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL');
  });
  return made;
}

/** Tells whether a process is at work. One that ended and was not waited for is not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

unless(describe, NOT_LINUX)('the GitHub Action', () => {
  test('starts the mailcap of the project, gives its addresses to the next steps, and stops it after them', async () => {
    const made = await job();
    const { code, stdout } = await made.main();
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`mailcap ${VERSION}: http://`) });
    const env = made.told('GITHUB_ENV');
    const outputs = made.told('GITHUB_OUTPUT');
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(action().outputs).sort());
    expect(outputs).toMatchObject({
      url: env['MAILCAP_URL'],
      'api-key': env['MAILCAP_API_KEY'],
      'smtp-url': env['MAILCAP_SMTP_URL'],
    });

    const client = createClient({ baseUrl: env['MAILCAP_URL'], apiKey: env['MAILCAP_API_KEY'] });
    const mailbox = await client.mailbox();
    const app = createTransport(`${env['MAILCAP_SMTP_URL']}?ignoreTLS=true`);
    await app.sendMail({ from: 'a@x.test', to: mailbox.address, subject: 'Hi', text: 'Your code is 234815.' });
    expect(await mailbox.waitForCode()).toBe('234815');

    expect(readFileSync(join(outputs['logs'] ?? '', 'events.jsonl'), 'utf8')).toContain('message.received');
    const pid = Number(made.told('GITHUB_STATE')['pid']);
    expect(isAlive(pid)).toBe(true);
    const post = await made.post();
    expect(post).toMatchObject({ code: 0, stderr: '' });
    await until(() => !isAlive(pid), 'the server ends');
    // The runner takes no line of the log for a command.
    const [, token] = /::stop-commands::(\S+)\n/.exec(post.stdout) ?? [];
    expect(post.stdout.endsWith(`::${token}::\n::endgroup::\n`)).toBe(true);
  }, 60_000);

  test('fails with the reason if the server does not start, and keeps its log', async () => {
    const made = await job();
    const { code, stdout } = await made.main({ options: '--limits some' });
    expect([code, made.told('GITHUB_ENV')]).toEqual([1, {}]);
    expect(stdout).toMatch(/^::error title=mailcap::The server did not start.*--limits.*\n$/);
    expect(await made.post()).toMatchObject({ code: 0, stdout: expect.stringContaining('--limits') });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'a directory that is not there',
      { 'working-directory': 'app' },
      /There is no directory .*app: the step comes after the checkout/,
    ],
    ['a time that is none', { timeout: 'long' }, /timeout: expected seconds, got long/],
  ])('%s is refused', async (_, inputs, reason) => {
    const made = await job({ installed: false });
    const { code, stdout } = await made.main(inputs);
    expect([code, stdout]).toEqual([1, expect.stringMatching(reason)]);
    expect((await made.post()).code).toBe(0);
  });

  test('the steps of docs/ci.md use its inputs and outputs', () => {
    const { jobs } = Workflow.parse(parse(blockOf('docs/ci.md', 'action')));
    const steps = jobs['test']?.steps ?? [];
    const step = steps.find(({ uses }) => uses === './.github/actions/mailcap');
    expect(step).toMatchObject({ id: 'mailcap' });
    expect(Object.keys(step?.with ?? {}).filter((name) => !(name in action().inputs))).toEqual([]);
    const taken = [...JSON.stringify(steps).matchAll(/steps\.mailcap\.outputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(taken).toEqual(['logs']);
    expect(Object.keys(action().outputs)).toContain('logs');
  });

  // By day the install of `mailcap init` stands for this one, and for that of the dev container's feature.
  if (IS_NIGHT) {
    test('installs the requested version outside of the project, and changes nothing in it', async () => {
      const made = await job({ installed: false });
      expect(await made.main({ version: tarball })).toMatchObject({ code: 0 });
      expect(readdirSync(made.project).filter((name) => name !== '.mailcap')).toEqual(['package.json']);
      expect((await fetch(`${made.told('GITHUB_ENV')['MAILCAP_URL']}/_mailcap/health`)).status).toBe(200);
      expect((await made.post()).code).toBe(0);
    }, 180_000);
  }
});

unless(describe, NOT_LINUX)("the dev container's feature", () => {
  const install = (prefix: string, env: Readonly<Record<string, string>>) =>
    run('sh', [join(FEATURE, 'install.sh')], { cwd: prefix, env: { ...QUIET, MAILCAP_PREFIX: prefix, ...env } }).exit;

  test('has metadata that names its script and options that the script reads', async () => {
    const feature = Feature.parse(JSON.parse(await readFile(join(FEATURE, 'devcontainer-feature.json'), 'utf8')));
    const script = await readFile(join(FEATURE, 'install.sh'), 'utf8');
    for (const name of Object.keys(feature.options)) expect(script).toContain(`\${${name.toUpperCase()}:-`);
    expect(feature.postStartCommand).toBe('/usr/local/share/mailcap/start');
    expect(feature.version).toBe(VERSION);
    const { features } = JSON.parse(blockOf('docs/ci.md', 'devcontainer'));
    expect(Object.keys(features)).toEqual([`./features/${feature.id}`]);
    for (const name of Object.keys(features['./features/mailcap']))
      expect(Object.keys(feature.options)).toContain(name);
  });

  unless(test, BY_DAY)(
    'installs the package, and its start begins a server in the workspace folder, once',
    async () => {
      const prefix = await temporaryDirectory();
      const options = `--ephemeral --limits off --port ${await freePort()} --smtp-port ${await freePort()}`;
      const installed = await install(prefix, { VERSION: tarball, OPTIONS: options });
      expect({ code: installed.code, said: installed.stderr }).toMatchObject({ code: 0 });
      const cwd = await temporaryDirectory();
      const start = () => run(join(prefix, 'share', 'mailcap', 'start'), [], { cwd }).exit;
      expect(await start()).toMatchObject({ code: 0, stderr: '' });
      const { pid, url } = JSON.parse(await readFile(join(cwd, '.mailcap', 'server.json'), 'utf8'));
      onTestFinished(() => void process.kill(pid, 'SIGKILL'));
      expect((await fetch(`${url}/_mailcap/health`)).status).toBe(200);
      expect((await start()).code).toBe(0);
      expect(JSON.parse(await readFile(join(cwd, '.mailcap', 'server.json'), 'utf8')).pid).toBe(pid);
    },
    180_000,
  );

  test.each<[string, Record<string, string>, string]>([
    ['options that a shell would read', { OPTIONS: '--limits off; touch x' }, 'only letters, digits'],
    ['no Node.js', { PATH: '/nowhere' }, 'Node.js is not here'],
  ])('%s: it says so, and installs nothing', async (_, env, reason) => {
    const prefix = await temporaryDirectory();
    const bin = join(prefix, 'tools');
    await mkdir(bin);
    await symlink('/bin/sh', join(bin, 'sh'));
    const path = env['PATH'] === undefined ? {} : { PATH: [bin, env['PATH']].join(delimiter) };
    const { code, stderr } = await install(prefix, { ...env, ...path });
    expect([code, existsSync(join(prefix, 'share'))]).toEqual([1, false]);
    expect(stderr).toContain(reason);
  });
});

test('a release pushes the image with its SBOM and provenance, by actions that are named by commit', () => {
  const text = readFileSync(join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8');
  const { jobs } = Workflow.parse(parse(text));
  const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
  const build = jobs['image']?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  expect(build?.with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' });
  expect(text).toContain('npm publish --provenance');
  // Nothing is published before all of a pull request and of the night has passed.
  expect(jobs['ci']?.uses).toBe('./.github/workflows/ci.yml');
  expect(jobs['night']?.uses).toBe('./.github/workflows/night.yml');
  expect(jobs['publish']?.needs).toEqual(['ci', 'night']);
});
