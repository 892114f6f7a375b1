import type { Log as Logger } from '../../ports/log.ts';
import type { Accounting } from './accounting.ts';
import type { Room } from './room.ts';
import type { Segments } from './segments.ts';

/** Dead bytes are reclaimed at once if they exceed this share of the free space. */
const SCARCE_SHARE = 1 / 4;
/**
 * Dead bytes are also reclaimed at once if so many were added since the last reclaim. A flood of captured requests, whose
 * oldest ones are removed all the time, would otherwise fill the disk between two sweeps.
 */
const MOST_ADDED_BYTES = 256 * 1024 * 1024;

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
  #isClosed = false;
  #isRunning = false;
  #isWanted = false;
  /** The dead bytes that the last reclaim left: parts of segments that are still in use. */
  #left = 0;

  constructor(parts: PromptReclaimParts) {
    this.#parts = parts;
  }

  /** Reports a durable removal of rows. */
  removed(): void {
    this.#isWanted = true;
    if (!this.#isRunning && !this.#isClosed) void this.#run();
  }

  /** Reports that the store closes. A reclaim that it cuts short is no failure: the next start continues. */
  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    const { reclaim, logger } = this.#parts;
    this.#isRunning = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        if (!(await this.#isNeeded())) continue;
        await reclaim();
        this.#left = this.#deadBytes();
      }
    } catch (error) {
      // The next removal or sweep tries again.
      if (!this.#isClosed) logger.warn('no space was given back', { error: String(error) });
    }
    this.#isRunning = false;
  }

  async #isNeeded(): Promise<boolean> {
    const { room } = this.#parts;
    if (room.isTight) return true;
    const dead = this.#deadBytes();
    // A sweep may have reclaimed more since.
    this.#left = Math.min(this.#left, dead);
    return dead - this.#left > MOST_ADDED_BYTES || dead > (await room.freeBytes()) * SCARCE_SHARE;
  }

  #deadBytes(): number {
    const { segments, accounting } = this.#parts;
    let dead = 0;
    for (const { number, size } of segments.all) dead += size - accounting.liveBytes(number);
    return dead;
  }
}
