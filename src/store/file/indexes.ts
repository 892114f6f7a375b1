import { join } from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import type { Change, Put } from '../tables/state.ts';
import type { Accounting } from './accounting.ts';
import { type IndexEntry, indexName, writeIndex } from './index-file.ts';
import type { StoreId } from './segment-header.ts';
import type { Segment } from './segments.ts';
import { replaceFile } from './transfer.ts';

export interface IndexesParts {
  readonly disk: Disk;
  readonly directory: string;
  readonly store: StoreId;
  readonly state: CommittedState;
  readonly accounting: Accounting;
  /** Returns a segment once it is closed and the snapshot on the disk records that. */
  readonly sealed: (number: number) => Segment | 'not yet' | 'gone';
}

/** The index files beside the segments. */
export class Indexes {
  readonly #parts: IndexesParts;
  /** The closed segments without an index. */
  readonly #missing: Set<number>;

  constructor(parts: IndexesParts, missing: Iterable<number>) {
    this.#parts = parts;
    this.#missing = new Set(missing);
  }

  /** Marks a closed segment that needs an index. */
  owe(number: number): void {
    this.#missing.add(number);
  }

  /** Lists the closed segments without an index. */
  get owed(): readonly number[] {
    return [...this.#missing];
  }

  /** Writes the missing indexes. A failure loses nothing, because the segments hold everything. */
  async writeMissing(): Promise<void> {
    const written: number[] = [];
    for (const number of this.#missing) {
      const segment = this.#parts.sealed(number);
      if (segment === 'gone') this.#missing.delete(number);
      if (segment === 'gone' || segment === 'not yet') continue;
      await this.#write(segment);
      written.push(number);
    }
    if (written.length === 0) return;
    await this.#parts.disk.syncDirectory(this.#parts.directory);
    for (const number of written) this.#missing.delete(number);
  }

  /** Rewrites indexes whose rows were erased. */
  async rewrite(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) this.#missing.add(number);
    await this.writeMissing();
  }

  async remove(number: number): Promise<void> {
    this.#missing.delete(number);
    const path = this.#pathOf(number);
    if ((await this.#parts.disk.stat(path)) !== null) await this.#parts.disk.unlink(path);
  }

  /** Tells whether a segment has an index. A reader needs the index to distinguish erased bytes from damaged ones. */
  has(number: number): boolean {
    return !this.#missing.has(number);
  }

  async #write({ number, size }: Segment): Promise<void> {
    const { disk, store, state, accounting } = this.#parts;
    const dead = accounting.deadIn(number);
    const pending = {
      records: [...(dead?.records ?? [])],
      blobs: (dead?.blobs ?? []).map(({ offset, length }) => [offset, length] as const),
    };
    const parts = writeIndex({ store, segment: number, bytes: size }, state.messages.pack(number), {
      entries: this.#entriesOf(number),
      pending,
    });
    await replaceFile(disk, this.#pathOf(number), parts);
  }

  /**
   * Collects the living rows of the other tables and the removals that may still be needed, in the order of their
   * records.
   */
  #entriesOf(number: number): IndexEntry[] {
    const { state, accounting } = this.#parts;
    const byOffset = new Map<number, Change[]>();
    const add = (offset: number, change: Change) => {
      const changes = byOffset.get(offset);
      if (changes === undefined) byOffset.set(offset, [change]);
      else changes.push(change);
    };
    for (const { home, change } of accounting.removalsAt(number)) add(home.offset, change);
    for (const { table, id } of accounting.rowsAt(number)) {
      const row = state.row(table, id);
      const home = accounting.homeOf(table, id);
      if (row !== undefined && home !== null) add(home.offset, ['put', table, row] as Put); // name and row fit together
    }
    return [...byOffset].sort(([a], [b]) => a - b);
  }

  #pathOf(number: number): string {
    return join(this.#parts.directory, indexName(number));
  }
}
