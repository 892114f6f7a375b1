import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nearest } from './nearest.ts';
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
    if (file.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8'));
    if (file.endsWith('.ts')) {
      const { createJiti } = await import('jiti');
      return await createJiti(import.meta.url).import(path, { default: true });
    }
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (error) {
    if (file.endsWith('.json') && error instanceof SyntaxError)
      throw new ConfigError(`${file} is no JSON${lineOfJson(error.message, path)}.`, { cause: error });
    const said = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file} can't be read: ${said}`, { cause: error });
  }
}

/** Returns the place in a file that the parser's message names: `: see line 3`; '' if it names none. */
function lineOfJson(message: string, path: string): string {
  const text = readFileSync(path, 'utf8');
  const position = / at position (\d+)/.exec(message)?.[1];
  const end = position === undefined ? (/end of JSON input/.test(message) ? text.length : null) : Number(position);
  if (end === null) {
    const [, token, around = ''] =
      /^Unexpected token '(.)', (?:\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not/u.exec(message) ?? [];
    const at = token === undefined ? -1 : text.indexOf(around) + around.indexOf(token);
    return at < 0 ? '' : `: see line ${lineAt(text, at)}`;
  }
  return `: see line ${lineAt(text, end)}`;
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
