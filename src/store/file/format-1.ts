import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BlobRef } from '../../domain/message.ts';
import type { Disk } from '../../ports/storage.ts';
import type { Log as Logger } from '../../ports/system.ts';
import { CommittedState } from '../tables/committed-state.ts';
import {
  type BlobTable,
  blobsOf,
  type Change,
  isBlobTable,
  isChange,
  isGrowing,
  type Put,
  type Rows,
  TABLES,
  withBlobs,
} from '../tables/state.ts';
import type { TablesStore } from '../tables/tables-store.ts';
import { StoreRefused } from './errors.ts';
import { readRef } from './extent.ts';
import type { RecordLog as SegmentLog } from './log.ts';
import { isBefore, Snapshot, type SnapshotDocument } from './snapshot.ts';
import { readFile, readFully } from './transfer.ts';

/** The number of rows per transaction. */
const SLICE_ROWS = 200;

/** The store that takes the rows. */
interface Target {
  readonly log: Pick<SegmentLog, 'writer'>;
  readonly store: Pick<TablesStore, 'rewrite'>;
  writeSnapshot(without: ReadonlySet<number>): Promise<void>;
  close(): Promise<void>;
}

interface CarryOver {
  readonly disk: Disk;
  /** The data directory. Its `log` and `state.json` have format 1. */
  readonly directory: string;
  /** The directory for the segments of this format. */
  readonly logDirectory: string;
  /** The snapshot of an empty store of this format. */
  readonly document: SnapshotDocument;
  readonly logger: Logger;
  readonly build: (document: SnapshotDocument) => Promise<Target>;
}

/**
 * Converts a store of format 1. The old snapshot stays until everything is copied and synced, so an interrupted
 * conversion starts again. It is complete the moment the new snapshot replaces the old one. Returns the new snapshot.
 */
export async function carryOver({
  disk,
  directory,
  logDirectory,
  document,
  logger,
  build,
}: CarryOver): Promise<SnapshotDocument> {
  for (const name of await disk.list(logDirectory)) await disk.unlink(join(logDirectory, name));
  const oldDirectory = join(directory, 'log');
  const log = await readOldLog(disk, oldDirectory);
  for (const damage of log.damages) logger.error(damage);
  const state = await oldState(disk, directory, log);
  const fileStore = await build(document);
  const lost = await copyRows(state, log, fileStore);
  await fileStore.writeSnapshot(new Set());
  await fileStore.close();
  if (lost > 0) logger.error(`${lost} rows of ${oldDirectory} are lost: their bytes stood in what is damaged`);
  if (log.damages.length + lost === 0) {
    for (const number of await oldSegments(disk, oldDirectory)) await disk.unlink(segmentPath(oldDirectory, number));
    await disk.removeDirectory(oldDirectory);
  } else logger.error(`${oldDirectory} is kept as it was`);
  logger.info(`${directory} was carried over from format 1`);
  const found = await Snapshot.find(disk, directory, true);
  if (found.kind !== 'document') throw new Error('the snapshot that was just written is not there');
  return found.document;
}

async function oldState(disk: Disk, directory: string, log: OldLog): Promise<CommittedState> {
  const path = join(directory, 'state.json');
  // Format 1 has no checksum, so its shape is checked.
  const snapshot = JSON.parse((await readFile(disk, path)).toString('utf8')) as Partial<OldSnapshot>;
  const { position, changes } = snapshot;
  if (typeof position?.segment !== 'number' || !Array.isArray(changes) || !changes.every(isChange))
    throw new StoreRefused(`${path} is no snapshot of mailcap; restore it, or use another --data-dir`);
  const state = new CommittedState();
  const nowhere = { segment: 0, offset: 0 };
  for (const change of changes) state.apply(change, nowhere, () => {});
  for (const { segment, offset, changes: list } of log.records) {
    for (const change of list) {
      const isSmall = change[0] !== 'clear' && !isGrowing(change[1]);
      if (!isSmall || !isBefore({ segment, offset }, position)) state.apply(change, nowhere, () => {});
    }
  }
  return state;
}

interface OldSnapshot {
  readonly position: { readonly segment: number; readonly offset: number };
  readonly changes: readonly Change[];
}

/** Copies all rows. Returns the number of rows that were not copied because their bytes are lost. */
async function copyRows(state: CommittedState, log: OldLog, { log: target, store }: Target): Promise<number> {
  const copied = new Map<BlobRef, BlobRef>();
  let lost = 0;
  let slice: Put[] = [];
  const commit = async () => {
    const puts = slice;
    slice = [];
    if (puts.length > 0) await store.rewrite(() => puts);
  };
  for (const table of TABLES) {
    for (const put of state.puts(table)) {
      const refs = blobsOf(put);
      if (!refs.every((ref) => log.holds(ref))) {
        lost++;
        continue;
      }
      for (const ref of refs) {
        if (copied.has(ref)) continue;
        const writer = target.writer();
        for await (const piece of log.read(ref)) await writer.write(piece);
        copied.set(ref, await writer.finish());
      }
      slice.push(isBlobTable(table) ? moved(table, put, copied) : put);
      if (slice.length >= SLICE_ROWS) await commit();
    }
  }
  await commit();
  return lost;
}

function moved(table: BlobTable, put: Put, copied: ReadonlyMap<BlobRef, BlobRef>): Put {
  // The cast is safe: name and row belong to one table.
  return ['put', table, withBlobs(table, put[2] as Rows[BlobTable], copied)] as unknown as Put;
}

// Format 1, which mailcap 0.1.0 wrote. A segment is `mailcap log
// `, a format number and then records. A record has a length, a CRC-32 of kind and payload, a kind, and the payload;
// all numbers are little-endian. An index record at the end of a full segment repeats its changes. It is not read,
// because bytes of a mail could look like one.

const MAGIC = 'mailcap log\n';
const HEADER_BYTES = MAGIC.length + 4;
const RECORD_HEADER_BYTES = 9;
const KIND = { changes: 2, index: 3 } as const;

/** The changes of one record, with its position. */
interface PlacedChanges {
  readonly segment: number;
  readonly offset: number;
  readonly changes: readonly Change[];
}

/** A parsed log of format 1. */
interface OldLog {
  readonly records: readonly PlacedChanges[];
  /** Sentences about unreadable parts. */
  readonly damages: readonly string[];
  /** Tells whether all bytes of a blob exist. */
  holds(ref: BlobRef): boolean;
  /** Streams the bytes of a blob, extent by extent. */
  read(ref: BlobRef): AsyncGenerator<Buffer>;
}

async function readOldLog(disk: Disk, directory: string): Promise<OldLog> {
  const numbers = await oldSegments(disk, directory);
  const records: PlacedChanges[] = [];
  const damages: string[] = [];
  const ends = new Map<number, number>();
  for (const number of numbers) {
    const path = segmentPath(directory, number);
    const bytes = await readFile(disk, path);
    if (bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw new StoreRefused(`${path} is no mailcap log; move it away, or use another --data-dir`);
    const end = readRecords(bytes, number, records);
    ends.set(number, end);
    if (end < bytes.length && number !== numbers.at(-1))
      damages.push(`${path} at byte ${end} is damaged: what stood in ${bytes.length - end} bytes is lost`);
  }
  return {
    records,
    damages,
    holds: (ref) => readRef(ref).every(({ segment, offset, length }) => offset + length <= (ends.get(segment) ?? 0)),
    read: async function* (ref) {
      for (const { segment, offset, length } of readRef(ref)) {
        const file = await disk.open(segmentPath(directory, segment), 'read');
        try {
          yield await readFully(file, offset, length);
        } finally {
          await file.close();
        }
      }
    },
  };
}

/** Lists the segment numbers of format 1 in a directory, the oldest first. */
async function oldSegments(disk: Disk, directory: string): Promise<number[]> {
  if ((await disk.stat(directory)) === null) return [];
  return (await disk.list(directory))
    .map((name) => /^(\d{8,})\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Reads records up to the first incomplete one and returns its position. */
function readRecords(bytes: Buffer, segment: number, into: PlacedChanges[]): number {
  let at = HEADER_BYTES;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    const offset = at + RECORD_HEADER_BYTES;
    const end = offset + bytes.readUInt32LE(at);
    const kind = bytes[at + 8];
    if (end > bytes.length || kind === 0 || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    if (kind === KIND.index) return bytes.length;
    if (kind === KIND.changes) {
      const changes: unknown = JSON.parse(bytes.toString('utf8', offset, end));
      if (Array.isArray(changes) && changes.every(isChange)) into.push({ segment, offset, changes });
    }
    at = end;
  }
  return at;
}

function segmentPath(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(8, '0')}.log`);
}
