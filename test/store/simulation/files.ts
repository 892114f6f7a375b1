import type { Disk } from '../../../src/ports/storage.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Log } from '../../../src/ports/system.ts';
import { openFileStore } from '../../../src/store/file/store.ts';

/** A segment size that a few mails fill, so that segments are sealed and reclaimed often. */
export const TINY_SEGMENT = 4_096;

export const DIRECTORY = '/data';

/** Opens the file store on a disk with tiny segments. */
export function openTinyStore(disk: Disk, logger: Log, boot = ''): Promise<Store> {
  return openFileStore({ directory: DIRECTORY, durability: 'fsync', segmentBytes: TINY_SEGMENT, disk, boot }, logger);
}
