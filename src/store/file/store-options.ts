import type { Clock } from '../../ports/clock.ts';
import type { Disk } from '../../ports/disk.ts';

/** The lock of the directory. The process that opened it holds it. */
interface DirectoryLock {
  /** Renews the lock. */
  renew(): void;
  release(): void;
}

export interface FileStoreOptions {
  /** The directory, created if missing. `segments/` and the two snapshot files in it belong to the store. */
  readonly directory: string;
  /** With `fsync`, acknowledged data survives a power cut. With `os`, it survives only the process. */
  readonly durability: 'fsync' | 'os';
  /** The lock to release on close. The caller must make sure that nobody else uses the directory. */
  readonly lock?: DirectoryLock;
  /** With a clock, the directory and the free space are checked every second. Without one, each write checks them. */
  readonly clock?: Pick<Clock, 'after'>;
  /**
   * The boot id of the machine, or '' if unknown. If the store was last open in the same boot, no power cut has
   * happened since, and damage is never mistaken for the effect of one.
   */
  readonly boot?: string;
  /** For tests. */
  readonly disk?: Disk;
  /** For tests. The default is 64 MiB, or less on a small disk. */
  readonly segmentBytes?: number;
}
