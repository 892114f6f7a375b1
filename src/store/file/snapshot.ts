import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Low } from 'lowdb';
import type { Disk } from '../../ports/storage.ts';
import { isTableName, type LogPosition, type Rows, type TableName } from '../tables/state.ts';
import { StoreRefused } from './errors.ts';
import { FORMAT, type StoreId } from './segment-format.ts';
import { readFile, replaceFile } from './transfer.ts';

/** Tells whether a position comes before another one. */
export function isBefore({ segment, offset }: LogPosition, position: LogPosition): boolean {
  return segment < position.segment || (segment === position.segment && offset < position.offset);
}

/** A segment that must exist. */
export interface SegmentNote {
  readonly number: number;
  /** The valid length; a sealed segment has at least this many bytes. Null while it is being written. */
  readonly bytes: number | null;
  /** Tells whether it was missing or foreign when the store opened. Its content is lost until the file is put back. */
  readonly isLost?: boolean;
}

/** A row of a small table with the position of its record. 0 and 0 mean that the log does not hold it. */
export type SnapshotRow = {
  readonly [Name in TableName]: readonly [Name, Rows[Name], segment: number, offset: number];
}[TableName];

/** The snapshot: all rows of the small tables at a position in the log, and the list of segments. */
export interface SnapshotDocument {
  readonly store: StoreId;
  /** The boot id of the machine that wrote it, '' if unknown. */
  readonly boot: string;
  /** The position up to which changes to small tables are included. Later ones are only in the log. */
  readonly position: LogPosition;
  /** Segments with this number or higher were created later. Lower ones that are not listed do not count. */
  readonly nextNumber: number;
  readonly segments: readonly SegmentNote[];
  readonly rows: readonly SnapshotRow[];
}

/** The snapshot of a directory. */
type FoundSnapshot =
  | { readonly kind: 'none' }
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
        `is of format ${file.format}, this mailcap reads format ${FORMAT}; use the version that wrote it, or another --data-dir`,
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

// The file is one line of JSON: {"format":3,"checksum":"01234567","document":{...}}. The checksum is the CRC-32 of the
// document's text.

const START = `{"format":${FORMAT},"checksum":"`;
const MIDDLE = '","document":';
const CHECKSUM_DIGITS = 8;
const END = '}\n';

/**
 * Tells whether a broken file has the correct start and end. If it has, bits have flipped; otherwise the file was cut
 * short.
 */
function isComplete(bytes: Buffer): boolean {
  return (
    bytes.toString('latin1', 0, START.length) === START && bytes.toString('latin1', bytes.length - END.length) === END
  );
}

/** The state of a snapshot file. */
type SnapshotFile =
  | { readonly kind: 'missing' | 'no file' }
  /** It is JSON, but no snapshot. */
  | { readonly kind: 'other shape'; readonly bytes: Buffer }
  | { readonly kind: 'other format'; readonly bytes: Buffer; readonly format: number }
  /** The content differs from what was written. */
  | { readonly kind: 'broken'; readonly bytes: Buffer }
  | { readonly kind: 'whole'; readonly bytes: Buffer; readonly document: SnapshotDocument };

function snapshotText(document: SnapshotDocument): string {
  const text = JSON.stringify(document);
  return `${START}${checksumOf(Buffer.from(text))}${MIDDLE}${text}${END}`;
}

function checksumOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(CHECKSUM_DIGITS, '0');
}

async function readSnapshotFile(disk: Disk, path: string): Promise<SnapshotFile> {
  const facts = await disk.stat(path);
  if (facts === null) return { kind: 'missing' };
  if (facts.kind !== 'file') return { kind: 'no file' };
  const bytes = await readFile(disk, path);
  const document = wholeDocument(bytes);
  if (document === 'other shape') return { kind: 'other shape', bytes };
  if (document !== null) return { kind: 'whole', bytes, document };
  return otherFormat(bytes) ?? { kind: 'broken', bytes };
}

function wholeDocument(bytes: Buffer): SnapshotDocument | 'other shape' | null {
  const textAt = START.length + CHECKSUM_DIGITS + MIDDLE.length;
  const text = bytes.subarray(textAt, -END.length);
  const head = `${START}${checksumOf(text)}${MIDDLE}`;
  if (bytes.length < textAt + END.length || bytes.toString('latin1', 0, textAt) !== head) return null;
  if (bytes.toString('latin1', bytes.length - END.length) !== END) return null;
  const document: unknown = JSON.parse(text.toString('utf8'));
  return isDocument(document) ? document : 'other shape';
}

/** Recognizes JSON of another format, or JSON that is no snapshot. */
function otherFormat(bytes: Buffer): SnapshotFile | null {
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof content !== 'object' || content === null || !('format' in content)) return { kind: 'other shape', bytes };
  const { format } = content;
  if (typeof format === 'number' && format !== FORMAT) return { kind: 'other format', bytes, format };
  // It has this format but a wrong checksum.
  return 'checksum' in content ? null : { kind: 'other shape', bytes };
}

/** Checks the shape. The checksum guards against damage, this check against another program's file. */
function isDocument(value: unknown): value is SnapshotDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { store, position, nextNumber, segments, rows } = value as Partial<Record<keyof SnapshotDocument, unknown>>; // checked below
  return (
    typeof store === 'string' &&
    /^[0-9a-f]{16}$/.test(store) &&
    typeof position === 'object' &&
    position !== null &&
    typeof nextNumber === 'number' &&
    Array.isArray(segments) &&
    Array.isArray(rows) &&
    rows.every((row) => Array.isArray(row) && isTableName(row[0]))
  );
}
