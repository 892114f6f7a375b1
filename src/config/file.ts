import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importModule } from '../own-files.ts';
import { otherWriter } from '../ownership.ts';
import { fileText } from '../text/file-text.ts';
import { nearest } from '../text/nearest.ts';
import { isOptionName, OPTIONS } from './options.ts';
import { FILE_OPTIONS, isFileOption, type OptionSource } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type GivenValue, misplaced } from './value.ts';

const NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map((extension) => `mailcap.config.${extension}`);
/** The names that other programs read. Options in such a file would have no effect, so a start refuses it. */
const UNREAD = [
  ...['jsonc', 'json5', 'yaml', 'yml', 'toml'].map((extension) => `mailcap.config.${extension}`),
  ...['.mailcaprc', '.mailcaprc.json'],
];

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
  const unread = UNREAD.find((name) => existsSync(join(cwd, name)));
  if (unread !== undefined) throw new ConfigError(`${unread} is not read: ${IN_OTHER_FILE}`);
  if (file === undefined) return new Map();
  if (other !== undefined) throw new ConfigError(`this directory holds both ${file} and ${other}: remove one of them.`);
  if (reads === 'json' && isProgram(file)) return new Map();
  throwIfOthersWrite(join(cwd, file), file);
  const content = await evaluate(join(cwd, file), file);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${file}: expected an object; a module must export it as its default.`);
  }
  const source = new Map<string, GivenValue>();
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const given: GivenValue = { name, file, value };
    if (!isOptionName(name) && !isFileOption(name)) throw misplaced(given, `no such key${suggestion(name)}`);
    source.set(name, given);
  }
  return source;
}

const IN_OTHER_FILE = 'write its options to mailcap.config.json, or export them from mailcap.config.ts, .js or .cjs.';

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
    if (file.endsWith('.json')) return parseJsonFile(fileText(await readFile(path)), file);
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
  const keys = [...Object.keys(OPTIONS), ...Object.keys(FILE_OPTIONS)];
  const meant = keys.find((key) => key.toLowerCase() === plain) ?? nearest(name, keys);
  return meant === null ? '.' : `; did you mean ${meant}?`;
}

/**
 * Matches jiti's message for a syntax error. The groups are the reason, the file, the line from 1 and the column from
 * 0.
 */
const PARSE_ERROR = /^ParseError: (.*?)\s*\n\s*(\S.*):(\d+):(\d+)\s*$/s;
const MISSING = /^Cannot find (?:module|package) '([^']+)'/;

/**
 * Evaluates a config module and returns its default export. Throws a {@link ConfigError} that names the line of the
 * error if it is known.
 */
async function evaluateModule(path: string, file: string): Promise<unknown> {
  try {
    if (/\.[cm]?ts$/.test(file)) return await withJiti(path);
    return exportedBy((await importModule(pathToFileURL(path).href)).default);
  } catch (error) {
    // Node does not report the line of a syntax error, but jiti does. The module has not run yet, so it can be loaded
    // again.
    const again = error instanceof SyntaxError ? await withJiti(path).catch((reread: unknown) => reread) : error;
    throw new ConfigError(said(again instanceof Error ? again : error, path, file), { cause: error });
  }
}

/** Returns the default export. A compiler that writes CommonJS puts it into a field of what `require` returns. */
function exportedBy(content: unknown): unknown {
  const isCompiled = typeof content === 'object' && content !== null && '__esModule' in content && 'default' in content;
  return isCompiled ? content.default : content;
}

async function withJiti(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // jiti would keep what it compiled in the shared directory for temporary files, and run what it finds there. Another
  // user can make that directory first.
  return createJiti(import.meta.url, { fsCache: false }).import(path, { default: true });
}

function said(error: unknown, path: string, file: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, , wrongPath, line = '', column = ''] = PARSE_ERROR.exec(message) ?? [];
  if (wrongPath !== undefined) {
    const wrong = relative(dirname(path), wrongPath);
    const by = wrong === file ? '' : `, which ${file} imports,`;
    return `${wrong}${by} has a syntax error: see line ${line}, column ${Number(column) + 1}.`;
  }
  if (error instanceof SyntaxError) return `${file} can't be read: ${plain(message)}.`;
  const missing = MISSING.exec(message)?.[1];
  if (missing !== undefined)
    return `${file} imports ${missing}, which does not exist: install it, or correct its name.`;
  const at = error instanceof Error ? lineOf(error, path) : null;
  return `${file} throws an error when it is loaded${at === null ? '' : `: see line ${at}`} (${plain(message)}).`;
}

/** Returns the line of the module in which an error was thrown; null if the stack does not name it. */
function lineOf({ stack = '' }: Error, path: string): string | null {
  for (const name of [path, pathToFileURL(path).href]) {
    const start = stack.indexOf(`${name}:`);
    const line = start < 0 ? undefined : /^\d+/.exec(stack.slice(start + name.length + 1))?.[0];
    if (line !== undefined) return line;
  }
  return null;
}

function plain(message: string): string {
  return (message.split('\n')[0] ?? '').trim().replace(/\.$/, '').slice(0, 200);
}

/**
 * Parses the JSON of a file. Throws a {@link ConfigError}, which names the line if JSON.parse reports where it stopped.
 */
export function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = error instanceof Error ? positionIn(text, error.message) : null;
    const where = at === null ? '' : `: see line ${lineAt(text, at)}`;
    throw new ConfigError(`${file} is not valid JSON${where}.`, { cause: error });
  }
}

/** Returns the position in a text that the message of JSON.parse names; null if it names none. */
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
