import { join } from 'node:path';
import type { BlobRef } from '../../../domain/message.ts';
import type { Disk } from '../../../ports/disk.ts';
import type { Log as Logger } from '../../../ports/log.ts';
import { type BlobTable, blobsOf, isBlobTable, withBlobs } from '../../tables/blobs.ts';
import { isChange } from '../../tables/check-change.ts';
import { CommittedState } from '../../tables/committed-state.ts';
import { type Change, isGrowing, type Put, type Rows, TABLES } from '../../tables/state.ts';
import type { TablesStore } from '../../tables/tables-store.ts';
import { StoreRefused } from '../errors.ts';
import type { RecordLog as SegmentLog } from '../log.ts';
import { Snapshot } from '../snapshot.ts';
import { isBefore, type SnapshotDocument } from '../snapshot-document.ts';
import { readFile } from '../transfer.ts';
import { type OldLog, oldSegments, readOldLog, segmentPath } from './read-log.ts';

/** The number of rows per transaction. */
const SLICE_ROWS = 200;

/** The store that takes the rows. */
interface Target {
  readonly log: Pick<SegmentLog, 'writer'>;
  readonly store: Pick<TablesStore, 'rewrite'>;
  writeSnapshot(without: ReadonlySet<number>): Promise<void>;
  close(): Promise<void>;
}

export interface CarryOver {
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
