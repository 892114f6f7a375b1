import { saidReset } from '../../../src/text/wording.ts';
import { ALL_MAIL, type ShellApi, type Summary } from './api.ts';
import { BurstPoller } from './burst-poller.ts';
import {
  countArrived,
  deletionOf,
  marksOf,
  withArrivals,
  withDeletion,
  withoutDeleting,
  withoutOpen,
} from './feed-changes.ts';
import { FeedFollower } from './follow-feed.ts';
import type { MessageMarks } from './marks.ts';
import type { MessageListController } from './message-list-controller.ts';
import type { FeedEvent, FeedSource, ShellClock } from './ports.ts';
import type { WebRow, WebState } from './state.ts';
import { messagesOf, toWebRow } from './state.ts';

/**
 * The shortest time between two requests for the list of mailboxes. A test suite can create many mailboxes in a row.
 */
const MAILBOXES_MS = 400;
/** The number of events in one delivery from which they count as a flood, and the quiet time after which it is over. */
const FLOOD = 50;
const CALM_MS = 1_300;

/**
 * The positions in the feed between which the server made the counts. They include each event up to `from`, and none
 * after `to`. They may or may not include an event in between. `to` is null if it is unknown.
 */
interface CountedSpan {
  readonly from: string;
  readonly to: string | null;
}

const UNKNOWN: CountedSpan = { from: '', to: null };

/** The functions of the page that the synchronization uses. */
export interface ServerSyncHost {
  get(): WebState;
  patch(change: Partial<WebState>): void;
  say(text: string, tone?: 'good' | 'bad'): void;
  explain(error: unknown): string;
  /** Loads the data of the current route, after the facts of the server came. */
  follow(): void;
  /** Tells whether a message is being deleted. */
  isDeleted(id: string): boolean;
  /** Leaves a page whose data the server no longer has. */
  leave(): void;
  /** Notifies the reader of new messages. */
  notify(rows: readonly WebRow[]): void;
}

interface ServerSyncDeps {
  readonly api: ShellApi;
  readonly clock: ShellClock;
  readonly feed: FeedSource;
  readonly mail: MessageListController;
  readonly marks: MessageMarks;
}

/**
 * Keeps the page's data about the server up to date: its facts, its mailboxes, its clock, and the events of its feed.
 * It handles a lost connection, a reset, and a new server at the same address.
 */
export class ServerSync {
  readonly #deps: ServerSyncDeps;
  readonly #host: ServerSyncHost;
  readonly #follower: FeedFollower;
  readonly #flood: BurstPoller;
  readonly #listeners = new Set<(events: readonly FeedEvent[]) => void>();
  #callOffMailboxes: (() => void) | null = null;
  #callOffRecount: () => void = () => {};
  #counted = UNKNOWN;
  /** The number of loads of the mailboxes that began, and the number of the one that the page shows. */
  #loadsBegun = 0;
  #loadShown = 0;
  /** The last event that the feed reported. */
  #toldUpTo = '';
  #loaded = false;
  /** True if the feed was paused because of a flood. Then the reader gets no notice when it reconnects. */
  #wasFlood = false;
  #loading: Promise<void> | null = null;

  constructor(deps: ServerSyncDeps, host: ServerSyncHost) {
    this.#deps = deps;
    this.#host = host;
    this.#follower = new FeedFollower(deps.feed, deps.clock, {
      live: (again) => void this.#live(again),
      lost: (reason) => this.#lost(reason),
      told: (events) => this.#told(events),
      mayPause: () => this.#mayLook(),
      paused: (since) => this.#flood.begin(since),
    });
    this.#flood = new BurstPoller(deps.api, deps.clock, deps.mail, {
      mayLook: () => this.#mayLook(),
      countArrived: () => this.#countArrived(),
      goOn: (since) => {
        this.#wasFlood = true;
        this.#follower.goOn(since);
      },
    });
  }

  /**
   * Follows the feed from a position, or from now on, and loads everything. It loads at once if the backend has the
   * answers of that position. Otherwise it loads when the feed is connected, so that it misses no event in between.
   */
  start(since: string | null): void {
    if (since !== null) {
      this.#counted = { from: since, to: null };
      void this.#loadAll();
    }
    this.#follower.start(since);
  }

  onEvents(listener: (events: readonly FeedEvent[]) => void): () => void {
    this.#listeners.add(listener);
    this.#flood.end();
    return () => this.#listeners.delete(listener);
  }

  /** Connects and loads everything at once, as after the reader entered the token. */
  hurry(): void {
    if (this.#flood.isOn) this.#flood.end();
    else this.#follower.hurry();
    void this.#loadAll();
  }

  reloadMailboxes(): void {
    this.#callOffMailboxes ??= this.#deps.clock.after(MAILBOXES_MS, () => {
      this.#callOffMailboxes = null;
      void this.#recount().catch(() => {});
    });
  }

  setShifted(shiftedSeconds: number, serverNow: number): void {
    this.#host.patch({ shiftedSeconds, offsetMs: serverNow - this.#deps.clock.now() });
  }

  async #live(again: boolean): Promise<void> {
    this.#host.patch({ connection: { state: 'live' } });
    if (!this.#loaded) return this.#loading ?? this.#loadAll();
    if (!again) return;
    const wasFlood = this.#wasFlood;
    this.#wasFlood = false;
    const before = this.#host.get().info?.workspaceId;
    try {
      const info = await this.#deps.api.getInfo();
      if (info.workspaceId !== before) {
        this.#follower.forget();
        this.#startAnew('The server was restarted, and its earlier data is gone.');
        return;
      }
      // After a flood the feed delivers the events that the list missed.
      if (wasFlood) return await this.#recount();
      await Promise.all([this.#recount(), this.#deps.mail.catchUp(), this.#loadClock()]);
      // What failed to load while the server was away is loaded now.
      this.#host.follow();
      this.#host.say('Connected again', 'good');
    } catch (error) {
      this.#host.say(this.#host.explain(error), 'bad');
    }
  }

  #lost(reason: string): void {
    this.#wasFlood = false;
    this.#host.patch({ connection: { state: 'lost', reason } });
    if (!this.#loaded && this.#loading === null) void this.#loadAll();
  }

  /** Tells whether only the list needs the feed, and the list shows only the newest messages. */
  #mayLook(): boolean {
    const { mail, mailboxes } = this.#host.get();
    const isGone = mailboxes.some(({ id, gone }) => gone && id === mail?.mailboxId);
    return this.#loaded && !isGone && this.#listeners.size === 0 && this.#deps.mail.isRenewable;
  }

  /** Loads the mailboxes in a flood, and counts the messages that were added to them. */
  async #countArrived(): Promise<number> {
    const before = this.#host.get().mailboxes;
    this.#counted = UNKNOWN;
    await this.#loadMailboxes();
    return countArrived(before, this.#host.get().mailboxes);
  }

  /** Loads everything that the first view needs. */
  #loadAll(): Promise<void> {
    const call = this.#tryLoadAll().finally(() => {
      if (this.#loading === call) this.#loading = null;
    });
    this.#loading = call;
    return call;
  }

  async #tryLoadAll(): Promise<void> {
    try {
      await Promise.all([this.#loadInfo(), this.#loadMailboxes(), this.#loadClock()]);
      this.#loaded = true;
      this.#host.patch({ failure: null });
      this.#host.follow();
    } catch (error) {
      this.#host.patch({ failure: this.#host.explain(error) });
    }
  }

  async #loadInfo(): Promise<void> {
    this.#host.patch({ info: await this.#deps.api.getInfo() });
    this.#host.follow();
  }

  async #loadClock(): Promise<void> {
    const { now, offsetSeconds } = await this.#deps.api.getClock();
    this.setShifted(offsetSeconds, Date.parse(now));
  }

  async #loadMailboxes(): Promise<void> {
    const { api } = this.#deps;
    const load = ++this.#loadsBegun;
    const [loaded, workspaces] = await Promise.all([api.listAllMailboxes(), api.listWorkspaces()]);
    // On a slow connection a later load can come first.
    if (load < this.#loadShown) return;
    this.#loadShown = load;
    const there = new Set(loaded.map(({ id }) => id));
    const { mailboxes, deleting } = this.#host.get();
    const left = mailboxes.filter(({ id }) => !there.has(id)).map((one) => ({ ...one, gone: true }));
    this.#host.patch({
      mailboxes: [...loaded.map((one) => ({ ...one, gone: false })), ...left],
      workspaces,
      // A lost feed has not told which of them are gone.
      deleting: deleting.filter(({ id }) => this.#host.isDeleted(id)),
    });
  }

  /**
   * Loads the mailboxes with their counts, and records between which events the server made these counts.
   * It counts again later if an event came meanwhile. If another load replaced these counts, it records nothing.
   */
  async #recount(): Promise<void> {
    const from = await this.#position();
    const load = this.#loadsBegun + 1;
    await this.#loadMailboxes();
    if (this.#loadShown !== load) return;
    this.#counted = { from, to: null };
    const to = await this.#position();
    if (this.#loadShown !== load) return;
    const isExact = to === from && this.#toldUpTo <= to;
    this.#counted = { from, to: isExact ? to : null };
    if (!isExact) this.#recountSoon(CALM_MS);
  }

  /** Returns the newest event of the feed. */
  async #position(): Promise<string> {
    return (await this.#deps.api.getInfo()).lastEventId ?? '';
  }

  /**
   * Counts again after a rest, because the counts may include an event twice or not at all. The end of a flood has the
   * page count anyway.
   */
  #recountSoon(restMs: number): void {
    this.#callOffRecount();
    this.#callOffRecount = this.#deps.clock.after(restMs, () => {
      if (!this.#flood.isOn) void this.#recount().catch(() => {});
    });
  }

  /** Loads the clock, the counts and the list, because mail may have expired or come back. Null stands for all clocks. */
  async #clockWasSet(workspaceId: string | null): Promise<void> {
    const { mail } = this.#deps;
    await Promise.all([this.#loadClock(), this.#recount()]);
    const { mail: shown, mailboxes } = this.#host.get();
    const owner = mailboxes.find(({ id }) => id === shown?.mailboxId)?.workspaceId;
    if (owner !== undefined && workspaceId !== null && owner !== workspaceId) return;
    if (!(await mail.renew(() => true))) mail.reload();
  }

  #startAnew(because: string): void {
    this.#host.say(because);
    this.#host.patch({
      mailboxes: [],
      open: null,
      ahead: null,
      mail: null,
      generation: this.#host.get().generation + 1,
    });
    this.#host.leave();
    this.#counted = UNKNOWN;
    void this.#loadAll();
  }

  #told(events: readonly FeedEvent[]): void {
    const rows: WebRow[] = [];
    let isDoubtful = false;
    for (const event of events) {
      if (event.id > this.#toldUpTo) this.#toldUpTo = event.id;
      if (!this.#isCounted(event) && event.id <= (this.#counted.to ?? event.id)) isDoubtful = true;
      switch (event.type) {
        case 'message.received': {
          // The server created this event, so its data has this type: the summary of the message with its mailbox.
          const data = event.data as unknown as Summary & { readonly mailboxId: string };
          rows.push(toWebRow(data, data.mailboxId));
          break;
        }
        case 'message.deleted':
          // A late feed can deliver the arrival and the deletion of a message together.
          this.#came(rows.splice(0));
          if (!this.#deleted(event)) isDoubtful = true;
          break;
        case 'message.updated': {
          this.#came(rows.splice(0));
          const mailboxId = String(event.data['mailboxId']);
          if (!this.#deps.marks.told(mailboxId, marksOf(event), this.#isCounted(event))) isDoubtful = true;
          break;
        }
        case 'mailbox.created':
        case 'mailbox.updated':
        case 'mailbox.deleted':
          this.reloadMailboxes();
          break;
        case 'clock.set':
          void this.#clockWasSet(event.workspaceId).catch(() => {});
          break;
        case 'reset':
          rows.splice(0);
          this.#startAnew(saidReset(null));
          break;
        default:
          break;
      }
    }
    this.#came(rows);
    // In a flood the next events would make each count doubtful again.
    if (isDoubtful) this.#recountSoon(events.length < FLOOD ? MAILBOXES_MS : CALM_MS);
    for (const listener of this.#listeners) listener(events);
  }

  #came(rows: readonly WebRow[]): void {
    if (rows.length === 0) return;
    const { mailboxes, route } = this.#host.get();
    const uncounted = rows.filter((row) => !this.#isCounted(row));
    this.#host.patch(withArrivals(this.#host.get(), uncounted));
    this.#deps.mail.arrived(rows);
    this.#deps.mail.settle(rows.length);
    this.#host.notify(rows);
    if (route.at === 'mail' && rows.some(({ mailboxId }) => !mailboxes.some(({ id }) => id === mailboxId)))
      this.reloadMailboxes();
  }

  /** Takes deleted messages away. Returns whether the unread counts are exact after it. */
  #deleted(event: FeedEvent): boolean {
    const deletion = deletionOf(event);
    const { mailboxId, isGone } = deletion;
    const { mail } = this.#host.get();
    const shown = messagesOf(mail?.list.rows ?? []);
    const rows = shown.filter((row) => row.mailboxId === mailboxId && isGone(row.id));
    const unread = rows.filter(({ read }) => !read).length;
    if (mail?.mailboxId === mailboxId || (mail?.mailboxId === ALL_MAIL && deletion.ids !== null))
      this.#deps.mail.gone(isGone);
    else if (mail?.mailboxId === ALL_MAIL) this.#deps.mail.reload();
    this.#host.patch({
      ...withoutOpen(this.#host.get(), deletion),
      ...withoutDeleting(this.#host.get(), deletion),
    });
    if (this.#isCounted(event)) return true;
    this.#host.patch(withDeletion(this.#host.get(), deletion, unread));
    return rows.length === deletion.count;
  }

  /** Tells whether the counts include an event. The arrival of a message has the id of the message. */
  #isCounted({ id }: { readonly id: string }): boolean {
    return id <= this.#counted.from;
  }
}
