import { ALL_MAIL, type ShellApi } from './api.ts';
import type { MessageListController } from './message-list-controller.ts';
import type { ShellClock } from './ports.ts';

/** The pause between two polls of the server, in milliseconds. Nobody can read rows that change faster. */
const LOOK_MS = 1_000;
/** A flood is over when fewer messages than this arrive between two polls. */
const CALM = 200;

/** The events that a poll does not show, so that only the feed reports them. */
const OTHERS = ['reset', 'clock.set', 'message.deleted', 'mailbox.deleted'];

/** The functions of the page that a poller uses. */
export interface BurstPollerHost {
  /** Tells whether polling is enough: the page shows only a list with the newest messages. */
  readonly mayLook: () => boolean;
  /** Loads the mailboxes, and returns the number of messages that were added since the last time. */
  readonly countArrived: () => Promise<number>;
  /** Follows the feed again, from the event after `since`. */
  readonly goOn: (since: string | null) => void;
}

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
    const isOver = await this.#isOver(isStill).catch(() => true);
    if (!isStill()) return;
    if (isOver) this.end();
    else this.#lookLater();
  }

  /** Polls the server once. Returns whether to stop. `isStill` returns false if polling was stopped meanwhile. */
  async #isOver(isStill: () => boolean): Promise<boolean> {
    const since = this.#since;
    if (since === null || !this.#host.mayLook()) return true;
    const arrived = await this.#renew(isStill);
    if (arrived === null) return true;
    if (!isStill() || arrived >= CALM) return false;
    const reached = await this.#reach(since, isStill);
    if (reached !== null && isStill()) this.#since = reached;
    return true;
  }

  /**
   * Renews the list and the counts. Returns the number of new messages; null if the reader selected an older message.
   */
  async #renew(isStill: () => boolean): Promise<number | null> {
    const [isRenewed, arrived] = await Promise.all([this.#mail.renew(isStill), this.#host.countArrived()]);
    return isRenewed ? arrived : null;
  }

  /**
   * Polls once more, and returns the newest message from before this poll. Returns null if a deletion or a reset
   * happened before that message, because these change more than the newest page and only the feed reports them.
   */
  async #reach(since: string, isStill: () => boolean): Promise<string | null> {
    // The position is read before the rows. The feed repeats messages that arrive in between, and the list ignores
    // them.
    const { items } = await this.#api.messages(ALL_MAIL, { limit: 1, before: null });
    const newest = items[0]?.id ?? '';
    if (newest <= since || (await this.#renew(isStill)) === null) return null;
    const others = await this.#api.events(since, 1, null, OTHERS);
    return others.length === 0 ? newest : null;
  }
}
