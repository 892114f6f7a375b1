import { join } from 'node:path';
import { refuse } from '../../domain/errors.ts';
import type { Disk } from '../../ports/storage.ts';
import type { Log as Logger } from '../../ports/system.ts';
import { cutFile, withFile, writeFully } from './transfer.ts';

// Users must be able to free a full disk by deleting mail, and even a removal needs space for its record. So the store
// keeps a reserve file of a few megabytes. On a full disk the file is shortened, and the freed space is used for
// removals and for the copies that free more space. The file is shortened in pieces, and only when needed, because
// other programs might take the freed space.

const RESERVE = 'reserve';
const SMALLEST_RESERVE = 64 * 1024;
const LARGEST_RESERVE = 8 * 1024 * 1024;
/** The reserve takes at most this fraction of its disk: one part in 32. */
const SHARE = 32;
/** The reserve is shortened in pieces of an eighth of its size, within these bounds in bytes. */
const PIECES = 8;
const SMALLEST_PIECE = 16 * 1024;
const LARGEST_PIECE = 256 * 1024;
/** The free bytes beyond the reserve below which the disk counts as full. */
const MARGIN_BYTES = 4 * 1024;
const CHUNK_BYTES = 64 * 1024;

export interface ReserveOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly logger: Logger;
  /** The largest reserve, in bytes. A share of the disk limits it too. */
  readonly atMost: number;
}

/** Decides how much may be written, and keeps a reserve for removals. */
export class DiskReserve {
  readonly #options: ReserveOptions;
  readonly #path: string;
  readonly #reserveBytes: number;
  /** The current length of the reserve. */
  #reserveLeft = 0;
  #isFull = false;
  #wasTold = false;
  /** The free bytes when the disk became full. Only bytes freed beyond them may be used. */
  #floor = 0;
  /** The bytes that may still be written while the reserve is incomplete. */
  #budget = 0;
  #looking: Promise<void> | null = null;

  private constructor(options: ReserveOptions, reserveBytes: number) {
    this.#options = options;
    this.#path = join(options.directory, RESERVE);
    this.#reserveBytes = reserveBytes;
  }

  static async open(options: ReserveOptions): Promise<DiskReserve> {
    const { disk, directory, atMost } = options;
    const { totalBytes } = await disk.space(directory);
    const share = Math.floor(totalBytes / SHARE / CHUNK_BYTES) * CHUNK_BYTES;
    const reserve = new DiskReserve(options, Math.max(SMALLEST_RESERVE, Math.min(LARGEST_RESERVE, share, atMost)));
    const kept = await disk.stat(reserve.#path);
    reserve.#reserveLeft = Math.min(kept?.size ?? 0, reserve.#reserveBytes);
    await reserve.look();
    return reserve;
  }

  /** Tells whether only removals are accepted. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Tells whether the space of removed rows must be reclaimed at once. */
  get isTight(): boolean {
    return this.#isFull || !this.#isWhole;
  }

  /** Accounts for bytes about to be written. Throws `disk_full` if there is no room. */
  take(bytes: number): void {
    if (this.#isWhole && !this.#isFull) return;
    if (this.#isFull || bytes > this.#budget) throw refuse('disk_full');
    this.#budget -= bytes;
  }

  /** Checks for room again if there was none. It never throws; `take` reports the result. */
  async check(): Promise<void> {
    if (this.isTight) await this.look();
  }

  /** Measures the free space and adjusts the reserve. It never throws. */
  async look(): Promise<void> {
    this.#looking ??= this.#look()
      // The next write reveals a disk that cannot be queried.
      .catch(() => {})
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }

  /** Reacts to a write that the disk refused. */
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
   * Makes room for a removal and `bytes` more. The reserve is used only now, because another program might take space
   * that is freed earlier. It never throws; the following write reports the result.
   */
  async makeReady(bytes = 0): Promise<void> {
    await this.#free(this.#pieceBytes + bytes).catch(() => {});
  }

  /** Makes room for a copy of this size at the cost of the reserve. Returns false if it cannot. */
  async makeFree(bytes: number): Promise<boolean> {
    return (await this.#free(bytes)) >= bytes;
  }

  /** Returns the free bytes, including the reserve. */
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

  /** Shortens the reserve until this many bytes are free. Returns the free bytes. */
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
      await withFile(disk, this.#path, 'replace', async (file) => {
        const chunk = Buffer.alloc(CHUNK_BYTES, 0xa5);
        for (this.#reserveLeft = 0; this.#reserveLeft < this.#reserveBytes; this.#reserveLeft += chunk.length)
          await writeFully(file, [chunk], this.#reserveLeft);
        await file.sync();
      });
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
 * Frees a dispensable piece of a closed store, so that it can be opened on a full disk: first of the reserve, then the
 * indexes, which can be rebuilt. Returns whether there was anything to free.
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

/** Tells whether an error means that the disk or the user's quota is full. */
export function isNoSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')) return true;
  }
  return false;
}
