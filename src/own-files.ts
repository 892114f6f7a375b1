import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

// The program's own files, its threads and its own command. They are those of the package, or all in the one file that
// needs no Node (.build/executable.js).

/** The content of the one file. `.build/executable/loader.cjs` sets it. */
interface Executable {
  /** Returns the content of a file of the bundle; null if there is none. */
  read(path: string): Buffer | null;
  list(folder: string): string[];
  /** Returns the code that runs a program in a thread. */
  threadCode(name: ThreadProgram): string;
}

/** The programs that run in threads (.build/bundle.js). */
type ThreadProgram = 'parse-worker' | 'text-worker';

/** The places of the bundle: this file's, beside the compiled tree, or below dist when run from source. */
const PLACES = ['./', '../bundle/', '../dist/bundle/'];

function executable(): Executable | null {
  return Reflect.get(globalThis, Symbol.for('mailcap.executable')) ?? null;
}

/** Returns the content of a file of the bundle; null if it was not built. */
export function readOwnFile(path: string): Buffer | null {
  const inside = executable();
  if (inside !== null) return inside.read(path);
  const found = placeOf(path);
  return found === undefined ? null : readFileSync(found);
}

/** Returns the names of the files in a folder of the bundle. */
export function listOwnFiles(folder: string): string[] {
  const inside = executable();
  if (inside !== null) return inside.list(folder);
  const found = placeOf(folder);
  return found === undefined ? [] : readdirSync(found);
}

function placeOf(path: string): string | undefined {
  return PLACES.map((place) => fileURLToPath(new URL(place + path, import.meta.url))).find(existsSync);
}

/** Imports a module of the user, such as a config file. Returns what it exports. */
export function importModule(url: string): Promise<{ readonly default?: unknown }> {
  // Code that runs from kept bytecode can't import, so what loaded it does (bin/load.js).
  const imported = Reflect.get(globalThis, Symbol.for('mailcap.import')) as
    | ((url: string) => Promise<object>)
    | undefined;
  return imported?.(url) ?? import(url);
}

/** Starts a thread that runs a program of the bundle. */
export function startThread(program: ThreadProgram, options: WorkerOptions): Worker {
  const inside = executable();
  if (inside !== null) return new Worker(inside.threadCode(program), { ...options, eval: true });
  const found = placeOf(`${program}.cjs`);
  if (found === undefined)
    throw new Error(`${program}.cjs is missing: npm replaced or removed mailcap, or it was not built`);
  return new Worker(found, options);
}

/** Returns the program, and its arguments, that run a command of mailcap as this process was run. */
export function ownCommand(args: readonly string[]): readonly [program: string, args: readonly string[]] {
  if (executable() !== null) return [process.execPath, args];
  return [process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args]];
}
