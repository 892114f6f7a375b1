import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Ready } from '../../src/runtime.ts';
import { sourceFiles } from './boundaries.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const BIN = join(ROOT, 'bin', 'mailcap.js');

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in its own process. */
export interface Run {
  readonly child: ChildProcess;
  readonly exit: Promise<Exit>;
  /** Returns the object of the ready line. Rejects if the process ends before it. */
  ready(): Promise<Ready>;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<Exit>;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs `bin/mailcap.js` as a user does. The process ends with the test. */
export function mailcap(args: readonly string[], { cwd, env = {} }: RunOptions): Run {
  return run(process.execPath, [BIN, ...args], { cwd, env });
}

/** Runs `mailcap dev --json` on free ports. */
export function dev(args: readonly string[], options: RunOptions): Run {
  return mailcap(['dev', '--json', '--port', '0', '--smtp-port', '0', ...args], options);
}

/** Runs a shell command on a pseudo-terminal with script of util-linux. `shown` holds the output so far. */
export function runOnTerminal(command: string, cwd: string): Run & { readonly shown: { readonly text: string } } {
  const env = { TERM: 'xterm', SHELL: '/bin/sh', NO_COLOR: '1' };
  const running = run('script', ['-qefc', command, '/dev/null'], { cwd, env });
  const shown = { text: '' };
  running.child.stdout?.on('data', (text) => (shown.text += text));
  return { ...running, shown };
}

/** Runs a program in an environment without mailcap's variables. */
export function run(command: string, args: readonly string[], { cwd, env = {}, ...user }: RunOptions): Run {
  checkBuild();
  const child = spawn(command, args, { cwd, env: { ...withoutOurs(), ...env }, stdio: 'pipe', ...user });
  onTestFinished(() => void child.kill('SIGKILL'));

  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const firstLine = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return {
    child,
    exit,
    ready: async () => {
      const line = await Promise.race([firstLine, exit]);
      if (typeof line !== 'string') throw new Error(`it ended with ${line.code}: ${line.stderr}`);
      return JSON.parse(line);
    },
    stop: () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

/** Returns the environment without the variables that change what mailcap says. */
export function withoutOurs(): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !/^(MAILCAP_|NO_COLOR|FORCE_COLOR|VITEST)/.test(name));
  return Object.fromEntries(clean);
}

/** Creates a directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mailcap-test-'));
  // A server that was told to stop may write its last file meanwhile.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return path;
}

let checked = false;

/** Throws if the build is missing, because these tests run it. */
function checkBuild(): void {
  if (checked) return;
  // Each build writes the bundle. A module that did not change may be older than its source.
  const builtAt = statSync(join(ROOT, 'dist', 'bundle', 'main.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const path of sourceFiles(ROOT, 'src').keys()) {
    const built = join(ROOT, 'dist', path.replace(/\.tsx?$/, '.js'));
    if (!existsSync(built) || builtAt < statSync(join(ROOT, path)).mtimeMs)
      throw new Error(`${path} is newer than what was built: npm run build`);
  }
  checked = true;
}
