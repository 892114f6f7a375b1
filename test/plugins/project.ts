import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Run, run } from '../support/cli.ts';
import { IS_NIGHT } from '../support/night.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * The arguments with which Node checks the types of a strict project, before the file names. By day the compiler is
 * TypeScript 7, which takes a fifth of the time, at night TypeScript 6.
 */
export const TSC = [
  `node_modules/${IS_NIGHT ? 'typescript' : 'typescript-7'}/bin/tsc`,
  ...['--strict', '--noEmit', '--skipLibCheck'],
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node'],
];

/** A user's project with the built package installed. */
export interface Project {
  readonly directory: string;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Runs a program of the project's `node_modules` with Node. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Run;
  /** Returns the process ids of the servers that its runs started. */
  servers(): Promise<number[]>;
  remove(): Promise<void>;
}

/**
 * Creates a project. Its other dependencies are those of this package, except for the packages in `instead`, which map
 * names to directories.
 */
export async function makeProject(instead: Readonly<Record<string, string>> = {}): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-project-'));
  const modules = join(directory, 'node_modules');
  await mkdir(modules);
  const installed = await readdir(join(ROOT, 'node_modules'));
  const linked = installed.filter((name) => !name.startsWith('.') && name !== 'mailcap');
  await Promise.all(
    linked.map((name) => symlink(instead[name] ?? join(ROOT, 'node_modules', name), join(modules, name))),
  );
  await installIn(join(modules, 'mailcap'));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  await write('package.json', '{ "name": "elsewhere", "private": true, "type": "module" }');
  return {
    directory,
    write,
    read: (path) => readFile(join(directory, path), 'utf8'),
    node: (args, env = {}) => run(process.execPath, args, { cwd: directory, env: { NO_COLOR: '1', ...env } }),
    servers: () => processesOf(join(modules, 'mailcap')),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Copies the package. A link would be resolved into this repository. */
async function installIn(directory: string): Promise<void> {
  await mkdir(directory);
  for (const path of ['package.json', 'bin', 'dist/bundle'])
    await cp(join(ROOT, path), join(directory, path), { recursive: true });
}

/** Returns the processes whose command line names a directory. This works on Linux only. */
async function processesOf(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, at) => lines[at]?.includes(directory)).map(Number);
}

/** Waits until the condition holds. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = performance.now() + 150_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never came to be: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
