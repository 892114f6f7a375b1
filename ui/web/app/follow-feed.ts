import type { FeedEvent, FeedSource, ShellClock } from './ports.ts';

/** The pauses before the attempts to reconnect, in milliseconds. The last pause repeats. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** Events that arrive within this time after a delivery, in milliseconds, are delivered together. */
const FRAME_MS = 40;
/** The longest such time in milliseconds. */
const LONGEST_FRAME_MS = 1_000;
/**
 * The number of events per second up to which `FRAME_MS` is used. Above it the time grows, because nobody can read rows
 * that change faster, and the server and the tests on the same machine need the processor.
 */
const READABLE = 60;
/**
 * The share of an increase of the rate that counts at once, because a short burst is no flood. A decrease counts fully.
 */
const RISE = 0.25;
/** The number of messages per second from which they count as a flood. */
const FLOOD = 250;
const SECOND_MS = 1_000;

export interface FeedReactions {
  /** The feed is connected. `again` is true after a lost connection. */
  live(again: boolean): void;
  lost(reason: string, retryInMs: number): void;
  told(events: readonly FeedEvent[]): void;
  /** A flood of messages began. Returns whether to disconnect the feed until `goOn` is called. */
  mayPause(): boolean;
  /** The feed was disconnected because of a flood. `since` is the id of the last delivered event. */
  paused(since: string | null): void;
}

/**
 * Follows the feed until it is stopped. It reopens a lost connection after the last received event, so that no event is
 * lost or delivered twice.
 */
export class FeedFollower {
  readonly #feed: FeedSource;
  readonly #clock: ShellClock;
  readonly #on: FeedReactions;
  #since: string | null = null;
  #tries = 0;
  #wasLive = false;
  #queue: FeedEvent[] = [];
  #end: () => void = () => {};
  #callOffRetry: () => void = () => {};
  #callOffFrame: (() => void) | null = null;
  #frameMs = FRAME_MS;
  #flushedAt = Number.NEGATIVE_INFINITY;
  /** The smoothed number of events per second. */
  #rate = 0;
  #secondStartedAt = Number.NEGATIVE_INFINITY;
  #inSecond = 0;
  #stopped = false;

  constructor(feed: FeedSource, clock: ShellClock, on: FeedReactions) {
    this.#feed = feed;
    this.#clock = clock;
    this.#on = on;
  }

  /** Follows the feed after an event, or from now on. */
  start(since: string | null = null): void {
    this.#since = since;
    this.#open();
  }

  #open(): void {
    this.#end = this.#feed.open(this.#since, {
      opened: () => {
        this.#tries = 0;
        const again = this.#wasLive;
        this.#wasLive = true;
        this.#on.live(again);
      },
      told: (events) => this.#take(events),
      ended: (reason) => {
        this.#flush();
        if (!this.#stopped) this.#retry(reason);
      },
    });
  }

  /** Reconnects at once, without the pause. */
  hurry(): void {
    if (this.#stopped) return;
    this.#callOffRetry();
    this.#end();
    this.#open();
  }

  /** Connects again after a flood, and receives the events after `since`. */
  goOn(since: string | null): void {
    this.#since = since;
    this.hurry();
  }

  /** Forgets the last event id, because another server does not know it. */
  forget(): void {
    this.#since = null;
  }

  stop(): void {
    this.#stopped = true;
    this.#callOffRetry();
    this.#callOffFrame?.();
    this.#end();
  }

  #retry(reason: string): void {
    const pause = PAUSES_MS[Math.min(this.#tries++, PAUSES_MS.length - 1)] ?? 0;
    this.#on.lost(reason, pause);
    this.#callOffRetry = this.#clock.after(pause, () => this.#open());
  }

  /** Delivers events at once if none came for a while, otherwise with the next frame. */
  #take(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (this.#since === null || event.id > this.#since) this.#since = event.id;
      this.#queue.push(event);
    }
    if (this.#isFlood(events) && this.#on.mayPause()) {
      this.#pause();
      return;
    }
    if (this.#callOffFrame !== null) return;
    const left = this.#flushedAt + this.#frameMs - this.#clock.now();
    if (left <= 0) this.#flush();
    else this.#callOffFrame = this.#clock.after(left, () => this.#flush());
  }

  /** Tells whether the number of messages within a second is a flood. */
  #isFlood(events: readonly FeedEvent[]): boolean {
    const now = this.#clock.now();
    if (now - this.#secondStartedAt >= SECOND_MS) {
      this.#secondStartedAt = now;
      this.#inSecond = 0;
    }
    for (const { type } of events) if (type === 'message.received') this.#inSecond++;
    if (this.#inSecond < FLOOD) return false;
    this.#inSecond = 0;
    return true;
  }

  #pause(): void {
    this.#flush();
    this.#end();
    this.#on.paused(this.#since);
  }

  #flush(): void {
    this.#callOffFrame?.();
    this.#callOffFrame = null;
    const events = this.#queue;
    this.#queue = [];
    if (events.length === 0) return;
    const now = this.#clock.now();
    const rate = (events.length * 1_000) / Math.max(FRAME_MS, now - this.#flushedAt);
    this.#rate = Math.min(rate, this.#rate + (rate - this.#rate) * RISE);
    this.#frameMs = frameOf(this.#rate);
    this.#flushedAt = now;
    this.#on.told(events);
  }
}

/** Returns the time between two deliveries, in milliseconds. It grows with the number of events per second. */
function frameOf(rate: number): number {
  return Math.min(LONGEST_FRAME_MS, FRAME_MS * Math.max(1, rate / READABLE));
}
