import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '../text/nearest.ts';
import { evaluateModule } from './evaluate-module.ts';
import { parseJsonFile } from './json-file.ts';
import { isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, type OptionSource } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type Given, misplaced } from './value.ts';

const NAMES = ['ts', 'js', 'mjs', 'json'].map((extension) => `mailcap.config.${extension}`);

/**
 * Reads the directory's `mailcap.config.*` file. Returns an empty source if there is none. Throws {@link ConfigError}.
 */
export async function readFileSource(cwd: string): Promise<OptionSource> {
  const found = NAMES.filter((name) => existsSync(join(cwd, name)));
  const [file, other] = found;
  if (file === undefined) return new Map();
  if (other !== undefined) throw new ConfigError(`this directory holds both ${file} and ${other}: remove one of them.`);
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
