import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '../text/nearest.ts';
import { evaluateModule } from './evaluate-module.ts';
import { isOptionName, OPTIONS } from './options.ts';
import { FILE_KEYS, type Source } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type Given, misplaced } from './value.ts';

const NAMES = ['ts', 'js', 'mjs', 'json'].map((extension) => `mailcap.config.${extension}`);

/**
 * Reads the directory's `mailcap.config.*` file. Returns an empty source if there is none. Throws {@link ConfigError}.
 */
export async function readFileSource(cwd: string): Promise<Source> {
  const found = NAMES.filter((name) => existsSync(join(cwd, name)));
  const [file, other] = found;
  if (file === undefined) return new Map();
  if (other !== undefined) throw new ConfigError(`${file} and ${other} both stand here: keep one.`);
  const content = await evaluate(join(cwd, file), file);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${file}: expected an object, as the default export of a module.`);
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
    if (file.endsWith('.json')) return parseJson(await readFile(path, 'utf8'), file);
    return await evaluateModule(path, file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file} can't be read: ${said}`, { cause: error });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? positionIn(text, error.message) : null;
    const where = at === null ? '' : `: see line ${lineAt(text, at)}`;
    throw new ConfigError(`${file} is no JSON${where}.`, { cause: error });
  }
}

/** Returns the position in a text that the message of JSON.parse tells; null if it tells none. */
function positionIn(text: string, message: string): number | null {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (message.includes('end of JSON input')) return text.length;
  // Other messages quote the token and the text around it.
  const quoted = /^Unexpected token '(.)', (?:\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not/u.exec(message);
  if (quoted === null) return null;
  const [, token = '', around = ''] = quoted;
  const start = text.indexOf(around);
  return start < 0 ? null : start + around.indexOf(token);
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** Returns the end of a sentence that suggests the key a misspelt name probably means, or '.' if none is close. */
export function suggestion(name: string): string {
  const plain = name.replace(/[-_]/g, '').toLowerCase();
  const keys = [...Object.keys(OPTIONS), ...FILE_KEYS];
  const meant = keys.find((key) => key.toLowerCase() === plain) ?? nearest(name, keys);
  return meant === null ? '.' : `; did you mean ${meant}?`;
}
