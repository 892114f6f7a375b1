import type { BlobRef } from '../../domain/message.ts';
import type { Log as Logger } from '../../ports/log.ts';
import { BLOB_TABLES, type BlobTable, blobsOf, isBlobTable, withBlobs } from '../tables/blobs.ts';
import { type Change, isGrowing, type Put, type Rows, type State } from '../tables/state.ts';
import type { TablesStore } from '../tables/tables-store.ts';
import type { Accounting } from './accounting.ts';
import type { Log } from './log.ts';
import { readSegment } from './recovery.ts';
import type { Segment, Segments } from './segments.ts';
import type { Snapshot } from './snapshot.ts';

// Space is given back by whole segments: what is alive in one is copied to the end of the log, and the file is removed.
// Chosen are segments with nothing alive, more dead than alive, or anything past its retention or cleared.
// The newest is among them once enough in it is dead.

/** So much is copied before it is committed. */
const SLICE_BYTES = 4 * 1024 * 1024;

export interface Reclaimable {
  readonly logDirectory: string;
  readonly store: TablesStore;
  readonly state: State;
  readonly log: Log;
  readonly segments: Segments;
  readonly accounting: Accounting;
  readonly snapshot: Snapshot;
  readonly damaged: ReadonlySet<number>;
  readonly logger: Logger;
}

export class Reclaimer {
  readonly #parts: Reclaimable;
  /** Segments kept for the removals in them alone, until the oldest segment at that time is gone. */
  readonly #keptFor = new Map<number, number>();

  constructor(parts: Reclaimable) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { log, segments, accounting } = this.#parts;
    log.forgetMoves();
    const newest = segments.all.find(({ number }) => number === log.activeNumber);
    if (newest !== undefined && (accounting.expiredBytes(newest.number) > 0 || isMostlyDead(newest, accounting)))
      log.roll();
    await log.flushed();
    for (const segment of segments.all) {
      if (segment.number !== log.activeNumber && this.#isWorthIt(segment)) await this.#empty(segment);
    }
  }

  #isWorthIt({ number, size, durable }: Segment): boolean {
    const { accounting, damaged, log } = this.#parts;
    if (damaged.has(number) || log.isPinned(number) || durable < size || this.#keptFor.get(number) === this.#oldest())
      return false;
    const live = accounting.liveBytes(number);
    return live === 0 || live < size / 2 || accounting.expiredBytes(number) > 0;
  }

  async #empty(segment: Segment): Promise<void> {
    const { logDirectory, store, log, segments, accounting, snapshot, state, logger } = this.#parts;
    const { number } = segment;
    const found = readSegment(logDirectory, number, false, logger);
    if (found === null || found.damaged) return;
    const changes = found.entries.flatMap(([, list]) => list);
    const removals = this.#oldest() < number ? changes.filter(isRemoval) : [];
    if (accounting.liveBytes(number) === 0 && JSON.stringify(removals).length > segment.size / 2) {
      this.#keptFor.set(number, this.#oldest());
      return;
    }
    for (const table of BLOB_TABLES) await this.#moveRows(table, number, changes);
    await store.rewrite((working) => [
      ...otherRows(working, accounting, number, changes),
      ...removals.filter((removal) => !isPresent(working, removal)),
    ]);
    // What the snapshot does not have yet may stand in this segment alone.
    if (snapshot.document.position.segment <= number) await snapshot.write(state, log.position);
    await segments.remove(number);
    accounting.forget(number);
    this.#keptFor.delete(number);
  }

  /** Copies the rows that have bytes here, or stand here and have bytes elsewhere. */
  async #moveRows<Name extends BlobTable>(name: Name, number: number, changes: readonly Change[]): Promise<void> {
    const { accounting, log, state, store } = this.#parts;
    const copied = new Map<BlobRef, BlobRef>();
    const ids = new Set(accounting.guests(number, name));
    for (const change of changes) {
      if (change[0] === 'put' && change[1] === name && accounting.homeOf(name, change[2].id) === number)
        ids.add(change[2].id);
    }
    let slice: string[] = [];
    let size = 0;
    const commit = async () => {
      const batch = slice;
      slice = [];
      size = 0;
      const old: BlobRef[] = [];
      await store.rewrite((working) =>
        batch.flatMap((id) => {
          // As it is by now: what changed meanwhile keeps its change.
          const row = working.row(name, id);
          if (row === undefined) return [];
          const put = putOf(name, row);
          old.push(...blobsOf(put));
          return [putOf(name, withBlobs(name, row, copied))];
        }),
      );
      for (const ref of old) {
        const to = copied.get(ref);
        if (to !== undefined) log.moved(ref, to);
      }
    };
    for (const id of ids) {
      const row = state.row(name, id);
      if (row === undefined) continue;
      for (const ref of blobsOf(putOf(name, row))) size += await copy(log, ref, copied);
      slice.push(id);
      if (size > SLICE_BYTES) await commit();
    }
    await commit();
    log.discard([...copied.values()]);
  }

  #oldest(): number {
    return Math.min(...this.#parts.segments.all.map(({ number }) => number));
  }
}

/** Below this a newest segment is not worth rewriting for what was deleted one by one. */
const WORTHWHILE_BYTES = 1024 * 1024;

function isMostlyDead({ number, size }: Segment, accounting: Accounting): boolean {
  const live = accounting.liveBytes(number);
  return size - live > WORTHWHILE_BYTES && live < size / 2;
}

function putOf<Name extends BlobTable>(name: Name, row: Rows[Name]): Put {
  return ['put', name, row] as unknown as Put; // the pair is of one table
}

/** A blob shared by several rows is copied once. How many bytes were. */
async function copy(log: Log, ref: BlobRef, copied: Map<BlobRef, BlobRef>): Promise<number> {
  if (copied.has(ref)) return 0;
  let size = 0;
  const writer = log.writer();
  for await (const piece of log.stream(ref)) {
    size += piece.length;
    await writer.write(piece);
  }
  copied.set(ref, await writer.finish());
  return size;
}

function isRemoval(change: Change): boolean {
  return change[0] === 'clear' || (change[0] === 'remove' && isGrowing(change[1]));
}

/** A row that came back under its id must not be removed again. */
function isPresent(state: State, change: Change): boolean {
  return change[0] === 'remove' && isGrowing(change[1]) && state.row(change[1], change[2]) !== undefined;
}

/** The rows without bytes that stand in a segment. */
function* otherRows(
  state: State,
  accounting: Accounting,
  number: number,
  changes: readonly Change[],
): Generator<Change> {
  const seen = new Set<string>();
  for (const change of changes) {
    if (change[0] !== 'put' || !isGrowing(change[1]) || isBlobTable(change[1])) continue;
    const [, table, { id }] = change;
    if (accounting.homeOf(table, id) !== number || seen.has(`${table} ${id}`)) continue;
    const row = state.row(table, id);
    if (row === undefined) continue;
    seen.add(`${table} ${id}`);
    yield ['put', table, row] as Put; // the pair is of one table
  }
}
