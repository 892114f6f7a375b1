import { type FeedItem, feedIdOf } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedFilter } from '../ports/feed.ts';
import type { Reader } from '../ports/store.ts';

/** Events read at once. */
const PAGE = 256;
/** What a batch holds, but for one event that is larger by itself. */
const BATCH_BYTES = 64 * 1024;
const BATCHES_KEPT = 64;
const ENCODED_BYTES_KEPT = 4 * 1024 * 1024;

/** Some events as they go over the wire. */
export interface Batch {
  readonly bytes: Buffer;
  /** The position after it. */
  readonly next: EventId | null;
  /** There was more to read. */
  readonly more: boolean;
}

export type Encode = (item: FeedItem) => Buffer;

/** What comes after a position, read and encoded once for all who stand there. */
export class Batches {
  readonly #read: Reader;
  readonly #clock: Clock;
  readonly #encode: Encode;
  readonly #batches = new Map<string, Batch>();
  #generation = 0;
  /** By row: one that changed is another row. */
  readonly #encoded = new Map<object, Buffer>();
  #encodedBytes = 0;

  constructor(read: Reader, clock: Clock, encode: Encode) {
    this.#read = read;
    this.#clock = clock;
    this.#encode = encode;
  }

  /** `key` tells the filter from others. */
  async after(filter: FeedFilter, key: string, after: EventId | null): Promise<Batch> {
    const position = `${key} ${after ?? ''}`;
    const kept = this.#batches.get(position);
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const batch = await this.#look(filter, after);
    // A commit while it was being read: whoever is served next must see it.
    if (generation === this.#generation) this.#keep(position, batch);
    return batch;
  }

  /** Something was committed, or time went by: what was read may be more now, or less. */
  forget(): void {
    this.#generation++;
    this.#batches.clear();
  }

  async #look(filter: FeedFilter, after: EventId | null): Promise<Batch> {
    const { events } = this.#read;
    // Asked first: what is not found up to here did not concern this filter, and is not looked through again.
    const lastId = await events.lastId();
    const items = await events.after({ ...filter, after, limit: PAGE, now: this.#clock.now() });
    const encoded: Buffer[] = [];
    let bytes = 0;
    let next = after;
    for (const item of items) {
      const event = this.#encodeOnce(item);
      if (bytes > 0 && bytes + event.length > BATCH_BYTES) break;
      encoded.push(event);
      bytes += event.length;
      next = feedIdOf(item);
    }
    const more = encoded.length < items.length || items.length === PAGE;
    if (!more && lastId !== null && (next === null || lastId > next)) next = lastId;
    return { bytes: Buffer.concat(encoded, bytes), next, more };
  }

  #encodeOnce(item: FeedItem): Buffer {
    const row = rowOf(item);
    const kept = this.#encoded.get(row);
    if (kept !== undefined) return kept;
    const event = this.#encode(item);
    this.#encoded.set(row, event);
    this.#encodedBytes += event.length;
    for (const [oldest, { length }] of this.#encoded) {
      if (this.#encodedBytes <= ENCODED_BYTES_KEPT) break;
      this.#encoded.delete(oldest);
      this.#encodedBytes -= length;
    }
    return event;
  }

  #keep(position: string, batch: Batch): void {
    if (this.#batches.size >= BATCHES_KEPT) this.#batches.clear();
    this.#batches.set(position, batch);
  }
}

function rowOf(item: FeedItem): object {
  switch (item.kind) {
    case 'event':
      return item.event;
    case 'message':
      return item.message;
    case 'request':
      return item.request;
  }
}
