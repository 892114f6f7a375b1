import type { ShellApi } from './api.ts';
import type { BurstPollerHost, FloodFinding } from './look-at-flood.ts';
import type { MessageListController } from './message-list-controller.ts';
import type { ShellClock } from './ports.ts';

/** The pause between two polls of the server, in milliseconds. Nobody can read rows that change faster. */
const LOOK_MS = 1_000;
const OVER: FloodFinding = { isOver: true, since: null };

/**
 * Updates the page during a flood of mail without the feed. It polls the newest page each second, which costs the
 * server and the browser less than thousands of events. After the flood, or when the reader selects an older message,
 * the feed resumes where it paused, or after the newest message if only mail came, so that the page misses nothing.
 */
export class BurstPoller {
  readonly #api: ShellApi;
  readonly #clock: ShellClock;
  readonly #mail: MessageListController;
  readonly #host: BurstPollerHost;
  #since: string | null = null;
  #callOff: (() => void) | null = null;
  /** A counter that increases when polling begins or ends. A poll with an older number changes nothing. */
  #turn = 0;

  constructor(api: ShellApi, clock: ShellClock, mail: MessageListController, host: BurstPollerHost) {
    this.#api = api;
    this.#clock = clock;
    this.#mail = mail;
    this.#host = host;
  }

  /** Tells whether the page polls the server instead of following its feed. */
  get isOn(): boolean {
    return this.#callOff !== null;
  }

  /** Begins to poll. `since` is the id of the last event from the feed. */
  begin(since: string | null): void {
    this.#since = since;
    this.#turn++;
    this.#lookLater();
  }

  /** Stops polling and follows the feed again. */
  end(): void {
    if (this.#callOff === null) return;
    this.#callOff();
    this.#callOff = null;
    this.#turn++;
    this.#host.goOn(this.#since);
  }

  #lookLater(): void {
    this.#callOff = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const turn = this.#turn;
    const isStill = () => turn === this.#turn;
    const deps = { api: this.#api, mail: this.#mail, host: this.#host, since: this.#since, isStill };
    // Most pages never see a flood, so they never load its code.
    const looked = await import('./look-at-flood.ts').then(({ lookAtFlood }) => lookAtFlood(deps)).catch(() => OVER);
    if (!isStill()) return;
    if (looked.since !== null) this.#since = looked.since;
    if (looked.isOver) this.end();
    else this.#lookLater();
  }
}
