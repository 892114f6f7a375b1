import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { saveInto } from '../../src/client/mailbox/message.ts';

// The only module of the terminal inbox that reads the clock, sets timers or writes files.

/** Returns the milliseconds since 1970 by the clock of this machine. */
export function now(): number {
  return Date.now();
}

/** Calls `act` once after a delay. The returned function cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/** Resolves after a delay, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      callOff();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const callOff = after(ms, done);
    signal.addEventListener('abort', done);
  });
}

/** The name of the directory for attachments. Tools that run in the working directory do not read it as their own. */
const DIRECTORY = 'mailcap-attachments';

/** Returns the directory for attachments in a working directory. */
export function attachmentsIn(working: string): string {
  return join(working, DIRECTORY);
}

/** Saves an attachment in a directory, which it creates with a `.gitignore`, and returns its file name. */
export async function saveInDirectory(directory: string, name: string, bytes: Uint8Array): Promise<string> {
  const created = await mkdir(directory, { recursive: true });
  if (created !== undefined) await writeFile(join(directory, '.gitignore'), '*\n', { flag: 'wx' });
  return basename(await saveInto(directory, name, bytes));
}

/** Shortens a directory for display: the home directory becomes `~`. */
export function saidDirectory(directory: string, home: string | undefined): string {
  if (home === undefined || home === '' || home === '/') return directory;
  if (directory === home) return '~';
  return directory.startsWith(home + sep) ? `~${directory.slice(home.length)}` : directory;
}
