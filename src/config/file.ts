import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { otherWriter } from '../ownership.ts';
import { nearest } from '../text/nearest.ts';
import { evaluateModule } from './evaluate-module.ts';
import { parseJsonFile } from './json-file.ts';
import { isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, type OptionSource } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type Given, misplaced } from './value.ts';

const NAMES = ['ts', 'js', 'mjs', 'json'].map((extension) => `mailcap.config.${extension}`);

/**
 * The config files that a command reads. `'programs'` means all of them, and runs those that are modules: only what
 * starts a server may do so. `'json'` means `mailcap.config.json` alone, because a command that only looks at a directory
 * must not run its code.
 */
export type FilesRead = 'programs' | 'json';

/**
 * Reads the directory's `mailcap.config.*` file. Returns an empty source if there is none that is read. Throws
 * {@link ConfigError}, also for a file that another user may write.
 */
export async function readFileSource(cwd: string, reads: FilesRead): Promise<OptionSource> {
  const found = NAMES.filter((name) => existsSync(join(cwd, name)));
  const [file, other] = found;
  if (file === undefined) return new Map();
  if (other !== undefined) throw new ConfigError(`this directory holds both ${file} and ${other}: remove one of them.`);
  if (reads === 'json' && isProgram(file)) return new Map();
  throwIfOthersWrite(join(cwd, file), file);
  const content = await evaluate(join(cwd, file), file);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${file}: expected an object; a module must export it as its default.`);
  }
  const source = new Map<string, Given>();
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const given: Given = { name, file, value };
    if (!isOptionName(name) && !FILE_KEYS.has(name)) throw misplaced(given, `no such key${suggestion(name)}`);
    source.set(name, given);
  }
  return source;
}

/** Returns the name of the directory's config file if it is a module, which only `mailcap dev` runs; else null. */
export function configProgramIn(cwd: string): string | null {
  return NAMES.filter(isProgram).find((name) => existsSync(join(cwd, name))) ?? null;
}

function isProgram(file: string): boolean {
  return !file.endsWith('.json');
}

/** Throws if another user owns the file or its directory, or may write to one of them. */
function throwIfOthersWrite(path: string, file: string): void {
  const real = realpathSync(path);
  const places = new Map([
    [real, file],
    [dirname(path), `the directory of ${file}`],
    [dirname(real), `the directory of ${real}`],
  ]);
  for (const [place, name] of places) {
    const why = otherWriter(lstatSync(realpathSync(place)));
    if (why === null) continue;
    const mend = why.endsWith('owns it')
      ? 'chown it to the user who runs mailcap, run mailcap as its owner'
      : 'take that right away with chmod go-w';
    throw new ConfigError(
      `${file} is not read, because of ${name}: ${why}. Either ${mend}, or remove the file and give its options as flags or variables.`,
    );
  }
}

async function evaluate(path: string, file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return parseJsonFile(await readFile(path, 'utf8'), file);
    return await evaluateModule(path, file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file} can't be read: ${said}`, { cause: error });
  }
}

/** Returns the end of a sentence that suggests the key a misspelt name probably means, or '.' if none is close. */
export function suggestion(name: string): string {
  const plain = name.replace(/[-_]/g, '').toLowerCase();
  const keys = [...Object.keys(OPTIONS), ...FILE_KEYS];
  const meant = keys.find((key) => key.toLowerCase() === plain) ?? nearest(name, keys);
  return meant === null ? '.' : `; did you mean ${meant}?`;
}
