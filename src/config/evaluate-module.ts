import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './user-error.ts';

/** A mistake of a module's syntax in the message of jiti: its reason, then the file, the line and the column from 0. */
const PARSE_ERROR = /^ParseError: (.*?)\s*\n\s*(\S.*):(\d+):(\d+)\s*$/s;
const MISSING = /^Cannot find (?:module|package) '([^']+)'/;

/**
 * Evaluates a config module and returns its default export. Throws {@link ConfigError}, which tells the place of a
 * mistake.
 */
export async function evaluateModule(path: string, file: string): Promise<unknown> {
  try {
    if (file.endsWith('.ts')) return await withJiti(path);
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (error) {
    // Node tells no line of a module that it can't parse. Nothing of that module has run, so it may be read once more.
    const again = error instanceof SyntaxError ? await withJiti(path).catch((reread: unknown) => reread) : error;
    throw new ConfigError(said(again instanceof Error ? again : error, path, file), { cause: error });
  }
}

async function withJiti(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url).import(path, { default: true });
}

function said(error: unknown, path: string, file: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, , wrongPath, line = '', column = ''] = PARSE_ERROR.exec(message) ?? [];
  if (wrongPath !== undefined) {
    const wrong = relative(dirname(path), wrongPath);
    const by = wrong === file ? '' : `, which ${file} imports,`;
    return `${wrong}${by} has a mistake in its syntax: see line ${line}, column ${Number(column) + 1}.`;
  }
  if (error instanceof SyntaxError) return `${file} can't be read: ${plain(message)}.`;
  const missing = MISSING.exec(message)?.[1];
  if (missing !== undefined) return `${file} imports ${missing}, which is not there: install it, or correct its name.`;
  const at = error instanceof Error ? lineOf(error, path) : null;
  return `${file} fails as it is run${at === null ? '' : `: see line ${at}`} (${plain(message)}).`;
}

/** Returns the line of the module in which an error was thrown; null if the stack does not tell. */
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
