import type { BlobRef, Message } from '../../domain/message.ts';
import type { Log as Logger } from '../../ports/log.ts';
import { type Change, isGrowing, type State } from '../tables/state.ts';
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
    await this.#moveMessages(number, changes);
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

  /** Copies the messages that have bytes or their row here. */
  async #moveMessages(number: number, changes: readonly Change[]): Promise<void> {
    const copied = new Map<BlobRef, BlobRef>();
    const { state, accounting, log, store } = this.#parts;
    const ids = new Set(accounting.guests(number));
    for (const change of changes) {
      if (change[0] === 'put' && change[1] === 'messages' && accounting.homeOf('messages', change[2].id) === number)
        ids.add(change[2].id);
    }
    let slice: { from: Message; to: Message }[] = [];
    let size = 0;
    const commit = async () => {
      const batch = slice;
      slice = [];
      size = 0;
      // One that changed or went meanwhile stays as it is.
      await store.rewrite((working) =>
        batch.filter(({ from }) => working.messages.get(from.id) === from).map(({ to }) => ['put', 'messages', to]),
      );
      for (const { from, to } of batch) {
        log.moved(from.raw, to.raw);
        log.moved(from.facts, to.facts);
        log.discard([to.raw, to.facts]);
      }
    };
    for (const id of ids) {
      const from = state.messages.get(id);
      if (from === undefined) continue;
      slice.push({
        from,
        to: { ...from, raw: await copy(log, from.raw, copied), facts: await copy(log, from.facts, copied) },
      });
      size += from.sizeBytes;
      if (size > SLICE_BYTES) await commit();
    }
    await commit();
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

/** A blob shared by several messages is copied once. */
async function copy(log: Log, ref: BlobRef, copied: Map<BlobRef, BlobRef>): Promise<BlobRef> {
  const known = copied.get(ref);
  if (known !== undefined) return known;
  const writer = log.writer();
  for await (const piece of log.stream(ref)) await writer.write(piece);
  const to = await writer.finish();
  copied.set(ref, to);
  return to;
}

function isRemoval(change: Change): boolean {
  return change[0] === 'clear' || (change[0] === 'remove' && isGrowing(change[1]));
}

/** A row that came back under its id must not be removed again. */
function isPresent(state: State, change: Change): boolean {
  return change[0] === 'remove' && isGrowing(change[1]) && state[change[1]].get(change[2]) !== undefined;
}

function* otherRows(
  state: State,
  accounting: Accounting,
  number: number,
  changes: readonly Change[],
): Generator<Change> {
  const seen = new Set<string>();
  for (const change of changes) {
    if (change[0] !== 'put' || change[1] !== 'idempotency' || accounting.homeOf('idempotency', change[2].id) !== number)
      continue;
    const row = state.idempotency.get(change[2].id);
    if (row === undefined || seen.has(row.id)) continue;
    seen.add(row.id);
    yield ['put', 'idempotency', row];
  }
}
