import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UserError } from '../../config/user-error.ts';
import { EXIT } from '../command.ts';
import { isThere } from './look.ts';
import { LOCKS } from './manager.ts';
import { type InitPlan, type InitStep, type Project, refusal } from './project.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Carries out the steps of a plan. If a step fails or a signal comes, it undoes all changes and restores package.json
 * and the lock file. Throws a UserError with the reason.
 */
export async function apply(project: Project, { steps }: InitPlan): Promise<void> {
  checkInside(project, steps);
  checkWritable(project, steps);
  const undo: (() => void)[] = [];
  const takeBack = () => {
    for (const act of undo.splice(0).reverse()) {
      try {
        act();
      } catch {
        // Another program put a file into a new directory, so that directory stays. The rest is undone.
      }
    }
  };
  const signals = new HeldSignals();
  try {
    for (const step of steps) {
      if (step.do === 'install') await install(project, step.command, undo, signals);
      else if (step.do === 'create') create(join(project.directory, step.path), step.text, undo);
      else if (step.do === 'edit') edit(join(project.directory, step.path), step.change, undo);
      await signals.check();
    }
  } catch (error) {
    takeBack();
    throw asRefusal(error);
  } finally {
    signals.release();
  }
}

/**
 * Delays the signals that would end the process with only a part of the changes made, or while the package manager
 * writes. It must be created before the first change.
 */
class HeldSignals {
  #stoppedBy: NodeJS.Signals | null = null;
  #child: ChildProcess | null = null;
  readonly #usual = process.listeners('SIGINT');

  constructor() {
    process.removeAllListeners('SIGINT');
    for (const signal of SIGNALS) process.on(signal, this.#stop);
  }

  /** Passes signals on to a running program, including a signal that came before the program started. */
  passOnTo(child: ChildProcess): void {
    this.#child = child;
    if (this.#stoppedBy !== null) child.kill(this.#stoppedBy);
  }

  /** Throws a UserError if a signal has come. */
  async check(): Promise<void> {
    // Node delivers a signal in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#stoppedBy !== null) throw new UserError('stopped. All changes were undone.', EXIT.interrupted);
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#stop);
    for (const listener of this.#usual) process.on('SIGINT', listener);
  }

  readonly #stop = (signal: NodeJS.Signals) => {
    this.#stoppedBy = signal;
    this.#child?.kill(signal);
  };
}

/** Throws before any change if a directory can't be written. */
function checkWritable({ directory }: Project, steps: readonly InitStep[]): void {
  for (const step of steps) {
    if (step.do === 'paste') continue;
    const path = step.do === 'install' ? join(directory, 'package.json') : join(directory, step.path);
    // An existing file is replaced by a new file in the same directory.
    let at = dirname(path);
    while (!existsSync(at)) at = dirname(at);
    if (!statSync(at).isDirectory()) throw refusal(`${at} is a file where a directory is needed. Nothing was changed.`);
    try {
      accessSync(at, constants.W_OK);
    } catch (error) {
      throw asRefusal(error);
    }
  }
}

function create(path: string, text: string, undo: (() => void)[]): void {
  makeParents(dirname(path), undo);
  // The name was free when the plan was made. A file that was created meanwhile stays.
  writeFileSync(path, text, { flag: 'wx' });
  undo.push(() => rmSync(path, { force: true }));
}

function makeParents(directory: string, undo: (() => void)[]): void {
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return;
  makeParents(dirname(directory), undo);
  mkdirSync(directory);
  undo.push(() => rmdirSync(directory));
}

/** Replaces a file atomically, so that no reader finds a partial file. A symbolic link stays a link. */
function edit(path: string, change: (text: string) => string, undo: (() => void)[]): void {
  const file = realpathSync(path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) return;
  replace(file, after);
  undo.push(() => replace(file, before));
}

function replace(file: string, text: string | Uint8Array): void {
  const beside = `${file}.mailcap-init`;
  try {
    // A link that lies there already would lead the text elsewhere.
    rmSync(beside, { force: true });
    writeFileSync(beside, text, { flag: 'wx', mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644 });
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Runs the package manager. Its output goes to standard error. */
async function install(
  project: Project,
  command: readonly [string, ...string[]],
  undo: (() => void)[],
  signals: HeldSignals,
): Promise<void> {
  const [program, ...args] = command;
  undo.push(keep(project));
  const ended = new Promise<number | string>((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: project.directory,
      stdio: ['ignore', 2, 2],
      // The package managers are shell scripts on Windows.
      shell: process.platform === 'win32',
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'));
    signals.passOnTo(child);
  });
  const code = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw refusal(`${program} is not installed here, and this project uses it. Nothing was changed.`);
  });
  await signals.check();
  if (code !== 0)
    throw refusal(`\`${command.join(' ')}\` failed with exit code ${code}. All other changes were undone.`);
}

/** Saves package.json and the lock files. Returns the function that restores them. */
function keep({ directory, lockDirectory }: Project): () => void {
  const paths = [join(directory, 'package.json'), ...Object.keys(LOCKS).map((name) => join(lockDirectory, name))];
  const before = paths.map((path) => [path, existsSync(path) ? readFileSync(path) : null] as const);
  return () => {
    for (const [path, bytes] of before) {
      if (bytes === null) rmSync(path, { force: true });
      else if (!existsSync(path) || !readFileSync(path).equals(bytes)) replace(realOf(path), bytes);
    }
  };
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof UserError) return error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'a file';
  switch (error.code) {
    case 'EEXIST':
      return refusal(`${path} was created meanwhile. Nothing was changed: try again.`);
    case 'EACCES':
    case 'EPERM':
      return refusal(`${path} can't be written by this user. Nothing was changed.`);
    case 'EROFS':
      return refusal(`${path} is on a read-only disk. Nothing was changed.`);
    case 'ENOSPC':
      return refusal('the disk is full. Nothing was changed.');
    default:
      return error;
  }
}

/**
 * Throws a UserError if a step would write through a symbolic link that leads out of the project, or nowhere. A link
 * inside the project is followed. With git, the project is the whole repository.
 */
function checkInside(project: Project, steps: readonly InitStep[]): void {
  const { directory, lockDirectory, repository } = project;
  const roots = [directory, lockDirectory, ...(repository === null ? [] : [repository])].map((root) =>
    realpathSync(root),
  );
  for (const path of steps.flatMap((step) => writtenBy(step, project))) {
    const target = targetOf(path);
    if (target === null) throw refusal(`${path} goes through a symbolic link that leads nowhere. Nothing was changed.`);
    if (!roots.some((root) => isWithin(root, target)))
      throw refusal(`${path} leads out of the project, to ${target}: init writes nothing there. Nothing was changed.`);
  }
}

/** Returns the absolute paths that a step writes. Of an install these are the files that init restores if it fails. */
function writtenBy(step: InitStep, { directory, lockDirectory }: Project): string[] {
  if (step.do === 'paste') return [];
  if (step.do !== 'install') return [join(directory, step.path)];
  return [join(directory, 'package.json'), ...Object.keys(LOCKS).map((name) => join(lockDirectory, name))];
}

/** Returns where a path leads, or the nearest directory above it that exists; null if a link leads nowhere. */
function targetOf(path: string): string | null {
  let at = path;
  while (!isThere(at)) at = dirname(at);
  try {
    return realpathSync(at);
  } catch {
    return null;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}
