import type { Disk } from '../../../src/ports/disk.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Store } from '../../../src/ports/store.ts';
import { openFileStore } from '../../../src/store/file/store.ts';

/** So small that a few mails fill one: seals and reclaims happen all the time. */
export const TINY_SEGMENT = 4_096;

export const DIRECTORY = '/data';

/** The file store on a disk, with tiny segments. */
export function openTinyStore(disk: Disk, logger: Log, boot = ''): Promise<Store> {
  return openFileStore({ directory: DIRECTORY, durability: 'fsync', segmentBytes: TINY_SEGMENT, disk, boot }, logger);
}
