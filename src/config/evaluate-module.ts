import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './user-error.ts';

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
export async function evaluateModule(path: string, file: string): Promise<unknown> {
  try {
    if (file.endsWith('.ts')) return await withJiti(path);
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (error) {
    // Node does not report the line of a syntax error, but jiti does. The module has not run yet, so it can be loaded
    // again.
    const again = error instanceof SyntaxError ? await withJiti(path).catch((reread: unknown) => reread) : error;
    throw new ConfigError(said(again instanceof Error ? again : error, path, file), { cause: error });
  }
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
