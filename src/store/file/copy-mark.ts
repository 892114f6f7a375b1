import { join } from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import { StoreRefused } from './store-refused.ts';
import { writeFully } from './transfer.ts';

const NAME = 'unfinished-copy';
const CONTENT = Buffer.from('mailcap store copy writes this store, or was interrupted.\n');

/** Tells whether a directory holds the remains of a copy that did not end. */
export async function isUnfinishedCopy(disk: Disk, directory: string): Promise<boolean> {
  return (await disk.stat(join(directory, NAME))) !== null;
}

/**
 * Checks that a server may start on the store of a directory.
 *
 * @throws StoreRefused if it is the remains of a copy that did not end.
 */
export async function refuseUnfinished(disk: Disk, directory: string): Promise<void> {
  if (await isUnfinishedCopy(disk, directory))
    throw new StoreRefused(
      `${directory} is an unfinished copy; run \`mailcap store copy\` again, which starts it anew`,
    );
}

/** Marks a directory for good, before the first byte of a copy is in it. */
export async function markUnfinished(disk: Disk, directory: string): Promise<void> {
  const file = await disk.open(join(directory, NAME), 'replace');
  try {
    await writeFully(file, [CONTENT], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.syncDirectory(directory);
}

/** Removes the mark of a directory whose copy is whole, for good. */
export async function unmarkUnfinished(disk: Disk, directory: string): Promise<void> {
  await disk.unlink(join(directory, NAME));
  await disk.syncDirectory(directory);
}
