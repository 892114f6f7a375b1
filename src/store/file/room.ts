import { join } from 'node:path';
import { refuse } from '../../domain/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { Log as Logger } from '../../ports/log.ts';
import { writeFully } from './transfer.ts';

// A full disk must be emptied through the product, and even a removal has to be written down. So a file of a few megabytes is
// kept that means nothing. When the disk is full it goes, and what it leaves is for removals alone, until there is room again.

const SMALLEST_RESERVE = 64 * 1024;
const LARGEST_RESERVE = 8 * 1024 * 1024;
/** The reserve's part of its disk. */
const SHARE = 32;
/** Free bytes beyond the reserve below which nothing is taken. */
const MARGIN_BYTES = 4 * 1024;
const CHUNK_BYTES = 64 * 1024;

export interface RoomOptions {
  readonly disk: Disk;
  /** The directory that the reserve stands in. */
  readonly directory: string;
  readonly logger: Logger;
  /** The reserve is no larger than this, and than a part of the disk. */
  readonly atMost: number;
}

/** How much may be written, and what is kept back for removals. */
export class Room {
  readonly #options: RoomOptions;
  readonly #path: string;
  readonly #reserveBytes: number;
  #hasReserve = false;
  #isFull = false;
  #wasTold = false;
  /** How many bytes may still be taken while there is no reserve. */
  #budget = 0;
  #checking: Promise<void> | null = null;

  private constructor(options: RoomOptions, reserveBytes: number) {
    this.#options = options;
    this.#path = reservePath(options.directory);
    this.#reserveBytes = reserveBytes;
  }

  static async open(options: RoomOptions): Promise<Room> {
    const { disk, directory } = options;
    const { totalBytes } = await disk.space(directory);
    const share = Math.floor(totalBytes / SHARE / CHUNK_BYTES) * CHUNK_BYTES;
    const room = new Room(
      options,
      Math.max(SMALLEST_RESERVE, Math.min(LARGEST_RESERVE, share, options.atMost)),
    );
    const kept = await disk.stat(room.#path);
    room.#hasReserve = kept !== null && kept.size >= room.#reserveBytes;
    await room.look();
    return room;
  }

  /** Whether only removals are taken. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Counts bytes that are about to be written. Throws `disk_full` where there is no room for them. */
  take(bytes: number): void {
    if (this.#hasReserve && !this.#isFull) return;
    if (this.#isFull || bytes > this.#budget) throw refuse('disk_full');
    this.#budget -= bytes;
  }

  /** Looks for room again where there was none. Throws nothing: `take` tells. */
  async check(): Promise<void> {
    if (!this.#hasReserve || this.#isFull) await this.look();
  }

  /** Looks how much room there is, gives up the reserve where there is none, and makes it again where there is. */
  async look(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
  }

  /** The disk refused a write, for this reason. */
  async refused(cause: unknown): Promise<void> {
    if (!isNoSpace(cause)) return;
    await this.#giveUp();
  }

  /** Free bytes that a copy may be made in. */
  async freeBytes(): Promise<number> {
    const { freeBytes } = await this.#options.disk.space(this.#options.directory);
    return freeBytes;
  }

  async #look(): Promise<void> {
    let free: number;
    try {
      free = await this.freeBytes();
    } catch {
      // A disk that can't be asked is found out by the next write.
      return;
    }
    if (this.#hasReserve) {
      if (free < MARGIN_BYTES) await this.#giveUp();
      return;
    }
    if (free > 2 * this.#reserveBytes && (await this.#makeReserve())) {
      this.#isFull = false;
      if (this.#wasTold) this.#options.logger.info('the disk has room again: mail and captures are taken');
      this.#wasTold = false;
      return;
    }
    this.#budget = Math.max(0, free - this.#reserveBytes);
    this.#isFull = this.#budget < MARGIN_BYTES;
    if (this.#isFull) this.#tell();
  }

  async #giveUp(): Promise<void> {
    this.#isFull = true;
    this.#budget = 0;
    this.#tell();
    this.#hasReserve = false;
    const { disk, directory } = this.#options;
    try {
      if ((await disk.stat(this.#path)) !== null) await disk.unlink(this.#path);
      await disk.syncDirectory(directory);
    } catch {
      // Removals then have what room there is.
    }
  }

  async #makeReserve(): Promise<boolean> {
    const { disk, directory } = this.#options;
    try {
      const file = await disk.open(this.#path, 'replace');
      try {
        const chunk = Buffer.alloc(CHUNK_BYTES, 0xa5);
        for (let at = 0; at < this.#reserveBytes; at += chunk.length) await writeFully(file, [chunk], at);
        await file.sync();
      } finally {
        await file.close();
      }
      await disk.syncDirectory(directory);
      this.#hasReserve = true;
      return true;
    } catch {
      await disk.unlink(this.#path).catch(() => {});
      return false;
    }
  }

  #tell(): void {
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.#options.logger.warn(
      `the disk of ${this.#options.directory} is full: only removals are taken; delete messages, reset, or free space`,
    );
  }
}

function reservePath(directory: string): string {
  return join(directory, 'reserve');
}

/** Gives up the reserve of a store that is not open, so that it can be opened on a full disk. Whether there was one. */
export async function releaseReserve(disk: Disk, directory: string): Promise<boolean> {
  const path = reservePath(directory);
  if ((await disk.stat(path)) === null) return false;
  await disk.unlink(path);
  await disk.syncDirectory(directory);
  return true;
}

/** Whether an error says that there is no space: the disk's, or the user's quota of it. */
export function isNoSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')) return true;
  }
  return false;
}
