import type { Disk } from '../../ports/storage.ts';
import type { Log as Logger } from '../../ports/system.ts';

/** The error for a directory that is gone or was replaced. */
class DirectoryLost extends Error {
  override readonly name = 'DirectoryLost';
}

/**
 * Detects that the directories of the store were removed, unmounted or replaced while it runs. Otherwise the store
 * would write to open files that no path leads to any more.
 */
export class DirectoryWatch {
  readonly #disk: Disk;
  readonly #logger: Logger;
  readonly #identities = new Map<string, string>();
  #isLost = false;

  constructor(disk: Disk, logger: Logger) {
    this.#disk = disk;
    this.#logger = logger;
  }

  /** Starts to watch a directory, or a permanent file, in its current state. */
  async watch(path: string): Promise<void> {
    const facts = await this.#disk.stat(path);
    if (facts !== null) this.#identities.set(path, facts.identity);
  }

  /** Tells whether a directory was lost. It stays true, because the state of the files is unknown from then on. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Checks everything watched. Returns false if something was lost. */
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

  /** Throws {@link DirectoryLost} if something watched was lost. */
  async check(): Promise<void> {
    if (!(await this.look())) throw new DirectoryLost('the directory of the store was taken away');
  }
}
