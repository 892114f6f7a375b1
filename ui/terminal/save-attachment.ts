import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { saveInto } from '../../src/client/mailbox/message.ts';

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
