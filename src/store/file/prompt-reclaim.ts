import type { Log as Logger } from '../../ports/log.ts';
import type { Accounting } from './accounting.ts';
import type { Room } from './room.ts';
import type { Segments } from './segments.ts';

/** Dead bytes are reclaimed at once if they exceed this share of the free space. */
const SCARCE_SHARE = 1 / 4;

export interface PromptReclaimParts {
  readonly room: Room;
  readonly segments: Segments;
  readonly accounting: Accounting;
  readonly reclaim: () => Promise<void>;
  readonly logger: Logger;
}

/**
 * Reclaims the space of removed rows before the next sweep if the disk needs it. On a small disk, a client that deletes
 * as fast as mail arrives would otherwise be refused although little is stored. One reclaim runs at a time.
 */
export class PromptReclaim {
  readonly #parts: PromptReclaimParts;
  #isRunning = false;
  #isWanted = false;

  constructor(parts: PromptReclaimParts) {
    this.#parts = parts;
  }

  /** Reports a durable removal of rows. */
  removed(): void {
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { reclaim, logger } = this.#parts;
    this.#isRunning = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        if (await this.#isNeeded()) await reclaim();
      }
    } catch (error) {
      // The next removal or sweep tries again.
      logger.warn('no space was given back', { error: String(error) });
    }
    this.#isRunning = false;
  }

  async #isNeeded(): Promise<boolean> {
    const { room, segments, accounting } = this.#parts;
    if (room.isTight) return true;
    let dead = 0;
    for (const { number, size } of segments.all) dead += size - accounting.liveBytes(number);
    return dead > (await room.freeBytes()) * SCARCE_SHARE;
  }
}
