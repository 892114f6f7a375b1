import { join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import { StoreRefused } from './errors.ts';
import { writeFile } from './transfer.ts';

const NAME = 'unfinished-copy';
const CONTENT = Buffer.from('mailcap store copy writes this store, or was interrupted.\n');

/** Tells whether a directory is the unfinished target of a copy. */
export async function isUnfinishedCopy(disk: Disk, directory: string): Promise<boolean> {
  return (await disk.stat(join(directory, NAME))) !== null;
}

/**
 * Checks that a server may start with the store of a directory.
 *
 * @throws StoreRefused if the directory is the unfinished target of a copy.
 */
export async function refuseUnfinished(disk: Disk, directory: string): Promise<void> {
  if (await isUnfinishedCopy(disk, directory))
    throw new StoreRefused(
      `${directory} is an unfinished copy; run \`mailcap store copy\` again, which starts it anew`,
    );
}

/** Marks a directory as the target of a copy. The mark is durable before the first byte is copied. */
export async function markUnfinished(disk: Disk, directory: string): Promise<void> {
  await writeFile(disk, join(directory, NAME), [CONTENT]);
  await disk.syncDirectory(directory);
}

/** Removes the mark of a complete copy durably. */
export async function unmarkUnfinished(disk: Disk, directory: string): Promise<void> {
  await disk.unlink(join(directory, NAME));
  await disk.syncDirectory(directory);
}
