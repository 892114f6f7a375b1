import { join } from 'node:path';
import { Low } from 'lowdb';
import type { Disk } from '../../ports/disk.ts';
import { StoreRefused } from './errors.ts';
import { FORMAT } from './segment-header.ts';
import type { SnapshotDocument } from './snapshot-document.ts';
import { isComplete, readSnapshotFile, snapshotText } from './snapshot-file.ts';
import { replaceFile } from './transfer.ts';

/** The snapshot of a directory. */
export type FoundSnapshot =
  | { readonly kind: 'none' }
  | { readonly kind: 'format 1' }
  | {
      readonly kind: 'document';
      readonly document: SnapshotDocument;
      /** The damaged file, if any, with the first byte that differs from its twin. Nothing is lost. */
      readonly damaged: { readonly path: string; readonly offset: number } | null;
    };

const NAME = 'state.json';
const TWIN = 'state.copy.json';

/** The snapshot beside the log, kept by lowdb. It has two identical files, so that damage to one loses nothing. */
export class Snapshot {
  readonly #db: Low<SnapshotDocument>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(db: Low<SnapshotDocument>) {
    this.#db = db;
  }

  /**
   * Reads the snapshot of a directory.
   *
   * @throws StoreRefused `STORE_FORMAT` if it is unusable: cut short, of another shape or format, missing beside a log,
   * or a directory.
   */
  static async find(disk: Disk, directory: string, hasLog: boolean): Promise<FoundSnapshot> {
    const path = join(directory, NAME);
    const twinPath = join(directory, TWIN);
    const file = await readSnapshotFile(disk, path);
    if (file.kind === 'format 1') return { kind: 'format 1' };
    const twin = await readSnapshotFile(disk, twinPath);
    if (file.kind === 'whole') {
      const damaged =
        'bytes' in twin && twin.kind !== 'whole'
          ? { path: twinPath, offset: firstDifference(file.bytes, twin.bytes) }
          : null;
      return { kind: 'document', document: file.document, damaged };
    }
    if (file.kind === 'missing' && twin.kind === 'missing' && !hasLog) return { kind: 'none' };
    // Flipped bits do not change the length, so the twin can replace such a file. A file that was cut, emptied or
    // written by another program is left unchanged, so that its owner can decide.
    if ('bytes' in file && twin.kind === 'whole' && (file.bytes.length === twin.bytes.length || isComplete(file.bytes)))
      return {
        kind: 'document',
        document: twin.document,
        damaged: { path, offset: firstDifference(file.bytes, twin.bytes) },
      };
    throw refusalOf(path, file, twin.kind === 'whole' ? twinPath : null);
  }

  /**
   * Creates the snapshot to write to a directory. `prepare` gets the number of bytes to write; it throws if the
   * directory was lost.
   */
  static at(
    disk: Disk,
    directory: string,
    document: SnapshotDocument,
    prepare: (bytes: number) => Promise<void>,
  ): Snapshot {
    const adapter = {
      // The file has already been read and checked.
      read: async () => document,
      write: async (data: SnapshotDocument) => {
        const bytes = Buffer.from(snapshotText(data));
        const parts = [bytes];
        await prepare(bytes.length);
        for (const name of [NAME, TWIN]) {
          await replaceFile(disk, join(directory, name), parts);
          await disk.syncDirectory(directory);
        }
      },
    };
    return new Snapshot(new Low<SnapshotDocument>(adapter, { ...document, rows: [] }));
  }

  /** The snapshot on the disk without rows, which only the state holds. */
  get document(): SnapshotDocument {
    return this.#db.data;
  }

  /** Replaces the snapshot by the result of `build`, which runs after earlier writes. */
  write(build: () => SnapshotDocument): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        const before = this.#db.data;
        const document = build();
        this.#db.data = document;
        try {
          await this.#db.write();
          this.#db.data = { ...document, rows: [] };
        } catch (error) {
          this.#db.data = before;
          throw error;
        }
      });
    return this.#writing;
  }
}

type FileState = Awaited<ReturnType<typeof readSnapshotFile>>;

function refusalOf(path: string, file: FileState, twinPath: string | null): StoreRefused {
  const remedy =
    twinPath === null
      ? 'restore it from a copy of your own, or start anew with another --data-dir'
      : `copy ${twinPath} over it, or start anew with another --data-dir`;
  const refuse = (what: string) => new StoreRefused(`${path} ${what}`);
  switch (file.kind) {
    case 'missing':
      return refuse(`is missing, and the log beside it can't be read without it; ${remedy}`);
    case 'no file':
      return refuse(`is no file; move it away, then ${remedy}`);
    case 'other format':
      return refuse(
        `is of format ${file.format}, this mailcap reads formats 1 and ${FORMAT}; use the version that wrote it, or another --data-dir`,
      );
    case 'other shape':
      return refuse(`is no snapshot of mailcap; ${remedy}`);
    default:
      return refuse(
        `is ${file.kind === 'broken' && file.bytes.length === 0 ? 'empty' : 'cut short or damaged'}; ${remedy}`,
      );
  }
}

function firstDifference(a: Buffer, b: Buffer): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return shorter;
}
