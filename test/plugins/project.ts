import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Run, run } from '../support/cli.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What Node is given to check a strict project's types, before the names of its files. */
export const TSC = [
  'node_modules/typescript/bin/tsc',
  ...['--strict', '--noEmit', '--skipLibCheck'],
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node'],
];

/** A project of somebody else's, with the built package installed. */
export interface Project {
  readonly directory: string;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Runs a program of its `node_modules` by Node. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Run;
  /** The servers its runs have started, by process id. */
  servers(): Promise<number[]>;
  remove(): Promise<void>;
}

/** Makes one. What it needs besides mailcap it finds where this package does, but for what `instead` names: by name, another directory. */
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

/** A copy, not a link: whoever resolves links would take it for a part of this tree. */
async function installIn(directory: string): Promise<void> {
  await mkdir(directory);
  for (const path of ['package.json', 'bin', 'dist/src', 'dist/plugins', 'dist/bundle'])
    await cp(join(ROOT, path), join(directory, path), { recursive: true, filter: (file) => !file.endsWith('.map') });
}

/** Those whose command line names a directory. Linux alone tells. */
async function processesOf(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, at) => lines[at]?.includes(directory)).map(Number);
}

/** Until it holds. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never came to be: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
