import { createReadStream } from 'node:fs';
import { UserError } from '../config/user-error.ts';
import { EXIT } from './command.ts';

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
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UserError(`${said} can't be read (${code}).`, EXIT.misuse, { cause: error });
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw new UserError(`${said} has more than ${maxBytes} bytes.`, EXIT.misuse);
  return bytes;
}

/** Reads all of standard input. Throws a {@link UserError} if it has more than `maxBytes`. */
export async function readStdin(maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > maxBytes) throw new UserError(`standard input holds more than ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
