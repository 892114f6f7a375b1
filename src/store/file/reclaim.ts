import type { Disk } from '../../ports/disk.ts';
import type { Log as Logger } from '../../ports/log.ts';
import { blobsOf } from '../tables/blobs.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import type { Put, TableName } from '../tables/state.ts';
import type { TablesStore } from '../tables/tables-store.ts';
import type { Accounting, Dead } from './accounting.ts';
import { erase } from './eraser.ts';
import { type Extent, extentKey, readRef } from './extent.ts';
import type { Guard } from './guard.ts';
import type { Indexes } from './indexes.ts';
import type { RecordLog } from './log.ts';
import { moveRows, type RowName } from './move-rows.ts';
import type { Room } from './room.ts';
import type { Segment, Segments } from './segments.ts';
import { isBefore } from './snapshot-document.ts';

// Reclaiming does two things. It erases deleted bytes in place, within a minute. It also frees space by whole segments:
// it copies the living rows of a segment to the end of the log and removes the file. It chooses segments without living
// bytes, segments with more dead than living bytes, and small segments if there are many. The order of the steps makes
// a crash harmless: copies are durable first, then the dead bytes are erased, then indexes and snapshot are updated,
// then files are removed.

/** The number of small segments that are tolerated. A small one is below a sixteenth of the usual size. */
const SMALL_SEGMENTS = 8;
const SMALL_SHARE = 16;
/** The number of dead bytes below which a segment is not worth emptying. */
const MOST_OVERHEAD = 4 * 1024;
/** The bytes kept free while rows are copied on a full disk. */
const SLACK_BYTES = 64 * 1024;

export interface Reclaimable {
  readonly disk: Disk;
  readonly directory: string;
  readonly store: TablesStore;
  readonly state: CommittedState;
  readonly log: RecordLog;
  readonly segments: Segments;
  readonly segmentBytes: number;
  readonly accounting: Accounting;
  readonly indexes: Indexes;
  readonly room: Room;
  readonly guard: Guard;
  /** Writes the snapshot of the current state without the given segments. */
  readonly writeSnapshot: (without: ReadonlySet<number>) => Promise<void>;
  /** Tells whether a segment is missing. Its removed rows may come back with it. */
  readonly isMissingSome: () => boolean;
  readonly logger: Logger;
}

export class Reclaimer {
  readonly #parts: Reclaimable;

  constructor(parts: Reclaimable) {
    this.#parts = parts;
  }

  /** Erases dead bytes and frees as much space as possible. Throws if the disk fails; the next run continues. */
  async run(): Promise<void> {
    const { log, segments, accounting, room, guard } = this.#parts;
    if (!(await guard.look())) return;
    await room.check();
    log.forgetMoves();
    segments.forgetErased();
    this.#rollNewest();
    await log.flushed();
    const upTo = log.position;
    const isErased = await this.#pass();
    // The removed rows are no longer on the disk, so these removals need not be kept.
    if (isErased && !this.#parts.isMissingSome()) accounting.settle((home) => isBefore(home, upTo));
    await room.check();
  }

  /**
   * Closes the newest segment if it holds dead bytes. Only a closed segment has an index, and only one with an index is
   * erased.
   */
  #rollNewest(): void {
    const { log, segments, accounting } = this.#parts;
    const newest = segments.all.find(({ number }) => number === log.activeNumber);
    if (newest !== undefined && accounting.deadIn(newest.number) !== null) log.roll();
  }

  /** Erases dead bytes and empties segments once. Returns whether all bytes that were dead at the start are erased. */
  async #pass(): Promise<boolean> {
    const { indexes, accounting, log, segments, room } = this.#parts;
    if (!room.isFull) await this.#index();
    const dead = accounting.dead();
    const doomed = await this.#choose();
    const emptied = new Set(doomed.map(({ number }) => number));
    const remaining = [...dead].filter(([number]) => segments.get(number) !== undefined && !emptied.has(number));
    // On a full disk, making room comes first.
    const touched = room.isFull ? [] : remaining.filter(([number]) => indexes.has(number));
    const isErased = touched.length === remaining.length;
    await this.#moveFrom(doomed, touched);
    if (!isErased || this.#parts.isMissingSome()) await this.#keepRemovals(doomed);
    await log.flushed();
    await this.#erase(touched);
    // Only segments that are empty now are removed. A damaged one keeps the rows that could not be copied.
    const empty = doomed.filter(({ number }) => accounting.liveBytes(number) <= 0 && !log.isPinned(number));
    const removed = new Set(empty.map(({ number }) => number));
    if (accounting.takeSmallTablesShrank() || removed.size > 0) await this.#parts.writeSnapshot(removed);
    await this.#remove(empty);
    return isErased && empty.length === doomed.length;
  }

  async #index(): Promise<void> {
    const { indexes, writeSnapshot } = this.#parts;
    if (indexes.owed.length === 0) return;
    await writeSnapshot(new Set());
    await indexes.writeMissing();
  }

  /** Rewrites the removals of segments that will be emptied, if the removed rows may still be elsewhere on the disk. */
  async #keepRemovals(doomed: readonly Segment[]): Promise<void> {
    const { accounting, store } = this.#parts;
    const removals = doomed.flatMap(({ number }) => accounting.removalsAt(number)).map(({ change }) => change);
    if (removals.length === 0) return;
    await store.rewrite((working) =>
      // A row that exists again under its id must not be removed again.
      removals.filter((change) => change[0] === 'clear' || working.row(change[1], change[2]) === undefined),
    );
  }

  /** Chooses the segments to empty. Those without living bytes come first. */
  async #choose(): Promise<Segment[]> {
    const { segments, accounting, log, room, segmentBytes } = this.#parts;
    const candidates = segments.all.filter(
      ({ number, size, durable, created }) =>
        number !== log.activeNumber && created && durable === size && !log.isPinned(number),
    );
    const liveIn = ({ number }: Segment) => accounting.liveBytes(number);
    const isDead = (segment: Segment) => liveIn(segment) <= 0;
    const dead = candidates.filter(isDead);
    const rest = candidates.filter((segment) => !isDead(segment) && !segment.damaged);
    if (room.isFull) return [...dead, ...(await this.#affordable(rest))];
    const sparse = rest.filter((segment) => liveIn(segment) < segment.size / 2);
    const small = rest.filter((segment) => !sparse.includes(segment) && segment.size < segmentBytes / SMALL_SHARE);
    return [...dead, ...sparse, ...(small.length > SMALL_SEGMENTS ? small : [])];
  }

  /**
   * Chooses the segment to empty on a full disk: of the segments whose living bytes fit into the free space, the one
   * that frees the most.
   */
  async #affordable(candidates: readonly Segment[]): Promise<Segment[]> {
    const { room, accounting } = this.#parts;
    const free = (await room.freeBytes()) - SLACK_BYTES;
    const gain = (segment: Segment) => segment.size - accounting.liveBytes(segment.number);
    const [best] = candidates
      .filter((segment) => gain(segment) > MOST_OVERHEAD && accounting.liveBytes(segment.number) < free)
      .sort((a, b) => gain(b) - gain(a));
    if (best === undefined || !(await room.makeFree(accounting.liveBytes(best.number) + SLACK_BYTES))) return [];
    return [best];
  }

  /** Copies the living rows of the doomed segments, and those in records that will be erased. */
  async #moveFrom(doomed: readonly Segment[], touched: readonly (readonly [number, Dead])[]): Promise<void> {
    const { state, accounting } = this.#parts;
    const rows = new Map<string, RowName>();
    const add = (table: TableName, id: string) => rows.set(`${table} ${id}`, { table, id });
    const from = new Set<number>();
    for (const { number } of doomed) {
      from.add(number);
      for (const id of state.messages.idsAt(number)) add('messages', id);
      for (const id of state.messages.idsWithBytesIn(number)) add('messages', id);
      for (const { table, id } of accounting.rowsAt(number)) add(table, id);
    }
    if (from.size > 0) for (const { table, id } of this.#otherRowsWithBytesIn(from)) add(table, id);
    for (const [number, { records }] of touched) {
      if (records.size === 0) continue;
      for (const id of state.messages.idsAt(number, records)) add('messages', id);
      for (const { table, id } of accounting.rowsAt(number)) {
        const home = accounting.homeOf(table, id);
        if (home !== null && records.has(home.offset)) add(table, id);
      }
    }
    if (rows.size > 0) await moveRows(this.#parts, [...rows.values()], from);
  }

  #otherRowsWithBytesIn(numbers: ReadonlySet<number>): RowName[] {
    const found: RowName[] = [];
    for (const table of ['requests', 'sends'] as const) {
      for (const put of this.#parts.state.puts(table)) {
        if (extentsOf(put).some(({ segment }) => numbers.has(segment))) found.push({ table, id: put[2].id });
      }
    }
    return found;
  }

  async #erase(touched: readonly (readonly [number, Dead])[]): Promise<void> {
    const { disk, segments, accounting, indexes, logger } = this.#parts;
    const unneeded = await this.#unneeded(touched.flatMap(([, { blobs }]) => blobs));
    for (const [number, { records, blobs }] of touched) {
      const segment = segments.get(number);
      if (segment === undefined) continue;
      const dead = { records, blobs: blobs.filter((extent) => unneeded.has(extentKey(extent))) };
      const bytes = await erase(disk, segments.pathOf(number), segment, dead);
      accounting.erased(number, { records, blobs });
      logger.debug('erased', { segment: number, bytes });
    }
    await indexes.rewrite(touched.map(([number]) => number));
  }

  /**
   * Returns the blobs to which no living row refers; several rows may share one. From now on no row can refer to them.
   */
  async #unneeded(blobs: readonly Extent[]): Promise<ReadonlySet<number>> {
    const { state, log, segments } = this.#parts;
    const keys = new Set(blobs.map(extentKey));
    if (keys.size === 0) return keys;
    const endWatch = log.watch(keys);
    const needed = new Set<number>();
    const scan = state.messages.referenced(keys);
    let step = scan.next();
    for (; !step.done; step = scan.next()) await new Promise((resolve) => setImmediate(resolve));
    for (const table of ['requests', 'sends'] as const) {
      for (const put of state.puts(table)) for (const extent of extentsOf(put)) needed.add(extentKey(extent));
    }
    for (const key of [...step.value, ...needed, ...endWatch()]) keys.delete(key);
    segments.markErased(blobs.filter((extent) => keys.has(extentKey(extent))));
    return keys;
  }

  async #remove(empty: readonly Segment[]): Promise<void> {
    const { disk, directory, segments, accounting, indexes } = this.#parts;
    for (const { number } of empty) {
      await indexes.remove(number);
      await segments.remove(number);
      accounting.forget(number);
    }
    if (empty.length > 0) await disk.syncDirectory(directory);
  }
}

function extentsOf(put: Put): Extent[] {
  return blobsOf(put).flatMap(readRef);
}
