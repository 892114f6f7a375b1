import type { Disk } from '../../ports/disk.ts';
import type { Log as Logger } from '../../ports/log.ts';

/** Thrown where the directory is gone, or another stands in its place. */
export class DirectoryLost extends Error {
  override readonly name = 'DirectoryLost';
}

/**
 * Notices that the directories of the store were taken away while it runs: removed, unmounted, or replaced by others. Handles
 * to the old files would go on taking bytes that nobody finds again.
 */
export class Guard {
  readonly #disk: Disk;
  readonly #logger: Logger;
  readonly #identities = new Map<string, string>();
  #isLost = false;

  constructor(disk: Disk, logger: Logger) {
    this.#disk = disk;
    this.#logger = logger;
  }

  /** Takes note of a directory, or a file that stays, as it is now. */
  async watch(path: string): Promise<void> {
    const facts = await this.#disk.stat(path);
    if (facts !== null) this.#identities.set(path, facts.identity);
  }

  /** Once true, this stays so: what happened to the files meanwhile is not known. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Looks whether everything watched still stands where it stood. */
  async look(): Promise<boolean> {
    for (const [path, identity] of this.#identities) {
      if (this.#isLost) break;
      const found = await this.#disk.stat(path).catch(() => null);
      if (found?.identity === identity) continue;
      this.#isLost = true;
      const what = found === null ? 'is gone' : 'was replaced by another';
      this.#logger.error(`${path} ${what} while the server used it: nothing is written any more; restart mailcap`);
    }
    return !this.#isLost;
  }

  /** Throws {@link DirectoryLost} unless everything watched still stands where it stood. */
  async check(): Promise<void> {
    if (!(await this.look())) throw new DirectoryLost('the directory of the store was taken away');
  }
}
