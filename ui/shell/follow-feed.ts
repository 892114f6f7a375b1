import type { Clock, Feed, FeedEvent } from './ports.ts';

/** The pauses before each attempt to reconnect. All further attempts wait for the last one. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];
/** Events that arrive within this time are delivered together. */
const FRAME_MS = 40;
/** The longest such time. */
const LONGEST_FRAME_MS = 250;
/**
 * The part of the time that the page may take for events. A flood of mail leaves the rest to the server and the tests
 * on the same machine.
 */
const SHARE = 1 / 4;

export interface Followed {
  /** The feed is connected. `again` is true after a lost connection. */
  live(again: boolean): void;
  lost(reason: string, retryInMs: number): void;
  told(events: readonly FeedEvent[]): void;
}

/**
 * Follows the feed until it is stopped. It reopens a lost connection after the last received event, so that no event is
 * lost or delivered twice.
 */
export class FeedFollower {
  readonly #feed: Feed;
  readonly #clock: Clock;
  readonly #on: Followed;
  #since: string | null = null;
  #tries = 0;
  #wasLive = false;
  #queue: FeedEvent[] = [];
  #end: () => void = () => {};
  #callOffRetry: () => void = () => {};
  #callOffFrame: (() => void) | null = null;
  #frameMs = FRAME_MS;
  #stopped = false;

  constructor(feed: Feed, clock: Clock, on: Followed) {
    this.#feed = feed;
    this.#clock = clock;
    this.#on = on;
  }

  start(): void {
    this.#end = this.#feed.open(this.#since, {
      opened: () => {
        this.#tries = 0;
        const again = this.#wasLive;
        this.#wasLive = true;
        this.#on.live(again);
      },
      told: (event) => {
        if (this.#since === null || event.id > this.#since) this.#since = event.id;
        this.#queue.push(event);
        this.#callOffFrame ??= this.#clock.after(this.#frameMs, () => this.#flush());
      },
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
    this.start();
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
    this.#callOffRetry = this.#clock.after(pause, () => this.start());
  }

  #flush(): void {
    this.#callOffFrame?.();
    this.#callOffFrame = null;
    const events = this.#queue;
    this.#queue = [];
    if (events.length === 0) return;
    const startedAt = this.#clock.now();
    this.#on.told(events);
    // What is drawn because of the events is drawn before this runs.
    this.#clock.after(0, () => {
      const took = this.#clock.now() - startedAt;
      this.#frameMs = Math.min(LONGEST_FRAME_MS, Math.max(FRAME_MS, took / SHARE));
    });
  }
}
