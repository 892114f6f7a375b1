import type { BlobRef } from '../../domain/message.ts';
import { type BlobTable, blobsOf, isBlobTable, withBlobs } from '../tables/blobs.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import type { Put, Rows, TableName } from '../tables/state.ts';
import type { TablesStore } from '../tables/tables-store.ts';
import { BlobDamaged } from './errors.ts';
import { readRef } from './extent.ts';
import type { RecordLog } from './log.ts';

/** The number of bytes copied before a commit. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** The number of rows per transaction. Other transactions wait for it. */
const SLICE_ROWS = 500;

export interface RowName {
  readonly table: TableName;
  readonly id: string;
}

interface Parts {
  readonly log: RecordLog;
  readonly state: CommittedState;
  readonly store: TablesStore;
}

/** Rewrites rows at the end of the log, and copies those of their blobs that lie in the segments `from`. */
export async function moveRows(parts: Parts, rows: readonly RowName[], from: ReadonlySet<number>): Promise<void> {
  const copied = new Map<BlobRef, BlobRef>();
  let slice: RowName[] = [];
  let size = 0;
  for (const name of rows) {
    try {
      size += await copyBlobs(parts, name, from, copied);
    } catch (error) {
      // A damaged row stays, and so does its segment.
      if (error instanceof BlobDamaged) continue;
      throw error;
    }
    slice.push(name);
    if (size <= SLICE_BYTES && slice.length < SLICE_ROWS) continue;
    await commit(parts, slice, copied);
    slice = [];
    size = 0;
  }
  await commit(parts, slice, copied);
  parts.log.discard([...copied.values()]);
}

/** Copies the blobs of a row and returns the number of bytes. A blob that several rows share is copied once. */
async function copyBlobs(
  { log, state }: Parts,
  { table, id }: RowName,
  from: ReadonlySet<number>,
  copied: Map<BlobRef, BlobRef>,
): Promise<number> {
  const row = state.row(table, id);
  if (row === undefined) return 0;
  let size = 0;
  for (const ref of blobsOf(putOf(table, row))) {
    if (copied.has(ref) || !readRef(ref).some(({ segment }) => from.has(segment))) continue;
    const writer = log.copyWriter();
    try {
      for await (const piece of log.stream(ref)) {
        size += piece.length;
        await writer.write(piece);
      }
    } catch (error) {
      writer.abort();
      throw error;
    }
    copied.set(ref, await writer.finish());
  }
  return size;
}

async function commit(
  { log, store }: Parts,
  slice: readonly RowName[],
  copied: ReadonlyMap<BlobRef, BlobRef>,
): Promise<void> {
  if (slice.length === 0) return;
  const old: BlobRef[] = [];
  await store.rewrite((working) =>
    slice.flatMap(({ table, id }) => {
      // The row is read again, so that a change or removal meanwhile is kept.
      const row = working.row(table, id);
      if (row === undefined) return [];
      const put = putOf(table, row);
      old.push(...blobsOf(put));
      return [isBlobTable(table) ? putOf(table, withBlobs(table, row as Rows[BlobTable], copied)) : put]; // name and row fit together
    }),
  );
  for (const ref of old) {
    const to = copied.get(ref);
    if (to !== undefined) log.moved(ref, to);
  }
}

function putOf<Name extends TableName>(name: Name, row: Rows[Name]): Put {
  return ['put', name, row] as unknown as Put; // name and row fit together
}
