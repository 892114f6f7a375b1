import { join } from 'node:path';
import { refuse } from '../../domain/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { Log as Logger } from '../../ports/log.ts';
import { cutFile, writeFully } from './transfer.ts';

// A full disk must be emptied through the product, and even a removal has to be written down. So a file of a few megabytes is
// kept that means nothing. On a full disk it is cut shorter piece by piece, and what that frees is for removals and for the
// copies that give space back, until there is room again. It goes in pieces, and when it is needed, because others fill the disk too.

const RESERVE = 'reserve';
const SMALLEST_RESERVE = 64 * 1024;
const LARGEST_RESERVE = 8 * 1024 * 1024;
/** The reserve's part of its disk. */
const SHARE = 32;
/** The reserve is given up in pieces: an eighth of it, within these bounds. */
const PIECES = 8;
const SMALLEST_PIECE = 16 * 1024;
const LARGEST_PIECE = 256 * 1024;
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
  /** How long the reserve is now. */
  #reserveLeft = 0;
  #isFull = false;
  #wasTold = false;
  /** The bytes left when the disk became full: only what is given back beyond them may be taken. */
  #floor = 0;
  /** How many bytes may still be taken while the reserve is not whole. */
  #budget = 0;
  #looking: Promise<void> | null = null;

  private constructor(options: RoomOptions, reserveBytes: number) {
    this.#options = options;
    this.#path = join(options.directory, RESERVE);
    this.#reserveBytes = reserveBytes;
  }

  static async open(options: RoomOptions): Promise<Room> {
    const { disk, directory, atMost } = options;
    const { totalBytes } = await disk.space(directory);
    const share = Math.floor(totalBytes / SHARE / CHUNK_BYTES) * CHUNK_BYTES;
    const room = new Room(options, Math.max(SMALLEST_RESERVE, Math.min(LARGEST_RESERVE, share, atMost)));
    const kept = await disk.stat(room.#path);
    room.#reserveLeft = Math.min(kept?.size ?? 0, room.#reserveBytes);
    await room.look();
    return room;
  }

  /** True while only removals are taken. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** True while the space of removed rows is to be given back at once. */
  get isTight(): boolean {
    return this.#isFull || !this.#isWhole;
  }

  /** Counts bytes that are about to be written. Throws `disk_full` where there is no room for them. */
  take(bytes: number): void {
    if (this.#isWhole && !this.#isFull) return;
    if (this.#isFull || bytes > this.#budget) throw refuse('disk_full');
    this.#budget -= bytes;
  }

  /** Looks for room again where there was none. Throws nothing: `take` tells. */
  async check(): Promise<void> {
    if (this.isTight) await this.look();
  }

  /** Looks how much room there is, and gives up of the reserve or makes it whole again. Throws nothing. */
  async look(): Promise<void> {
    this.#looking ??= this.#look()
      // A disk that can't be asked is found out by the next write.
      .catch(() => {})
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }

  /** The disk refused a write, for this reason. */
  async refused(cause: unknown): Promise<void> {
    if (!isNoSpace(cause)) return;
    this.#budget = 0;
    try {
      this.#become(true, await this.freeBytes());
      this.#tell();
    } catch {
      this.#isFull = true;
    }
  }

  /**
   * Sees to it that a removal can be written down, and `bytes` beside it. Only now is the reserve touched: what is given up
   * sooner, another program may take. Throws nothing: the write tells.
   */
  async makeReady(bytes = 0): Promise<void> {
    await this.#free(this.#pieceBytes + bytes).catch(() => {});
  }

  /** Sees to it that a copy of this size can be made, and gives up what that takes of the reserve. False where it can't be. */
  async makeFree(bytes: number): Promise<boolean> {
    return (await this.#free(bytes)) >= bytes;
  }

  /** Free bytes, those of the reserve among them. */
  async freeBytes(): Promise<number> {
    return (await this.#diskFree()) + this.#reserveLeft;
  }

  get #pieceBytes(): number {
    return pieceOf(this.#reserveBytes);
  }

  get #isWhole(): boolean {
    return this.#reserveLeft >= this.#reserveBytes;
  }

  async #look(): Promise<void> {
    const free = await this.#diskFree();
    if (this.#isWhole && !this.#isFull && free >= MARGIN_BYTES) return;
    const total = free + this.#reserveLeft;
    if (total > 2 * this.#reserveBytes && (await this.#makeWhole())) {
      this.#isFull = false;
      if (this.#wasTold) this.#options.logger.info('the disk has room again: mail and captures are taken');
      this.#wasTold = false;
      return;
    }
    const floor = this.#wasTold ? this.#floor : this.#reserveBytes;
    this.#budget = Math.max(0, total - floor);
    this.#become(this.#budget < MARGIN_BYTES, total);
    if (this.#isFull) this.#tell();
  }

  #become(isFull: boolean, total: number): void {
    if (isFull && !this.#wasTold) this.#floor = Math.min(this.#reserveBytes, total);
    this.#isFull = isFull;
  }

  async #diskFree(): Promise<number> {
    return (await this.#options.disk.space(this.#options.directory)).freeBytes;
  }

  /** Cuts the reserve until so many bytes are free; how many are. */
  async #free(bytes: number): Promise<number> {
    let free = await this.#diskFree();
    while (free < bytes && this.#reserveLeft > 0) {
      const left = Math.max(0, this.#reserveLeft - Math.max(this.#pieceBytes, bytes - free));
      await cutReserve(this.#options.disk, this.#path, left);
      this.#reserveLeft = left;
      free = await this.#diskFree();
    }
    return free;
  }

  async #makeWhole(): Promise<boolean> {
    const { disk, directory } = this.#options;
    try {
      const file = await disk.open(this.#path, 'replace');
      this.#reserveLeft = 0;
      try {
        const chunk = Buffer.alloc(CHUNK_BYTES, 0xa5);
        for (; this.#reserveLeft < this.#reserveBytes; this.#reserveLeft += chunk.length)
          await writeFully(file, [chunk], this.#reserveLeft);
        await file.sync();
      } finally {
        await file.close();
      }
      await disk.syncDirectory(directory);
      return true;
    } catch {
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

function pieceOf(reserveBytes: number): number {
  return Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, Math.floor(reserveBytes / PIECES)));
}

async function cutReserve(disk: Disk, path: string, left: number): Promise<void> {
  if ((await disk.stat(path)) !== null) await cutFile(disk, path, left);
}

/**
 * Gives up a piece of what a store that is not open can do without, so that it can be opened on a full disk: of the reserve, or
 * where that is gone the indexes, which are made anew from their segments. Whether there was anything.
 */
export async function giveUpReserve(disk: Disk, directory: string): Promise<boolean> {
  if ((await disk.stat(directory)) === null) return false;
  const path = join(directory, RESERVE);
  const reserve = (await disk.stat(path))?.size ?? 0;
  if (reserve > 0) {
    await cutReserve(disk, path, Math.max(0, reserve - pieceOf(reserve)));
    return true;
  }
  const indexes = (await disk.list(directory)).filter((name) => name.endsWith('.idx'));
  for (const name of indexes) await disk.unlink(join(directory, name));
  await disk.syncDirectory(directory);
  return indexes.length > 0;
}

/** Tells whether an error says that there is no space, on the disk or in the user's quota of it. */
export function isNoSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')) return true;
  }
  return false;
}
