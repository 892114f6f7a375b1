import { ALL_MAIL, type Api } from './api.ts';
import type { MailDesk } from './mail-desk.ts';
import type { Clock } from './ports.ts';

/** The pause between two looks at the server, in milliseconds. Nobody reads rows that are replaced faster. */
const LOOK_MS = 1_000;
/** A flood is over when fewer messages than these arrived between two looks. */
const CALM = 200;

/** What a flood desk needs of the page. */
export interface FloodPlace {
  /** Tells whether only a list that shows the newest messages wants to know of news. */
  readonly mayLook: () => boolean;
  /** Loads the mailboxes, and returns how many messages arrived since they were loaded last. */
  readonly countArrived: () => Promise<number>;
  /** Follows the feed again, after an event. */
  readonly goOn: (since: string | null) => void;
}

/**
 * Keeps the page in step with a flood of mail without its feed. A look at the newest page each second costs the server
 * and the browser less than thousands of events. After the flood, or when the reader turns to an older message, the feed
 * goes on after the newest message of the last look, so that the page misses nothing that its list does not show.
 */
export class FloodDesk {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #mail: MailDesk;
  readonly #place: FloodPlace;
  #since: string | null = null;
  #callOff: (() => void) | null = null;

  constructor(api: Api, clock: Clock, mail: MailDesk, place: FloodPlace) {
    this.#api = api;
    this.#clock = clock;
    this.#mail = mail;
    this.#place = place;
  }

  /** Tells whether the page looks at the server instead of following its feed. */
  get isOn(): boolean {
    return this.#callOff !== null;
  }

  /** Begins to look. `since` is the last event that the feed told. */
  begin(since: string | null): void {
    this.#since = since;
    this.#lookLater();
  }

  /** Ends the looks and follows the feed again. */
  end(): void {
    if (this.#callOff === null) return;
    this.#callOff();
    this.#callOff = null;
    this.#place.goOn(this.#since);
  }

  #lookLater(): void {
    this.#callOff = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const isOver = await this.#isOver().catch(() => true);
    // The page may have ended the looks meanwhile.
    if (this.#callOff === null) return;
    if (isOver) this.end();
    else this.#lookLater();
  }

  async #isOver(): Promise<boolean> {
    if (!this.#place.mayLook()) return true;
    // The position is read before the rows: what arrives in between is told by the feed again, and known by its id.
    const newest = await this.#api.messages(ALL_MAIL, { limit: 1, before: null });
    const [isRenewed, arrived] = await Promise.all([this.#mail.renew(), this.#place.countArrived()]);
    if (!isRenewed) return true;
    this.#since = newest.items[0]?.id ?? this.#since;
    return arrived < CALM;
  }
}
