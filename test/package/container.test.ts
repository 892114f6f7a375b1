import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig, variableOf } from '../../src/config/load.ts';
import { OPTIONS } from '../../src/config/options.ts';
import type { Ready } from '../../src/runtime.ts';
import { type Run, run, temporaryDirectory } from '../support/cli.ts';
import { DOCKERFILE, imageConfig, stageOf } from '../support/dockerfile.ts';
import { BY_DAY } from '../support/night.ts';
import { packed } from '../support/packed.ts';
import { ON_WINDOWS } from '../support/platform.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';

// These tests need no container engine. They build the files of the Dockerfile's stage `root` in a directory of this
// machine, and run the image's commands there.

const ROOT = join(import.meta.dirname, '..', '..');
const IMAGE = imageConfig(DOCKERFILE);
const SECRETS = { MAILCAP_API_KEY: 'svc_live_ci', MAILCAP_ADMIN_TOKEN: 'admin-token-of-ci' };
/** The user of a container that was started with `--user`. This machine does not know the id. */
const STRANGER = process.getuid?.() === 0 ? { uid: 12_345, gid: 0 } : {};
const exec = promisify(execFile);

describe('the Dockerfile', () => {
  test('passes its linter', () => {
    expect(validate(DOCKERFILE)).toEqual([]);
  });

  test('leaves nothing out of its context that the build reads or the package holds', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const read = [
      ...readFileSync(join(ROOT, '.build', 'build.js'), 'utf8').matchAll(/^\s+(?:\.\.\.)?\[('[^\]]+)\],$/gm),
    ];
    const built = read.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll("'", '')));
    const held: string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files;
    const needed = [...built, 'docs', ...held]
      .map((path) => path.split('/')[0] ?? '')
      .filter((name) => name !== 'dist');
    expect(needed).toEqual(expect.arrayContaining(['src', 'ui', 'bin', 'docs', 'package-lock.json']));
    expect(needed.filter((name) => ignored.includes(name))).toEqual([]);
  });

  test('builds an image that does not run as root, with its state in a volume and no shell before the program', () => {
    expect(IMAGE.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect([IMAGE.volume, IMAGE.workingDirectory, IMAGE.env['MAILCAP_DATA_DIR']]).toEqual(['/data', '/data', '/data']);
    expect([...IMAGE.entrypoint, ...IMAGE.command]).toEqual(['mailcap', 'dev']);
    expect(IMAGE.healthCheck).toEqual(['mailcap', 'health']);
    const { MAILCAP_POP3_PORT: pop3, MAILCAP_IMAP_PORT: imap } = IMAGE.env;
    expect(IMAGE.ports).toEqual([String(OPTIONS.port.default), String(OPTIONS.smtpPort.default), pop3, imap]);
  });

  test('sets variables that mailcap dev knows, to values that it accepts', async () => {
    const known = new Set(Object.keys(OPTIONS).map(variableOf));
    expect(Object.keys(IMAGE.env).filter((name) => name !== 'NODE_ENV' && !known.has(name))).toEqual([]);
    expect(IMAGE.env['NODE_ENV']).toBe('production');
    const { host, dataDir } = await loadConfig({}, IMAGE.env, await temporaryDirectory(), 'programs');
    expect([host, dataDir]).toEqual(['0.0.0.0', '/data']);
  });

  test('runs nothing in its last stage, which copies all from the stage before', () => {
    const kinds = stageOf(DOCKERFILE, '').map(({ keyword }) => keyword);
    expect(kinds).not.toContain('RUN');
    expect(stageOf(DOCKERFILE, '').find(({ keyword }) => keyword === 'COPY')?.text).toBe('--from=root /stage/root/ /');
  });
});

// By day the package that `mailcap init` installs stands for the one in the image.
unless(describe, BY_DAY ?? ON_WINDOWS ?? lacking('tar', 'find'))('a container of the image', () => {
  let stage: string;
  let root: string;

  beforeAll(async () => {
    stage = await mkdtemp(join(tmpdir(), 'mailcap-image-'));
    await chmod(stage, 0o755);
    root = join(stage, 'root');
    for (const { keyword, text } of stageOf(DOCKERFILE, 'root')) await take(keyword, text);
  }, 180_000);
  afterAll(() => rm(stage, { recursive: true, force: true }));

  async function take(keyword: string, text: string): Promise<void> {
    if (keyword === 'RUN') await exec('sh', ['-c', text], { cwd: stage, env: withCache() });
    else if (keyword === 'COPY' && text.startsWith('--from=package ')) await copyPackage(text.split(' ')[1] ?? '');
    else if (keyword === 'COPY') await copy(text.split(' '));
    else expect(['FROM', 'WORKDIR']).toContain(keyword);
  }

  async function copy(words: readonly string[]): Promise<void> {
    const into = join(stage, words.at(-1) ?? '');
    await mkdir(into, { recursive: true });
    for (const name of words.slice(0, -1)) await copyFile(join(ROOT, name), join(into, name));
  }

  /** Copies the packed build, which the previous stage of the Dockerfile makes. */
  async function copyPackage(path: string): Promise<void> {
    await copyFile(await packed(), join(stage, path.split('/').at(-1) ?? ''));
  }

  /** Runs a command as in a container with this volume, on free ports. */
  function inside(words: readonly string[], volume: string): Run {
    const [command = '', ...args] = words;
    const paths = { PATH: `${join(root, 'usr/local/bin')}:${process.env['PATH']}`, HOME: '/' };
    const ports = { MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0', MAILCAP_JSON: '1' };
    const env = { ...paths, ...IMAGE.env, ...SECRETS, ...ports, MAILCAP_DATA_DIR: volume };
    return run(command, args, { cwd: volume, env, ...STRANGER });
  }

  const start = (volume: string) => inside([...IMAGE.entrypoint, ...IMAGE.command], volume);
  const healthCheck = async (volume: string) => (await inside(IMAGE.healthCheck, volume).exit).code;

  /** Creates a volume. A new volume gets the mode of the image's directory. */
  async function newVolume(): Promise<string> {
    const path = await temporaryDirectory();
    await chmod(path, (await stat(join(root, IMAGE.volume))).mode);
    return path;
  }

  test('holds the program, what it depends on and an empty volume that any user may write', async () => {
    expect((await readdir(root)).sort()).toEqual(['app', 'data', 'mailpit', 'usr']);
    const app = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'node_modules', 'package.json'];
    expect((await readdir(join(root, 'app'))).sort()).toEqual(app);
    expect(await readdir(join(root, 'app', 'dist'))).not.toContain('src');
    expect(await readdir(join(root, 'data'))).toEqual([]);
    expect((await stat(join(root, 'data'))).mode & 0o7777).toBe(0o1777);
    expect(await readlink(join(root, 'usr/local/bin/mailcap'))).not.toMatch(/^\//);
    const files = await readdir(join(root, 'app'), { recursive: true });
    expect(files.filter((path) => /\.(map|ts)$|node_modules\/(typescript|vitest)$/.test(path))).toEqual([]);
  });

  test('captures mail, is healthy, requires its admin token, and continues with its volume after a kill; it is unhealthy while its process does not answer', async () => {
    const volume = await newVolume();
    const first = start(volume);
    const ready = await first.ready();
    expect(await healthCheck(volume)).toBe(0);
    const info = (headers: Record<string, string>) => fetch(`${ready.url}/_mailcap/info`, { headers });
    expect((await info({})).status).toBe(401);
    expect((await info({ authorization: `Bearer ${SECRETS.MAILCAP_ADMIN_TOKEN}` })).status).toBe(200);
    await send(ready, 'In a container');
    expect(await subjects(ready)).toEqual(['In a container']);

    first.child.kill('SIGKILL');
    await first.exit;
    expect(await healthCheck(volume)).not.toBe(0);

    const second = start(volume);
    expect(await subjects(await second.ready())).toEqual(['In a container']);
    second.child.kill('SIGSTOP');
    expect(await healthCheck(volume)).toBe(1);
    second.child.kill('SIGCONT');
    expect(await healthCheck(volume)).toBe(0);
    expect((await second.stop()).code).toBe(0);
    expect(await healthCheck(volume)).not.toBe(0);
  });
});

/** Returns an environment with npm's cache of this machine, if it can save a download. */
function withCache(): NodeJS.ProcessEnv {
  return { ...process.env, npm_config_prefer_offline: 'true' };
}

async function send({ smtpPort }: Ready, subject: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  await transport.sendMail({ from: 'a@x.test', to: 'b@inbox.mailcap.example.com', subject, text: 'Hello.' });
}

async function subjects({ apiUrl, mailboxId }: Ready): Promise<string[]> {
  const headers = { authorization: `Bearer ${SECRETS.MAILCAP_API_KEY}` };
  const answer = await fetch(`${apiUrl}/mailboxes/${mailboxId}/messages`, { headers });
  const messages: { subject: string }[] = JSON.parse(await answer.text());
  return messages.map(({ subject }) => subject);
}
