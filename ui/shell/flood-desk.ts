import { ALL_MAIL, type ShellApi } from './api.ts';
import type { MailDesk } from './mail-desk.ts';
import type { ShellClock } from './ports.ts';

/** The pause between two looks at the server, in milliseconds. Nobody reads rows that are replaced faster. */
const LOOK_MS = 1_000;
/** A flood is over when fewer messages than these arrived between two looks. */
const CALM = 200;

/** The events that the feed has to tell: a look does not show them. */
const OTHERS = ['reset', 'message.deleted', 'mailbox.deleted'];

/** The services of the page that a flood desk uses. */
export interface FloodPlace {
  /** Tells whether only a list that shows the newest messages wants to know of news. */
  readonly mayLook: () => boolean;
  /** Loads the mailboxes, and returns how many messages they have more than before. */
  readonly countArrived: () => Promise<number>;
  /** Follows the feed again, after an event. */
  readonly goOn: (since: string | null) => void;
}

/**
 * Keeps the page in step with a flood of mail without its feed. A look at the newest page each second costs the server
 * and the browser less than thousands of events. After the flood, or when the reader turns to an older message, the feed
 * goes on where it paused, or after the newest message if nothing but mail came, so that the page misses nothing.
 */
export class FloodDesk {
  readonly #api: ShellApi;
  readonly #clock: ShellClock;
  readonly #mail: MailDesk;
  readonly #place: FloodPlace;
  #since: string | null = null;
  #callOff: (() => void) | null = null;
  /** Increases with each beginning and end. A look of an earlier turn changes nothing. */
  #turn = 0;

  constructor(api: ShellApi, clock: ShellClock, mail: MailDesk, place: FloodPlace) {
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
    this.#turn++;
    this.#lookLater();
  }

  /** Ends the looks and follows the feed again. */
  end(): void {
    if (this.#callOff === null) return;
    this.#callOff();
    this.#callOff = null;
    this.#turn++;
    this.#place.goOn(this.#since);
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

  /** Looks at the server, and tells whether to end the looks. `isStill` tells whether they were not ended meanwhile. */
  async #isOver(isStill: () => boolean): Promise<boolean> {
    const since = this.#since;
    if (since === null || !this.#place.mayLook()) return true;
    const arrived = await this.#renew(isStill);
    if (arrived === null) return true;
    if (!isStill() || arrived >= CALM) return false;
    const reached = await this.#reach(since, isStill);
    if (reached !== null && isStill()) this.#since = reached;
    return true;
  }

  /** Renews the list and the counts. Returns how many messages arrived, or null if the reader turned to an older one. */
  async #renew(isStill: () => boolean): Promise<number | null> {
    const [isRenewed, arrived] = await Promise.all([this.#mail.renew(isStill), this.#place.countArrived()]);
    return isRenewed ? arrived : null;
  }

  /**
   * Looks once more, and returns the newest message from before this look. It returns null if the feed must tell what
   * happened before that message: a deletion or a reset changes more than the newest page.
   */
  async #reach(since: string, isStill: () => boolean): Promise<string | null> {
    // The position is read before the rows. The feed tells again what arrives in between, and the list knows its id.
    const { items } = await this.#api.messages(ALL_MAIL, { limit: 1, before: null });
    const newest = items[0]?.id ?? '';
    if (newest <= since || (await this.#renew(isStill)) === null) return null;
    const others = await this.#api.events(since, 1, null, OTHERS);
    return others.length === 0 ? newest : null;
  }
}
