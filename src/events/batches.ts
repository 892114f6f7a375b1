import { type FeedItem, feedIdOf } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import { momentNow } from '../ports/clock.ts';
import type { FeedFilter } from '../ports/feed.ts';
import type { Reader } from '../ports/store.ts';

/** The number of events read at once. */
const PAGE = 256;
/** The largest batch, in bytes. A single larger event forms a batch of its own. */
const BATCH_BYTES = 64 * 1024;
const BATCHES_KEPT = 64;
const NOTHING = Buffer.alloc(0);

/** Consecutive events, encoded for the wire. */
export interface Batch {
  readonly bytes: Buffer;
  /** The position in the feed after the last event of the batch. */
  readonly next: EventId | null;
  /** Tells whether the feed holds more events after this batch. */
  readonly more: boolean;
}

export type Encode = (item: FeedItem) => Buffer;

/** Joins encoded events to the bytes of a batch. */
export type Pack = (events: readonly Buffer[]) => Buffer;

const oneAfterAnother: Pack = (events) => Buffer.concat(events);

/** Reads and encodes the events after a position. Subscribers at the same position share the result. */
export class Batches {
  readonly #read: Reader;
  readonly #clock: Clock;
  readonly #encode: Encode;
  readonly #pack: Pack;
  readonly #batches = new Map<string, Batch>();
  #generation = 0;
  #busyMs = 0;

  constructor(read: Reader, clock: Clock, encode: Encode, pack = oneAfterAnother) {
    this.#read = read;
    this.#clock = clock;
    this.#encode = encode;
    this.#pack = pack;
  }

  /** Returns the batch after a position. `key` identifies the filter. */
  async after(filter: FeedFilter, key: string, after: EventId | null): Promise<Batch> {
    const position = `${key} ${after ?? ''}`;
    const kept = this.#batches.get(position);
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const batch = await this.#look(filter, after);
    // A commit happened during the read. The batch is not cached, so the next subscriber sees the new events.
    if (generation === this.#generation) this.#keep(position, batch);
    return batch;
  }

  /** Drops the cached batches, because a commit or the passing of time may have changed their content. */
  forget(): void {
    this.#generation++;
    this.#batches.clear();
  }

  /** Returns for how many milliseconds the reads since the last call kept the event loop busy, and resets that time. */
  takeBusyMs(): number {
    const busyMs = this.#busyMs;
    this.#busyMs = 0;
    return busyMs;
  }

  async #look(filter: FeedFilter, after: EventId | null): Promise<Batch> {
    const { events } = this.#read;
    // The last id is read first, so that the next read does not search the events up to it again if the filter admits
    // none of them.
    const lastId = await events.lastId();
    // A store in memory reads synchronously before it returns, so only that time is counted. Waiting for a database
    // does not keep the event loop busy.
    const startedAt = this.#clock.steady();
    const reading = events.after({ ...filter, after, limit: PAGE, now: momentNow(this.#clock) });
    this.#busyMs += this.#clock.steady() - startedAt;
    const items = await reading;
    const readAt = this.#clock.steady();
    const encoded: Buffer[] = [];
    let bytes = 0;
    let next = after;
    for (const item of items) {
      const event = this.#encode(item);
      if (bytes > 0 && bytes + event.length > BATCH_BYTES) break;
      encoded.push(event);
      bytes += event.length;
      next = feedIdOf(item);
    }
    const more = encoded.length < items.length || items.length === PAGE;
    if (!more && lastId !== null && (next === null || lastId > next)) next = lastId;
    const packed = encoded.length === 0 ? NOTHING : this.#pack(encoded);
    this.#busyMs += this.#clock.steady() - readAt;
    return { bytes: packed, next, more };
  }

  #keep(position: string, batch: Batch): void {
    if (this.#batches.size >= BATCHES_KEPT) this.#batches.clear();
    this.#batches.set(position, batch);
  }
}
