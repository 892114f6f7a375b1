import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../config/user-error.ts';
import { makeDirectory } from '../../make-directory.ts';
import { printBytes } from '../output.ts';
import { toMbox } from './mbox.ts';

export type ExportFormat = 'eml' | 'mbox' | 'maildir';

/** A message to write. */
export interface MessageToWrite {
  readonly id: string;
  readonly bytes: Buffer;
  readonly sender: string;
  /** The time of receipt, in milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface ArchiveWriter {
  add(message: MessageToWrite): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an archive for writing the messages with these ids. `replaces` allows it to overwrite files. Throws a
 * {@link UserError} if the path can't be written, or if a file that it would overwrite exists.
 */
export async function openArchive(
  path: string,
  format: ExportFormat,
  ids: readonly string[],
  replaces: boolean,
): Promise<ArchiveWriter> {
  try {
    switch (format) {
      case 'mbox':
        return path === '-' ? mboxOnStandardOutput() : await mboxFile(path, replaces);
      case 'eml':
        return path === '-' ? oneOnStandardOutput() : await emlDirectory(path, ids, replaces);
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
      if (written > 1)
        throw new UserError('standard output takes several messages only as an mbox: give --format mbox.', 2);
      return printBytes(message.bytes);
    },
    close: async () => {},
  };
}

async function mboxFile(path: string, replaces: boolean): Promise<ArchiveWriter> {
  const stream = createWriteStream(path, { mode: 0o600, flags: replaces || isDevice(path) ? 'w' : 'wx' });
  await new Promise<void>((resolve, reject) => stream.once('open', () => resolve()).once('error', reject));
  const written = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => act((error) => (error ? reject(unwritable(path, error)) : resolve())));
  return {
    add: (message) => written((done) => stream.write(toMbox(message.bytes, message), done)),
    close: () => written((done) => stream.end(done)),
  };
}

async function emlDirectory(path: string, ids: readonly string[], replaces: boolean): Promise<ArchiveWriter> {
  makeDirectory(path);
  const there = new Set(readdirSync(path));
  const taken = ids.map((id) => `${id}.eml`).find((name) => there.has(name));
  // Nothing is written if one file can't be.
  if (taken !== undefined && !replaces) throw new UserError(`${join(path, taken)} ${whyNot('EEXIST')}`);
  return { add: ({ id, bytes }) => writeNew(join(path, `${id}.eml`), bytes, replaces), close: async () => {} };
}

/** Writes a new file, never through a link. */
async function writeNew(path: string, bytes: Uint8Array, replaces: boolean): Promise<void> {
  try {
    if (replaces) await rm(path, { force: true });
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Writes each file in `tmp` and moves it to `new`, so that a reader of the Maildir never sees a partial message. */
async function maildir(path: string): Promise<ArchiveWriter> {
  for (const folder of ['tmp', 'new', 'cur']) makeDirectory(join(path, folder), 0o700);
  const host = hostname().replaceAll('/', '\\057').replaceAll(':', '\\072');
  return {
    add: async ({ id, bytes, receivedAt }) => {
      // The name begins with the second of receipt and goes on with the id, so that names sort in the order of receipt.
      const name = `${Math.floor(receivedAt / 1_000)}.${id}.${host}`;
      // Only an interrupted export leaves this name there, or somebody who wants a link followed.
      await writeNew(join(path, 'tmp', name), bytes, true);
      await rename(join(path, 'tmp', name), join(path, 'new', name));
    },
    close: async () => {},
  };
}

/** Tells whether the path is a device or a pipe, such as /dev/stdout, which may be written to although it exists. */
function isDevice(path: string): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  return about !== undefined && !about.isFile() && !about.isDirectory();
}

function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof UserError) return error;
  return new UserError(`${path} ${whyNot(String(error.code))}`, 1, { cause: error });
}

function whyNot(code: string): string {
  switch (code) {
    case 'EEXIST':
      return 'exists already: overwrite it with --force, or choose another name.';
    case 'EISDIR':
      return 'is a directory: name a file in it for an mbox, or choose --format eml or maildir.';
    case 'ENOTDIR':
      return "can't be created: a part of its path is not a directory.";
    case 'ENOENT':
      return "can't be created: its directory does not exist, or the system allows no new files there.";
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return "can't be written: this user lacks the permission.";
    case 'ENOSPC':
    case 'EDQUOT':
      return "can't be written: the disk is full.";
    default:
      return `can't be written (${code}).`;
  }
}
