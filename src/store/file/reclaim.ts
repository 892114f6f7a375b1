import type { BlobRef } from '../../domain/message.ts';
import type { Disk, DiskFile } from '../../ports/storage.ts';
import type { Log as Logger } from '../../ports/system.ts';
import { type Extent, extentKey, readRef } from '../tables/blob-ref.ts';
import type { CommittedState } from '../tables/committed-state.ts';
import { blobsOf, type Put, putOf, type TableName, withBlobs } from '../tables/state.ts';
import type { Accounting, DeadBytes } from './accounting.ts';
import type { FileBlobs } from './blobs.ts';
import type { CommitLog } from './commit.ts';
import type { DirectoryWatch } from './directory-watch.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { BlobDamaged } from './errors.ts';
import type { Indexes } from './indexes.ts';
import {
  COPY_START,
  COPY_START_BYTES,
  FRAGMENT_HEADER_BYTES,
  headerPosition,
  KIND,
  payloadRuns,
  readHeader,
} from './segment-format.ts';
import type { BlobPins, Segment, Segments } from './segments.ts';
import { isBefore } from './snapshot.ts';
import { readFully, withFile, writeFully } from './transfer.ts';

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

export interface ReclaimParts {
  readonly disk: Disk;
  readonly directory: string;
  readonly state: CommittedState;
  readonly log: CommitLog;
  readonly blobs: FileBlobs;
  readonly pins: BlobPins;
  readonly segments: Segments;
  readonly segmentBytes: number;
  readonly accounting: Accounting;
  readonly indexes: Indexes;
  readonly reserve: DiskReserve;
  readonly directories: DirectoryWatch;
  /** Writes the snapshot of the current state without the given segments. */
  readonly writeSnapshot: (without: ReadonlySet<number>) => Promise<void>;
  /** Tells whether a segment is missing. Its removed rows may come back with it. */
  readonly isMissingSome: () => boolean;
  readonly logger: Logger;
}

/** Erases dead bytes and frees as much space as possible. Throws if the disk fails; the next run continues. */
export async function reclaim(parts: ReclaimParts): Promise<void> {
  const { log, blobs, segments, accounting, reserve, directories } = parts;
  if (!(await directories.look())) return;
  await reserve.check();
  blobs.forgetMoves();
  segments.forgetErased();
  rollNewest(parts);
  await log.flushed();
  const upTo = log.position;
  const isErased = await reclaimOnce(parts);
  // The removed rows are no longer on the disk, so these removals need not be kept.
  if (isErased && !parts.isMissingSome()) accounting.settle((home) => isBefore(home, upTo));
  await reserve.check();
}

/**
 * Closes the newest segment if it holds dead bytes. Only a closed segment has an index, and only one with an index is
 * erased.
 */
function rollNewest({ log, segments, accounting }: ReclaimParts): void {
  const newest = segments.all.find(({ number }) => number === log.activeNumber);
  if (newest !== undefined && accounting.deadIn(newest.number) !== null) log.roll();
}

/** Erases dead bytes and empties segments once. Returns whether all bytes that were dead at the start are erased. */
async function reclaimOnce(parts: ReclaimParts): Promise<boolean> {
  const { indexes, accounting, log, pins, segments, reserve } = parts;
  if (!reserve.isFull) await writeIndexes(parts);
  const dead = accounting.dead();
  const doomed = await chooseSegments(parts);
  const emptied = new Set(doomed.map(({ number }) => number));
  const remaining = [...dead].filter(([number]) => segments.get(number) !== undefined && !emptied.has(number));
  // On a full disk, making room comes first.
  // A commit during this run may leave dead bytes in the segment that is written. The snapshot lacks its small rows.
  const isErasable = (number: number) => number !== log.activeNumber && indexes.has(number);
  const touched = reserve.isFull ? [] : remaining.filter(([number]) => isErasable(number));
  const isErased = touched.length === remaining.length;
  await moveFrom(parts, doomed, touched);
  if (!isErased || parts.isMissingSome()) await keepRemovals(parts, doomed);
  await log.flushed();
  await eraseDead(parts, touched);
  // Only segments that are empty now are removed. A damaged one keeps the rows that could not be copied.
  const empty = doomed.filter(({ number }) => accounting.liveBytes(number) <= 0 && !pins.has(number));
  const removed = new Set(empty.map(({ number }) => number));
  if (accounting.takeSmallTablesShrank() || removed.size > 0) await parts.writeSnapshot(removed);
  await removeSegments(parts, empty);
  return isErased && empty.length === doomed.length;
}

async function writeIndexes({ indexes, writeSnapshot }: ReclaimParts): Promise<void> {
  if (indexes.owed.length === 0) return;
  await writeSnapshot(new Set());
  await indexes.writeMissing();
}

/** Rewrites the removals of segments that will be emptied, if the removed rows may still be elsewhere on the disk. */
async function keepRemovals({ accounting, log }: ReclaimParts, doomed: readonly Segment[]): Promise<void> {
  const removals = doomed.flatMap(({ number }) => accounting.removalsAt(number)).map(({ change }) => change);
  if (removals.length === 0) return;
  await log.rewrite((working) =>
    // A row that exists again under its id must not be removed again.
    removals.filter((change) => change[0] === 'clear' || working.row(change[1], change[2]) === undefined),
  );
}

/** Chooses the segments to empty. Those without living bytes come first. */
async function chooseSegments(parts: ReclaimParts): Promise<Segment[]> {
  const { segments, accounting, log, pins, reserve, segmentBytes } = parts;
  const candidates = segments.all.filter(
    ({ number, size, durable, created }) =>
      number !== log.activeNumber && created && durable === size && !pins.has(number),
  );
  const liveIn = ({ number }: Segment) => accounting.liveBytes(number);
  const isDead = (segment: Segment) => liveIn(segment) <= 0;
  const dead = candidates.filter(isDead);
  const rest = candidates.filter((segment) => !isDead(segment) && !segment.damaged);
  if (reserve.isFull) return [...dead, ...(await chooseAffordable(parts, rest))];
  const sparse = rest.filter((segment) => liveIn(segment) < segment.size / 2);
  const small = rest.filter((segment) => !sparse.includes(segment) && segment.size < segmentBytes / SMALL_SHARE);
  return [...dead, ...sparse, ...(small.length > SMALL_SEGMENTS ? small : [])];
}

/**
 * Chooses the segment to empty on a full disk: of the segments whose living bytes fit into the free space, the one
 * that frees the most.
 */
async function chooseAffordable(
  { reserve, accounting }: ReclaimParts,
  candidates: readonly Segment[],
): Promise<Segment[]> {
  const free = (await reserve.freeBytes()) - SLACK_BYTES;
  const gain = (segment: Segment) => segment.size - accounting.liveBytes(segment.number);
  const [best] = candidates
    .filter((segment) => gain(segment) > MOST_OVERHEAD && accounting.liveBytes(segment.number) < free)
    .sort((a, b) => gain(b) - gain(a));
  if (best === undefined || !(await reserve.makeFree(accounting.liveBytes(best.number) + SLACK_BYTES))) return [];
  return [best];
}

/** Copies the living rows of the doomed segments, and those in records that will be erased. */
async function moveFrom(
  parts: ReclaimParts,
  doomed: readonly Segment[],
  touched: readonly (readonly [number, DeadBytes])[],
): Promise<void> {
  const { state, accounting } = parts;
  const rows = new Map<string, RowName>();
  const add = (table: TableName, id: string) => rows.set(`${table} ${id}`, { table, id });
  const from = new Set<number>();
  for (const { number } of doomed) {
    from.add(number);
    for (const id of state.messages.idsAt(number)) add('messages', id);
    for (const id of state.messages.idsWithBytesIn(number)) add('messages', id);
    for (const { table, id } of accounting.rowsAt(number)) add(table, id);
  }
  if (from.size > 0) for (const { table, id } of otherRowsWithBytesIn(parts, from)) add(table, id);
  for (const [number, { records }] of touched) {
    if (records.size === 0) continue;
    for (const id of state.messages.idsAt(number, records)) add('messages', id);
    for (const { table, id } of accounting.rowsAt(number)) {
      const home = accounting.homeOf(table, id);
      if (home !== null && records.has(home.offset)) add(table, id);
    }
  }
  if (rows.size > 0) await moveRows(parts, [...rows.values()], from);
}

function otherRowsWithBytesIn({ state }: ReclaimParts, numbers: ReadonlySet<number>): RowName[] {
  const found: RowName[] = [];
  for (const table of ['requests', 'sends'] as const) {
    for (const put of state.puts(table)) {
      if (extentsOf(put).some(({ segment }) => numbers.has(segment))) found.push({ table, id: put[2].id });
    }
  }
  return found;
}

async function eraseDead(parts: ReclaimParts, touched: readonly (readonly [number, DeadBytes])[]): Promise<void> {
  const { disk, segments, accounting, indexes, logger } = parts;
  const unneeded = await findUnneeded(
    parts,
    touched.flatMap(([, { blobs }]) => blobs),
  );
  for (const [number, { records, blobs }] of touched) {
    const segment = segments.get(number);
    if (segment === undefined) continue;
    const dead = { records, blobs: blobs.filter((extent) => unneeded.has(extentKey(extent))) };
    const bytes = await eraseDeadBytes(disk, segments.pathOf(number), segment, dead);
    accounting.erased(number, { records, blobs });
    logger.debug('erased', { segment: number, bytes });
  }
  await indexes.rewrite(touched.map(([number]) => number));
}

/**
 * Returns the blobs to which no living row refers; several rows may share one. From now on no row can refer to them.
 */
async function findUnneeded(
  { state, pins, segments }: ReclaimParts,
  blobs: readonly Extent[],
): Promise<ReadonlySet<number>> {
  const keys = new Set(blobs.map(extentKey));
  if (keys.size === 0) return keys;
  const endWatch = pins.watch(keys);
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

async function removeSegments(
  { disk, directory, segments, accounting, indexes }: ReclaimParts,
  empty: readonly Segment[],
): Promise<void> {
  for (const { number } of empty) {
    await indexes.remove(number);
    await segments.remove(number);
    accounting.forget(number);
  }
  if (empty.length > 0) await disk.syncDirectory(directory);
}

function extentsOf(put: Put): Extent[] {
  return blobsOf(put).flatMap(readRef);
}

/** The number of bytes copied before a commit. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** The number of rows per transaction. Other transactions wait for it. */
const SLICE_ROWS = 500;

interface RowName {
  readonly table: TableName;
  readonly id: string;
}

/** Rewrites rows at the end of the log, and copies those of their blobs that lie in the segments `from`. */
async function moveRows(parts: ReclaimParts, rows: readonly RowName[], from: ReadonlySet<number>): Promise<void> {
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
    await commitCopies(parts, slice, copied);
    slice = [];
    size = 0;
  }
  await commitCopies(parts, slice, copied);
  parts.blobs.discard([...copied.values()]);
}

/** Copies the blobs of a row and returns the number of bytes. A blob that several rows share is copied once. */
async function copyBlobs(
  { blobs, state }: ReclaimParts,
  { table, id }: RowName,
  from: ReadonlySet<number>,
  copied: Map<BlobRef, BlobRef>,
): Promise<number> {
  const row = state.row(table, id);
  if (row === undefined) return 0;
  let size = 0;
  for (const ref of blobsOf(putOf(table, row))) {
    if (copied.has(ref) || !readRef(ref).some(({ segment }) => from.has(segment))) continue;
    const writer = blobs.copyWriter();
    try {
      for await (const piece of blobs.stream(ref)) {
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

async function commitCopies(
  { log, blobs }: ReclaimParts,
  slice: readonly RowName[],
  copied: ReadonlyMap<BlobRef, BlobRef>,
): Promise<void> {
  if (slice.length === 0) return;
  const old: BlobRef[] = [];
  await log.rewrite((working) =>
    slice.flatMap(({ table, id }) => {
      // The row is read again, so that a change or removal meanwhile is kept.
      const row = working.row(table, id);
      if (row === undefined) return [];
      const put = putOf(table, row);
      old.push(...blobsOf(put));
      return [withBlobs(put, copied)];
    }),
  );
  for (const ref of old) {
    const to = copied.get(ref);
    if (to !== undefined) blobs.moved(ref, to);
  }
}

// Deleted payloads are overwritten with zeros in place. Headers stay, so that a reader can still follow the structure.
// Runs that lie close together are read, zeroed and written back at once; the bytes between them stay unchanged.

const WINDOW_BYTES = 1024 * 1024;
const GAP_BYTES = 64 * 1024;

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Overwrites the dead bytes of a segment and syncs the file. Returns the number of erased bytes. */
export function eraseDeadBytes(disk: Disk, path: string, segment: Segment, dead: DeadBytes): Promise<number> {
  return withFile(disk, path, 'update', async (file) => {
    const runs: Run[] = [];
    for (const { offset, length } of dead.blobs) {
      for (const run of payloadRuns(offset, length)) runs.push({ from: run.at, to: run.at + run.length });
    }
    for (const offset of dead.records) for (const run of await runsOfRecord(file, segment, offset)) runs.push(run);
    let erased = 0;
    for (const window of windowsOf(runs, segment.durable)) {
      await blank(file, window);
      for (const { from, to } of window) erased += to - from;
    }
    if (erased > 0) await file.sync();
    return erased;
  });
}

/** Finds the payload of a record, and the payload of its copy if one follows. */
async function runsOfRecord(file: DiskFile, segment: Segment, offset: number): Promise<Run[]> {
  const runs = await runsAt(file, segment, offset);
  const copyAt = headerPosition(runs.at(-1)?.to ?? offset) + FRAGMENT_HEADER_BYTES;
  const start = await readFully(file, copyAt, COPY_START_BYTES);
  return COPY_START.test(start.toString('latin1')) ? [...runs, ...(await runsAt(file, segment, copyAt))] : runs;
}

/** Finds the fragments of a record by its headers. It stops at a damaged header. */
async function runsAt(file: DiskFile, segment: Segment, offset: number): Promise<Run[]> {
  const recordAt = offset - FRAGMENT_HEADER_BYTES;
  const runs: Run[] = [];
  for (let at = recordAt; ; ) {
    const header = readHeader(await readFully(file, at, FRAGMENT_HEADER_BYTES), at, segment.salt);
    // A mail may start like a copy, so the kind in the header decides.
    if (header === null || header.recordAt !== recordAt || header.kind !== KIND.changes) return runs;
    const from = at + FRAGMENT_HEADER_BYTES;
    runs.push({ from, to: from + header.length });
    if (header.isLast) return runs;
    at = headerPosition(from + header.length);
  }
}

/** Groups runs that lie close together. It ignores runs beyond `end`. */
function* windowsOf(runs: readonly Run[], end: number): Generator<Run[]> {
  const sorted = runs.filter(({ from, to }) => to > from && to <= end).sort((a, b) => a.from - b.from);
  let window: Run[] = [];
  for (const run of sorted) {
    const first = window[0];
    const last = window.at(-1);
    if (first !== undefined && last !== undefined) {
      if (run.from < last.to) continue;
      if (run.from - last.to > GAP_BYTES || run.to - first.from > WINDOW_BYTES) {
        yield window;
        window = [];
      }
    }
    window.push(run);
  }
  if (window.length > 0) yield window;
}

async function blank(file: DiskFile, window: readonly Run[]): Promise<void> {
  const from = window[0]?.from ?? 0;
  const to = window.at(-1)?.to ?? from;
  const bytes = window.length === 1 ? Buffer.alloc(to - from) : await readFully(file, from, to - from);
  for (const run of window) bytes.fill(0, run.from - from, run.to - from);
  await writeFully(file, [bytes], from);
}

/** Dead bytes are reclaimed at once if they exceed this share of the free space. */
const SCARCE_SHARE = 1 / 4;
/**
 * Dead bytes are also reclaimed at once if so many were added since the last reclaim. A flood of captured requests, whose
 * oldest ones are removed all the time, would otherwise fill the disk between two sweeps.
 */
const MOST_ADDED_BYTES = 256 * 1024 * 1024;

interface PromptReclaimParts {
  readonly reserve: DiskReserve;
  readonly segments: Segments;
  readonly accounting: Accounting;
  readonly reclaim: () => Promise<void>;
  readonly logger: Logger;
}

/**
 * Reclaims the space of removed rows before the next sweep if the disk needs it. On a small disk, a client that deletes
 * as fast as mail arrives would otherwise be refused although little is stored. One reclaim runs at a time.
 */
export class PromptReclaim {
  readonly #parts: PromptReclaimParts;
  #isClosed = false;
  #isRunning = false;
  #isWanted = false;
  /** The dead bytes that the last reclaim left: parts of segments that are still in use. */
  #left = 0;

  constructor(parts: PromptReclaimParts) {
    this.#parts = parts;
  }

  /** Reports a durable removal of rows. */
  removed(): void {
    this.#isWanted = true;
    if (!this.#isRunning && !this.#isClosed) void this.#run();
  }

  /** Reports that the store closes. A reclaim that it cuts short is no failure: the next start continues. */
  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    const { reclaim, logger } = this.#parts;
    this.#isRunning = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        if (!(await this.#isNeeded())) continue;
        await reclaim();
        this.#left = this.#deadBytes();
      }
    } catch (error) {
      // The next removal or sweep tries again.
      if (!this.#isClosed) logger.warn('no space was given back', { error: String(error) });
    }
    this.#isRunning = false;
  }

  async #isNeeded(): Promise<boolean> {
    const { reserve } = this.#parts;
    if (reserve.isTight) return true;
    const dead = this.#deadBytes();
    // A sweep may have reclaimed more since.
    this.#left = Math.min(this.#left, dead);
    return dead - this.#left > MOST_ADDED_BYTES || dead > (await reserve.freeBytes()) * SCARCE_SHARE;
  }

  #deadBytes(): number {
    const { segments, accounting } = this.#parts;
    let dead = 0;
    for (const { number, size } of segments.all) dead += size - accounting.liveBytes(number);
    return dead;
  }
}
