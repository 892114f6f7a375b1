import { createReadStream } from 'node:fs';
import { ConfigError, UserError } from '../config/user-error.ts';
import { errorCode } from '../text/unknown.ts';
import { type Arguments, EXIT } from './command.ts';

/**
 * Reads a file that the command line names, or a pipe. Throws a {@link UserError}, in which `said` names it, if it can't
 * be read or has more than `maxBytes`.
 */
export async function readGiven(path: string, maxBytes: number, said = path): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    // A device such as /dev/zero has no size and no end.
    for await (const chunk of createReadStream(path, { end: maxBytes })) chunks.push(chunk);
  } catch (error) {
    throw new UserError(`${said}: ${whyUnreadable(error)}.`, EXIT.misuse, { cause: error });
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw new UserError(`${said} has more than ${maxBytes} bytes.`, EXIT.misuse);
  return bytes;
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a directory',
};

export function whyUnreadable(error: unknown): string {
  const code = errorCode(error) ?? String(error);
  return WHY[code] ?? `it can't be read (${code})`;
}

/** Reads all of standard input. Throws a {@link UserError} if it has more than `maxBytes`. */
export async function readStdin(maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of standardInput()) {
    size += bytes.length;
    if (size > maxBytes) throw new UserError(`standard input holds more than ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export async function* standardInput(): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of process.stdin) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}

/** Reads --data: a text, `@file`, or `@-` for standard input; null if it was not given. */
export async function readData(args: Arguments, maxBytes: number): Promise<Buffer | null> {
  const data = args.value('data');
  if (data === null) return null;
  if (!data.startsWith('@')) return Buffer.from(data);
  if (data === '@-') return readStdin(maxBytes);
  if (data === '@') throw new ConfigError('--data: expected a text, @file, or @- for standard input.');
  return readGiven(data.slice(1), maxBytes, `--data: ${data.slice(1)}`);
}
