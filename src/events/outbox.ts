import type { EventId, MailboxId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Feed, FeedFilter, Outlet, Subscription } from '../ports/feed.ts';
import type { Log } from '../ports/log.ts';
import type { Commit, Store } from '../ports/store.ts';
import { Batches, type Encode } from './batches.ts';
import { TimeBudget } from './time-budget.ts';

/** How long the loop is kept at a time. */
const SLICE_MS = 1;
const RETRY_MS = 100;
/** Several events at once: more are on their way, and told together they cost less. */
const BURST_BYTES = 2_000;
const BURST_REST_MS = 10;

/** What is read of a store. */
type Readable = Pick<Store, 'read' | 'onCommit'>;

/** A position in the feed, and where what comes after it goes. */
interface Subscriber {
  readonly filter: FeedFilter;
  readonly key: string;
  readonly outlet: Outlet;
  cursor: EventId | null;
  /** Its outlet takes nothing now. */
  blocked: boolean;
}

/** Who is woken together: those of one mailbox, or, null, those of every one. */
type Concern = MailboxId | null;

/**
 * The feed of a store. A commit is a reason to look, and a subscriber's cursor decides what it is told: so there is one
 * way, and no seam, from the oldest event to the newest. Nobody's events are queued; who is behind reads later.
 */
export function createOutbox(store: Readable, clock: Clock, log: Log, encode: Encode): Feed {
  return new Outbox(store, clock, log, encode);
}

class Outbox implements Feed {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #batches: Batches;
  readonly #budget: TimeBudget;
  readonly #stopListening: () => void;
  readonly #subscribers = new Set<Subscriber>();
  /** Those told all that there was, until something concerns them. */
  readonly #resting = new Map<Concern, Set<Subscriber>>();
  /** Those there may be something for, longest waiting first. */
  readonly #ready = new Set<Subscriber>();
  #serving: Subscriber | null = null;
  /** Something came that concerns who is being served. */
  #woken = false;
  #running = false;
  #failing = false;
  #burst = false;

  constructor(store: Readable, clock: Clock, log: Log, encode: Encode) {
    this.#clock = clock;
    this.#log = log;
    this.#batches = new Batches(store.read, clock, encode);
    this.#budget = new TimeBudget(clock);
    this.#stopListening = store.onCommit((commit) => this.#committed(commit));
  }

  get size(): number {
    return this.#subscribers.size;
  }

  subscribe(filter: FeedFilter, after: EventId | null, outlet: Outlet): Subscription {
    const subscriber = { filter, key: keyOf(filter), outlet, cursor: after, blocked: false };
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
    this.#resting.clear();
    this.#batches.forget();
  }

  #committed({ feed, mailboxIds }: Commit): void {
    if (!feed) return;
    this.#batches.forget();
    this.#wake(null);
    for (const id of mailboxIds) this.#wake(id);
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
    // Not within the commit: those who wait for it come first.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#ready.size > 0) {
      const restMs = this.#budget.waitMs(SLICE_MS, this.size);
      if (restMs > 0) {
        // What is read before and after a rest need not be the same.
        this.#batches.forget();
        await this.#clock.sleep(restMs);
        continue;
      }
      this.#burst = false;
      // The cursor has not moved where the store failed, so nothing is lost: it may be well again by then.
      if (!(await this.#slice())) await this.#clock.sleep(RETRY_MS);
      else if (this.#burst) await this.#clock.sleep(BURST_REST_MS);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    this.#batches.forget();
    this.#running = false;
  }

  /** Serves as many as there is time for. False where the store failed. */
  async #slice(): Promise<boolean> {
    const startedAt = this.#clock.steady();
    let now = startedAt;
    try {
      for (const subscriber of this.#ready) {
        await this.#serve(subscriber);
        now = this.#clock.steady();
        if (now - startedAt >= SLICE_MS) break;
      }
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) this.#log.error('the feed could not be read', { error });
      this.#failing = true;
      return false;
    } finally {
      this.#budget.spend(now - startedAt);
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
    subscriber.cursor = next;
    if (bytes.length > BURST_BYTES) this.#burst = true;
    subscriber.blocked = bytes.length > 0 && !outlet.write(bytes);
    if (subscriber.blocked) return;
    if (more || this.#woken) this.#ready.add(subscriber);
    else this.#rest(subscriber);
  }

  #rest(subscriber: Subscriber): void {
    const concern = concernOf(subscriber);
    const together = this.#resting.get(concern);
    if (together === undefined) this.#resting.set(concern, new Set([subscriber]));
    else together.add(subscriber);
  }
}

function concernOf({ filter }: Subscriber): Concern {
  return filter.mailboxId ?? null;
}

/** Equal for filters that let the same pass. */
function keyOf({ types, mailboxId }: FeedFilter): string {
  return `${types === undefined ? '*' : [...types].sort().join()} ${mailboxId ?? '*'}`;
}
