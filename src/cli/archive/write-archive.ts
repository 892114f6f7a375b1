import { createWriteStream } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../config/user-error.ts';
import { printBytes } from '../output.ts';
import { toMbox } from './mbox.ts';

export type ExportFormat = 'eml' | 'mbox' | 'maildir';

/** A message on its way out. */
export interface Outgoing {
  readonly id: string;
  readonly bytes: Buffer;
  readonly sender: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface ArchiveWriter {
  add(message: Outgoing): Promise<void>;
  close(): Promise<void>;
}

/** Throws a {@link UserError} where the path can't be written. */
export async function openArchive(path: string, format: ExportFormat): Promise<ArchiveWriter> {
  try {
    switch (format) {
      case 'mbox':
        return path === '-' ? mboxOnStandardOutput() : await mboxFile(path);
      case 'eml':
        return path === '-' ? oneOnStandardOutput() : await emlDirectory(path);
      case 'maildir':
        return await maildir(path);
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

function mboxOnStandardOutput(): ArchiveWriter {
  return { add: (message) => printBytes(toMbox(message.bytes, message)), close: async () => {} };
}

function oneOnStandardOutput(): ArchiveWriter {
  let written = 0;
  return {
    add: (message) => {
      written += 1;
      if (written > 1) throw new UserError('several messages go to standard output as --format mbox alone.', 2);
      return printBytes(message.bytes);
    },
    close: async () => {},
  };
}

async function mboxFile(path: string): Promise<ArchiveWriter> {
  const stream = createWriteStream(path, { mode: 0o600 });
  await new Promise<void>((resolve, reject) => stream.once('open', () => resolve()).once('error', reject));
  const written = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => act((error) => (error ? reject(unwritable(path, error)) : resolve())));
  return {
    add: (message) => written((done) => stream.write(toMbox(message.bytes, message), done)),
    close: () => written((done) => stream.end(done)),
  };
}

async function emlDirectory(path: string): Promise<ArchiveWriter> {
  await mkdir(path, { recursive: true });
  return { add: ({ id, bytes }) => writeFile(join(path, `${id}.eml`), bytes, { mode: 0o600 }), close: async () => {} };
}

/** A file is written in tmp and moved to new: who reads the Maildir sees whole messages alone. */
async function maildir(path: string): Promise<ArchiveWriter> {
  for (const folder of ['tmp', 'new', 'cur']) await mkdir(join(path, folder), { recursive: true, mode: 0o700 });
  const host = hostname().replaceAll('/', '\\057').replaceAll(':', '\\072');
  return {
    add: async ({ id, bytes, receivedAt }) => {
      // Ids are in the order of receipt, and so are names that begin with the second and go on with the id.
      const name = `${Math.floor(receivedAt / 1_000)}.${id}.${host}`;
      await writeFile(join(path, 'tmp', name), bytes, { mode: 0o600 });
      await rename(join(path, 'tmp', name), join(path, 'new', name));
    },
    close: async () => {},
  };
}

function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof UserError) return error;
  return new UserError(`${path} can't be written (${String(error.code)}).`, 1, { cause: error });
}
