import { feedIdOf } from '../domain/event.ts';
import type { EventId, MailboxId } from '../domain/ids.ts';
import type { Encoder, EventSink, Feed, FeedFilter, Subscription } from '../ports/events.ts';
import type { Commit, Reader, Store } from '../ports/store.ts';
import { type Clock, type Log, momentNow } from '../ports/system.ts';
import { getOrCreate } from '../text/maps.ts';

/** The longest time in milliseconds that the outbox keeps the event loop busy. */
const SLICE_MS = 1;
const RETRY_MS = 100;
/**
 * Events of more than this many bytes at once are a burst. The outbox rests after it, because sending the following
 * events together costs less.
 */
const BURST_BYTES = 2_000;
const BURST_REST_MS = 10;
/** The number of bytes per millisecond of a rest. While more bytes than that arrive, the rest grows. */
const FLOOD_BYTES_PER_MS = 1_000;

/** The part of a store that the outbox uses. */
type Readable = Pick<Store, 'read' | 'onCommit'>;

/** A subscriber: its position in the feed, and the outlet for the events after it. */
interface Subscriber {
  readonly filter: FeedFilter;
  readonly key: string;
  readonly outlet: EventSink;
  cursor: EventId | null;
  /** The number of bytes sent to it since it had last read all events. */
  burstBytes: number;
  /** The value of `#rests` when it was last served. */
  servedAfter: number;
  /** Tells whether its outlet accepts no more events for now. */
  blocked: boolean;
}

/** Settings of an outbox for its subscribers. */
interface OutboxOptions {
  /** The longest rest in a flood of events, in milliseconds. Default: 10. */
  readonly longestRestMs?: number;
}

/**
 * The group of subscribers that wake together: the subscribers to one mailbox, or with null the subscribers to all
 * mailboxes.
 */
type Concern = MailboxId | null;

/**
 * Creates the feed of a store. A commit only wakes subscribers; each reads from its own cursor. Old and new events thus
 * take the same path without a gap. No events are queued for a slow subscriber: it reads them later.
 */
export function createOutbox(
  store: Readable,
  clock: Clock,
  log: Log,
  loadEncoder: LoadEncoder,
  options: OutboxOptions = {},
): Feed {
  return new Outbox(store, clock, log, loadEncoder, options);
}

class Outbox implements Feed {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #batches: Batches;
  readonly #budget: TimeBudget;
  readonly #stopListening: () => void;
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribers that have read everything. A commit that concerns them wakes them. */
  readonly #resting = new Map<Concern, Set<Subscriber>>();
  /** Subscribers that may have events to read. The one that has waited longest comes first. */
  readonly #ready = new Set<Subscriber>();
  #serving: Subscriber | null = null;
  /** Tells whether a commit concerned the subscriber while it was being served. */
  #woken = false;
  #running = false;
  /** The time in milliseconds that the outlets of the running slice took. */
  #sendingMs = 0;
  #failing = false;
  readonly #longestRestMs: number;
  /** The largest number of bytes sent to one subscriber since the last rest. */
  #burstBytes = 0;
  #rests = 0;
  /** The ready subscribers that have not read all events yet. They are served again until they have. */
  readonly #behind = new Set<Subscriber>();

  constructor(
    store: Readable,
    clock: Clock,
    log: Log,
    loadEncoder: LoadEncoder,
    { longestRestMs = BURST_REST_MS }: OutboxOptions,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#longestRestMs = longestRestMs;
    this.#batches = new Batches(store.read, clock, loadEncoder);
    this.#budget = new TimeBudget(clock);
    this.#stopListening = store.onCommit((commit) => this.#committed(commit));
  }

  get size(): number {
    return this.#subscribers.size;
  }

  subscribe(filter: FeedFilter, after: EventId | null, outlet: EventSink): Subscription {
    const subscriber = {
      filter,
      key: keyOf(filter),
      outlet,
      cursor: after,
      burstBytes: 0,
      servedAfter: -1,
      blocked: false,
    };
    this.#subscribers.add(subscriber);
    this.#makeReady(subscriber);
    return {
      resume: () => {
        if (!subscriber.blocked || !this.#subscribers.has(subscriber)) return;
        subscriber.blocked = false;
        this.#makeReady(subscriber);
      },
      end: () => {
        this.#subscribers.delete(subscriber);
        this.#ready.delete(subscriber);
        this.#behind.delete(subscriber);
        const concern = concernOf(subscriber);
        const together = this.#resting.get(concern);
        together?.delete(subscriber);
        if (together?.size === 0) this.#resting.delete(concern);
      },
    };
  }

  close(): void {
    this.#stopListening();
    this.#subscribers.clear();
    this.#ready.clear();
    this.#behind.clear();
    this.#resting.clear();
    this.#batches.forget();
  }

  #committed({ feed, mailboxIds, all }: Commit): void {
    if (!feed) return;
    this.#batches.forget();
    this.#wake(null);
    for (const id of all ? [...this.#resting.keys()] : mailboxIds) this.#wake(id);
    if (all && this.#serving !== null) this.#woken = true;
  }

  #wake(concern: Concern): void {
    if (this.#serving !== null && concernOf(this.#serving) === concern) this.#woken = true;
    const together = this.#resting.get(concern);
    if (together === undefined) return;
    this.#resting.delete(concern);
    for (const subscriber of together) this.#makeReady(subscriber);
  }

  #makeReady(subscriber: Subscriber): void {
    this.#ready.add(subscriber);
    if (this.#running) return;
    this.#running = true;
    // Runs after the commit, so that the transaction's caller is served first.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#ready.size > 0) {
      const restMs = this.#budget.waitMs(SLICE_MS, this.size);
      if (restMs > 0) {
        // Batches read before the wait may be outdated after it.
        this.#batches.forget();
        await this.#clock.sleep(restMs);
        continue;
      }
      // The cursors have not moved if the store failed, so no event is lost. The loop tries again later.
      if (!(await this.#slice())) await this.#clock.sleep(RETRY_MS);
      else if (this.#isBurstTold()) await this.#clock.sleep(this.#takeRestMs());
      else await new Promise((resolve) => setImmediate(resolve));
    }
    this.#batches.forget();
    this.#running = false;
  }

  /** Tells whether all ready subscribers have read the events of a burst, so that none has to wait during the rest. */
  #isBurstTold(): boolean {
    if (this.#burstBytes <= BURST_BYTES || this.#behind.size > 0) return false;
    for (const { servedAfter } of this.#ready) return servedAfter === this.#rests;
    return true;
  }

  /** Returns how many milliseconds to rest after a burst, and forgets the burst. */
  #takeRestMs(): number {
    this.#rests++;
    const ms = Math.min(this.#longestRestMs, Math.max(BURST_REST_MS, this.#burstBytes / FLOOD_BYTES_PER_MS));
    this.#burstBytes = 0;
    return ms;
  }

  /** Serves subscribers until the slice is used up. Returns false if the store failed. */
  async #slice(): Promise<boolean> {
    const startedAt = this.#clock.steady();
    try {
      for (const subscriber of this.#ready) {
        await this.#serve(subscriber);
        if (this.#clock.steady() - startedAt >= SLICE_MS) break;
      }
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) this.#log.error('the feed could not be read', { error });
      this.#failing = true;
      return false;
    } finally {
      // The budget is not charged with the whole slice, most of which may have been waiting for a database.
      this.#budget.spend(this.#batches.takeBusyMs() + this.#sendingMs);
      this.#sendingMs = 0;
    }
  }

  async #serve(subscriber: Subscriber): Promise<void> {
    this.#serving = subscriber;
    this.#woken = false;
    const { filter, key, cursor, outlet } = subscriber;
    const { bytes, next, more } = await this.#batches.after(filter, key, cursor);
    this.#serving = null;
    if (!this.#subscribers.has(subscriber)) return;
    this.#ready.delete(subscriber);
    this.#behind.delete(subscriber);
    subscriber.servedAfter = this.#rests;
    subscriber.cursor = next;
    subscriber.burstBytes += bytes.length;
    const sendingSince = this.#clock.steady();
    subscriber.blocked = bytes.length > 0 && !outlet.write(bytes);
    this.#sendingMs += this.#clock.steady() - sendingSince;
    if (subscriber.blocked) return;
    if (more) this.#behind.add(subscriber);
    else this.#caughtUp(subscriber);
    if (more || this.#woken) this.#ready.add(subscriber);
    else this.#rest(subscriber);
  }

  #caughtUp(subscriber: Subscriber): void {
    this.#burstBytes = Math.max(this.#burstBytes, subscriber.burstBytes);
    subscriber.burstBytes = 0;
  }

  #rest(subscriber: Subscriber): void {
    getOrCreate(this.#resting, concernOf(subscriber), () => new Set()).add(subscriber);
  }
}

function concernOf({ filter }: Subscriber): Concern {
  return filter.mailboxId ?? null;
}

/** Returns a key that is equal for filters that admit the same events. */
function keyOf({ types, mailboxId }: FeedFilter): string {
  return `${types === undefined ? '*' : [...types].sort().join()} ${mailboxId ?? '*'}`;
}

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

/** Returns the encoder. It is called for the first event that somebody reads, so that a start need not load it. */
export type LoadEncoder = () => Encoder | Promise<Encoder>;

/** Reads and encodes the events after a position. Subscribers at the same position share the result. */
export class Batches {
  readonly #read: Reader;
  readonly #clock: Clock;
  readonly #loadEncoder: LoadEncoder;
  readonly #batches = new Map<string, Batch>();
  #generation = 0;
  #busyMs = 0;

  constructor(read: Reader, clock: Clock, loadEncoder: LoadEncoder) {
    this.#read = read;
    this.#clock = clock;
    this.#loadEncoder = loadEncoder;
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
    const reading = events.list({ ...filter, after, limit: PAGE, now: momentNow(this.#clock) });
    this.#busyMs += this.#clock.steady() - startedAt;
    const items = await reading;
    if (items.length === 0) return { bytes: NOTHING, next: laterOf(after, lastId), more: false };
    const encoder = await this.#loadEncoder();
    const readAt = this.#clock.steady();
    const encoded: Buffer[] = [];
    let bytes = 0;
    let next = after;
    for (const item of items) {
      const event = encoder.encode(item);
      if (bytes > 0 && bytes + event.length > BATCH_BYTES) break;
      encoded.push(event);
      bytes += event.length;
      next = feedIdOf(item);
    }
    const more = encoded.length < items.length || items.length === PAGE;
    if (!more) next = laterOf(next, lastId);
    const packed = encoder.pack?.(encoded) ?? Buffer.concat(encoded);
    this.#busyMs += this.#clock.steady() - readAt;
    return { bytes: packed, next, more };
  }

  #keep(position: string, batch: Batch): void {
    if (this.#batches.size >= BATCHES_KEPT) this.#batches.clear();
    this.#batches.set(position, batch);
  }
}

function laterOf(one: EventId | null, other: EventId | null): EventId | null {
  return other !== null && (one === null || other > one) ? other : one;
}

/**
 * The share of the event loop's time that a crowd of subscribers may take. It is low because each send also costs the
 * receivers processor time.
 */
const CROWD_SHARE = 0.01;
/** The share that a few subscribers may take. It is enough to send each event at once. */
const LARGEST_SHARE = 0.05;
/** The number of subscribers from which they count as a crowd. */
const CROWD = 50;
/** The largest unspent budget, in milliseconds. With it, a server that was quiet sends to all subscribers at once. */
const SAVED_MS = 25;

/** A budget of event-loop time for the feed. It grows by a share of the time that passes, and sending spends it. */
export class TimeBudget {
  readonly #clock: Clock;
  #savedMs = SAVED_MS;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.steady();
  }

  /**
   * Returns how many milliseconds to wait before `sliceMs` may be spent on this many subscribers. 0 means that budget
   * is left.
   */
  waitMs(sliceMs: number, subscribers: number): number {
    const now = this.#clock.steady();
    const share = shareOf(subscribers);
    this.#savedMs = Math.min(SAVED_MS, this.#savedMs + (now - this.#at) * share);
    this.#at = now;
    return this.#savedMs > 0 ? 0 : (sliceMs - this.#savedMs) / share;
  }

  spend(ms: number): void {
    this.#savedMs -= ms;
  }
}

function shareOf(subscribers: number): number {
  return LARGEST_SHARE - (LARGEST_SHARE - CROWD_SHARE) * Math.min(1, subscribers / CROWD);
}
