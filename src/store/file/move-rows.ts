import type { BlobRef } from '../../domain/message.ts';
import { type BlobTable, blobsOf, isBlobTable, withBlobs } from '../tables/blobs.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import type { Put, Rows, TableName } from '../tables/state.ts';
import type { TablesStore } from '../tables/tables-store.ts';
import { BlobDamaged } from './blob-errors.ts';
import { readRef } from './extent.ts';
import type { Log } from './log.ts';

/** So many bytes are copied before they are committed. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** So many rows are: others queue behind the transaction. */
const SLICE_ROWS = 500;

export interface RowName {
  readonly table: TableName;
  readonly id: string;
}

interface Parts {
  readonly log: Log;
  readonly state: CommittedState;
  readonly store: TablesStore;
}

/** Puts rows once more at the end of the log, and copies their blobs that stand in the segments `from`. */
export async function moveRows(parts: Parts, rows: readonly RowName[], from: ReadonlySet<number>): Promise<void> {
  const copied = new Map<BlobRef, BlobRef>();
  let slice: RowName[] = [];
  let size = 0;
  for (const name of rows) {
    try {
      size += await copyBlobs(parts, name, from, copied);
    } catch (error) {
      // It stays where it is, and keeps its segment there.
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

/** How many bytes were copied. A blob that several rows share is copied once. */
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
      // The row is read again: a change made meanwhile stays, and a removed row stays removed.
      const row = working.row(table, id);
      if (row === undefined) return [];
      const put = putOf(table, row);
      old.push(...blobsOf(put));
      return [isBlobTable(table) ? putOf(table, withBlobs(table, row as Rows[BlobTable], copied)) : put]; // the pair is of one table
    }),
  );
  for (const ref of old) {
    const to = copied.get(ref);
    if (to !== undefined) log.moved(ref, to);
  }
}

function putOf<Name extends TableName>(name: Name, row: Rows[Name]): Put {
  return ['put', name, row] as unknown as Put; // the pair is of one table
}
