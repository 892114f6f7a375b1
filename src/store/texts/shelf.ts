import { join } from 'node:path';
import type { Disk } from '../../ports/storage.ts';
import { readFully, withFile, writeFully } from '../file/transfer.ts';
import type { ReadBlock } from './block.ts';

/** A block where it is kept. */
export interface KeptBlock {
  readonly bytes: number;
  readonly read: ReadBlock;
  /** Overwrites the bytes with zeros and removes them. */
  erase(): Promise<void>;
}

/** The place where blocks are kept. */
export interface Shelf {
  /** The id of the store: eight bytes in hexadecimal. */
  readonly store: string;
  /** Returns the blocks from before, the oldest first. Of those that cover the same ids, the last is the current one. */
  open(): Promise<KeptBlock[]>;
  /** Keeps a block. Nothing is kept if it fails. */
  write(parts: readonly Uint8Array[]): Promise<KeptBlock>;
}

/** The id of a store in memory. */
export const MEMORY_STORE = '0000000000000000';

/** Keeps blocks in memory, for a store in memory. */
export class MemoryShelf implements Shelf {
  readonly store = MEMORY_STORE;

  async open(): Promise<KeptBlock[]> {
    return [];
  }

  async write(parts: readonly Uint8Array[]): Promise<KeptBlock> {
    const bytes = Buffer.concat(parts);
    return { bytes: bytes.length, read: async (at, length) => bytes.subarray(at, at + length), erase: async () => {} };
  }
}

/** The error for a disk that has no room for texts, which is left for mail. */
class NoRoomForTexts extends Error {
  override readonly name = 'NoRoomForTexts';
}

/** The directory of the texts, inside the store's directory. */
export const TEXTS_DIRECTORY = 'texts';
const NAME = /^(\d{8})\.texts$/;
const UNFINISHED = /^\d{8}\.texts\.new$/;
/** Texts leave one part in 16 of a disk to mail, but at most this many bytes. */
const LEFT_SHARE = 16;
const LEFT_BYTES = 512 * 1024 * 1024;
const ZEROS = Buffer.alloc(256 * 1024);

/** Tells whether a directory has texts from before. */
export async function hasTexts(disk: Disk, directory: string): Promise<boolean> {
  if ((await disk.stat(directory))?.kind !== 'directory') return false;
  return (await disk.list(directory)).some((name) => NAME.test(name) || UNFINISHED.test(name));
}

/** Keeps each block in a file of a directory. */
export class FileShelf implements Shelf {
  readonly store: string;
  readonly #disk: Disk;
  readonly #directory: string;
  #next = 1;

  constructor(disk: Disk, directory: string, store: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.store = store;
  }

  async open(): Promise<KeptBlock[]> {
    if ((await this.#disk.stat(this.#directory))?.kind !== 'directory') return [];
    const names = (await this.#disk.list(this.#directory)).sort();
    const kept: KeptBlock[] = [];
    for (const name of names) {
      const path = join(this.#directory, name);
      if (UNFINISHED.test(name)) await this.#erase(path);
      const [, number] = NAME.exec(name) ?? [];
      if (number === undefined) continue;
      this.#next = Math.max(this.#next, Number(number) + 1);
      const facts = await this.#disk.stat(path);
      if (facts?.kind === 'file') kept.push(this.#kept(path, facts.size));
      // A link or a pipe was made by somebody else. Only its name goes.
      else if (facts?.kind === 'other') await this.#disk.unlink(path);
    }
    return kept;
  }

  async write(parts: readonly Uint8Array[]): Promise<KeptBlock> {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    await this.#disk.makeDirectory(this.#directory);
    await this.#checkRoom(bytes);
    const path = join(this.#directory, `${String(this.#next++).padStart(8, '0')}.texts`);
    const aside = `${path}.new`;
    try {
      await withFile(this.#disk, aside, 'replace', (file) => writeFully(file, parts, 0));
      await this.#disk.rename(aside, path);
    } catch (error) {
      await this.#erase(aside).catch(() => {});
      throw error;
    }
    return this.#kept(path, bytes);
  }

  async #checkRoom(bytes: number): Promise<void> {
    const { freeBytes, totalBytes } = await this.#disk.space(this.#directory);
    if (freeBytes - bytes < Math.min(totalBytes / LEFT_SHARE, LEFT_BYTES))
      throw new NoRoomForTexts(`the disk has only ${freeBytes} bytes free`);
  }

  #kept(path: string, bytes: number): KeptBlock {
    return {
      bytes,
      read: (at, length) => withFile(this.#disk, path, 'read', (file) => readFully(file, at, length)),
      erase: () => this.#erase(path),
    };
  }

  async #erase(path: string): Promise<void> {
    const facts = await this.#disk.stat(path);
    if (facts === null) return;
    if (facts.kind === 'file') {
      await withFile(this.#disk, path, 'update', async (file) => {
        const { size } = await file.facts();
        for (let at = 0; at < size; at += ZEROS.length)
          await writeFully(file, [ZEROS.subarray(0, Math.min(ZEROS.length, size - at))], at);
        await file.sync();
      });
    }
    await this.#disk.unlink(path);
  }
}
