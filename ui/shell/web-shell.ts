import { markedAllRead, markedRead, markedUnread, parseMarks, type ReadMarks, unreadOf } from '../model/read-marks.ts';
import { HOME, type Route } from '../model/route.ts';
import type { Selection } from '../model/selection.ts';
import { saidReset } from '../model/words.ts';
import { ALL_MAIL, type Api, createApi, type Summary } from './api.ts';
import { FeedFollower } from './follow-feed.ts';
import { MailDesk, toWebRow } from './mail-desk.ts';
import { countUnread, deletionOf, withArrivals, withDeletion } from './news.ts';
import { notifyOf } from './notify.ts';
import { loadOpen } from './open-message.ts';
import { type Backend, BackendError, type Clock, type Feed, type FeedEvent, type Machine } from './ports.ts';
import { type Scheme, START, schemeOf, shownMailbox, type WebOverlay, type WebRow, type WebState } from './state.ts';
import { Observable } from './store.ts';

export interface WebShellOptions {
  readonly backend: Backend;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly machine: Machine;
  /** Writes a route to the browser's address. With `replace`, it adds no entry to the history. */
  readonly address: (route: Route, replace: boolean) => void;
}

const MARKS = 'mailcap.read';
const SCHEME = 'mailcap.scheme';
const COMPACT = 'mailcap.compact';
const NOTIFY = 'mailcap.notify';
/**
 * The shortest time between two requests for the list of mailboxes. A test suite can create many mailboxes in a row.
 */
const MAILBOXES_MS = 400;
/** The time after a connect in which the feed tells events that the counts of the server contain already. */
const DOUBT_MS = 2_000;
const MARKS_MS = 200;
const NOTICE_MS = 4_000;

/**
 * Controls the web inbox. It takes routes and commands, calls the server, and publishes the state. News of the server
 * reaches it through the feed.
 */
export class WebShell {
  readonly api: Api;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly state: Observable<WebState>;
  readonly mail: MailDesk;
  readonly #options: WebShellOptions;
  readonly #follower: FeedFollower;
  readonly #listeners = new Set<(events: readonly FeedEvent[]) => void>();
  #callOffMailboxes: (() => void) | null = null;
  #callOffMarks: (() => void) | null = null;
  #callOffNotice: () => void = () => {};
  #callOffRecount: () => void = () => {};
  #doubtUntil = 0;
  #loaded = false;

  constructor(options: WebShellOptions) {
    const { backend, clock, machine, feed } = options;
    this.#options = options;
    this.api = createApi(backend);
    this.clock = clock;
    this.machine = machine;
    this.state = new Observable<WebState>({
      ...START,
      marks: parseMarks(machine.kept(MARKS)),
      scheme: schemeOf(machine.kept(SCHEME)),
      compact: machine.kept(COMPACT) === 'yes',
    });
    this.mail = new MailDesk(this.api, clock, {
      get: () => this.state.value.mail,
      set: (mail) => this.#patch({ mail }),
      explain: (error) => this.explain(error),
    });
    this.#follower = new FeedFollower(feed, clock, {
      live: (again) => void this.#live(again),
      lost: (reason) => this.#lost(reason),
      told: (events) => this.#told(events),
    });
  }

  start(route: Route): void {
    this.#patch({ route });
    this.machine.onKept((name) => this.#keptElsewhere(name));
    this.#follower.start();
  }

  /** Returns the current time by the server's clock, in milliseconds since 1970. */
  now(): number {
    return this.clock.now() + this.state.value.offsetMs;
  }

  onEvents(listener: (events: readonly FeedEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Goes to a route and updates the browser's address. */
  go(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
    this.#options.address(route, replace);
    this.arrived(route);
  }

  /** Shows a route after the address changed, through {@link go} or the history buttons. */
  arrived(route: Route): void {
    this.#patch({ route, overlay: null });
    this.#follow();
  }

  say(text: string, tone: 'good' | 'bad' | 'plain' = 'plain'): void {
    this.#callOffNotice();
    this.#patch({ notice: { text, tone } });
    this.#callOffNotice = this.clock.after(NOTICE_MS, () => this.#patch({ notice: null }));
  }

  show(overlay: WebOverlay | null): void {
    this.#patch({ overlay });
  }

  /** Runs an action. It shows a notice with the error if the action fails, or with `done` if it succeeds. */
  async attempt<T>(act: () => Promise<T>, done?: string): Promise<T | null> {
    try {
      const result = await act();
      if (done !== undefined) this.say(done, 'good');
      return result;
    } catch (error) {
      this.say(this.explain(error), 'bad');
      return null;
    }
  }

  /** Returns an error as a sentence. After a 401, the page asks for the admin token. */
  explain(error: unknown): string {
    // A call of before can be refused after the reader's token was: the page then still says that it was wrong.
    const isRefused = error instanceof BackendError && error.status === 401;
    if (isRefused && this.state.value.access === 'open') this.#patch({ access: 'token wanted' });
    if (!(error instanceof Error)) return String(error);
    return error.message.charAt(0).toUpperCase() + error.message.slice(1);
  }

  async copy(text: string, what: string): Promise<boolean> {
    const copied = await this.machine.copy(text);
    this.say(copied ? `Copied ${what}` : `Could not copy ${what}`, copied ? 'good' : 'bad');
    return copied;
  }

  setScheme(scheme: Scheme): void {
    this.machine.keep(SCHEME, scheme);
    this.#patch({ scheme });
  }

  setCompact(compact: boolean): void {
    this.machine.keep(COMPACT, compact ? 'yes' : 'no');
    this.#patch({ compact });
  }

  /** Loads everything again after the reader entered the token. */
  tokenGiven(): void {
    this.#patch({ access: 'open', failure: null });
    this.#follower.hurry();
    void this.#loadAll();
  }

  tokenRefused(): void {
    this.#patch({ access: 'token wrong' });
  }

  setShifted(shiftedSeconds: number, serverNow: number): void {
    this.#patch({ shiftedSeconds, offsetMs: serverNow - this.clock.now() });
  }

  reloadMailboxes(): void {
    this.#callOffMailboxes ??= this.clock.after(MAILBOXES_MS, () => {
      this.#callOffMailboxes = null;
      void this.#loadMailboxes().catch(() => {});
    });
  }

  choose(selection: Selection): void {
    const { mail } = this.state.value;
    if (mail !== null) this.#patch({ mail: { ...mail, selection } });
  }

  openMessage(row: { readonly id: string; readonly mailboxId: string }, replace = false): void {
    const { route } = this.state.value;
    const { tab, query } = route.at === 'mail' ? route : { tab: null, query: '' };
    const keepsTab = route.at === 'mail' && route.messageId !== null ? tab : null;
    this.mail.hold();
    this.go({ at: 'mail', mailboxId: row.mailboxId, messageId: row.id, tab: keepsTab, query }, { replace });
  }

  mark(rows: readonly { readonly id: string; readonly mailboxId: string }[], read: boolean): void {
    let marks = this.state.value.marks;
    for (const { id, mailboxId } of rows)
      marks = read ? markedRead(marks, mailboxId, [id]) : markedUnread(marks, mailboxId, [id]);
    const unread = new Map(this.state.value.unread);
    for (const { id, mailboxId } of rows) {
      const was = unreadOf(this.state.value.marks, mailboxId, [id]).length;
      const is = unreadOf(marks, mailboxId, [id]).length;
      unread.set(mailboxId, Math.max(0, (unread.get(mailboxId) ?? 0) + is - was));
    }
    this.#setMarks(marks, unread);
  }

  markAllRead(mailboxId: string): void {
    const newest = this.state.value.mail?.list.rows[0]?.id;
    if (newest === undefined || this.state.value.mail?.mailboxId !== mailboxId) return;
    const unread = new Map(this.state.value.unread).set(mailboxId, 0);
    this.#setMarks(markedAllRead(this.state.value.marks, mailboxId, newest), unread);
  }

  #patch(change: Partial<WebState>): void {
    this.state.set({ ...this.state.value, ...change });
  }

  #setMarks(marks: ReadMarks, unread: ReadonlyMap<string, number>): void {
    this.#patch({ marks, unread });
    this.#callOffMarks ??= this.clock.after(MARKS_MS, () => {
      this.#callOffMarks = null;
      this.machine.keep(MARKS, JSON.stringify(this.state.value.marks));
    });
  }

  #keptElsewhere(name: string): void {
    if (name === MARKS) {
      this.#patch({ marks: parseMarks(this.machine.kept(MARKS)) });
      void this.#countUnread();
    }
    if (name === SCHEME) this.#patch({ scheme: schemeOf(this.machine.kept(SCHEME)) });
  }

  async #live(again: boolean): Promise<void> {
    this.#doubtUntil = this.clock.now() + DOUBT_MS;
    this.#patch({ connection: { state: 'live' } });
    if (!this.#loaded) return this.#loadAll();
    if (!again) return;
    const before = this.state.value.info?.workspaceId;
    try {
      const info = await this.api.info();
      if (info.workspaceId !== before) {
        this.#follower.forget();
        this.#startAnew('The server was started anew: what it had before is gone.');
        return;
      }
      await Promise.all([this.#loadMailboxes(), this.mail.catchUp(), this.#loadClock()]);
      this.say('Connected again', 'good');
    } catch (error) {
      this.say(this.explain(error), 'bad');
    }
  }

  #lost(reason: string): void {
    this.#patch({ connection: { state: 'lost', reason } });
    if (!this.#loaded) void this.#loadAll();
  }

  /** Loads everything that the first view needs. */
  async #loadAll(): Promise<void> {
    try {
      await Promise.all([this.#loadInfo(), this.#loadMailboxes(), this.#loadClock()]);
      this.#loaded = true;
      this.#patch({ failure: null });
      this.#follow();
      void this.#countUnread();
    } catch (error) {
      this.#patch({ failure: this.explain(error) });
    }
  }

  async #loadInfo(): Promise<void> {
    this.#patch({ info: await this.api.info() });
    this.#follow();
  }

  async #loadClock(): Promise<void> {
    const { now, offsetSeconds } = await this.api.clock();
    this.setShifted(offsetSeconds, Date.parse(now));
  }

  async #loadMailboxes(): Promise<void> {
    const [loaded, workspaces] = await Promise.all([this.api.mailboxes(), this.api.workspaces()]);
    const there = new Set(loaded.map(({ id }) => id));
    const left = this.state.value.mailboxes.filter(({ id }) => !there.has(id)).map((one) => ({ ...one, gone: true }));
    this.#patch({ mailboxes: [...loaded.map((one) => ({ ...one, gone: false })), ...left], workspaces });
  }

  /** Loads the data that the current route needs. */
  #follow(): void {
    const { route, open } = this.state.value;
    if (route.at === 'message') void this.#resolve(route);
    if (route.at !== 'mail') return;
    const mailboxId = shownMailbox(this.state.value);
    if (mailboxId !== null) this.mail.show(mailboxId, route.query);
    if (route.messageId !== null) this.mail.reach(route.messageId);
    if (route.messageId === null) this.#patch({ open: null });
    else if (open?.id !== route.messageId || open.failure !== null) void this.#load(route.messageId);
  }

  async #resolve(route: Extract<Route, { at: 'message' }>): Promise<void> {
    try {
      const { mailboxId } = await this.api.facts(route.messageId);
      if (this.state.value.route !== route) return;
      this.go({ at: 'mail', mailboxId, messageId: route.messageId, tab: route.tab, query: '' }, { replace: true });
    } catch (error) {
      if (this.state.value.route !== route) return;
      this.say(this.explain(error), 'bad');
      this.go(HOME, { replace: true });
    }
  }

  async #load(id: string): Promise<void> {
    this.#patch({ open: { id, facts: null, content: null, failure: null } });
    const open = await loadOpen(this.api, id, (error) => this.explain(error));
    if (this.state.value.open?.id !== id) return;
    this.#patch({ open });
    if (open.facts !== null) this.mark([{ id, mailboxId: open.facts.mailboxId }], true);
  }

  async #countUnread(): Promise<void> {
    const { mailboxes, marks } = this.state.value;
    this.#patch({ unread: await countUnread(this.api, mailboxes, marks) });
  }

  /** Counts again what was counted by the server and, a second time, by the events that the feed told after it. */
  #recountSoon(): void {
    this.#callOffRecount();
    this.#callOffRecount = this.clock.after(MAILBOXES_MS, () => {
      this.#loadMailboxes().then(
        () => this.#countUnread(),
        () => {},
      );
    });
  }

  #startAnew(because: string): void {
    this.say(because);
    this.#patch({
      mailboxes: [],
      unread: new Map(),
      open: null,
      mail: null,
      generation: this.state.value.generation + 1,
    });
    const { route } = this.state.value;
    if (route.at === 'mail' || route.at === 'message' || route.at === 'why') this.go(HOME, { replace: true });
    void this.#loadAll();
  }

  #told(events: readonly FeedEvent[]): void {
    const rows: WebRow[] = [];
    for (const event of events) {
      switch (event.type) {
        case 'message.received': {
          // The server created this event, so its data has this type: the summary of the message with its mailbox.
          const data = event.data as unknown as Summary & { readonly mailboxId: string };
          rows.push(toWebRow(data, data.mailboxId));
          break;
        }
        case 'message.deleted':
          // A late feed can tell the arrival and the deletion of a message at once.
          this.#came(rows.splice(0));
          this.#deleted(event);
          break;
        case 'mailbox.created':
        case 'mailbox.deleted':
          this.reloadMailboxes();
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
    if (events.length > 0 && this.clock.now() < this.#doubtUntil) this.#recountSoon();
    for (const listener of this.#listeners) listener(events);
  }

  #came(rows: readonly WebRow[]): void {
    if (rows.length === 0) return;
    const { mailboxes, route } = this.state.value;
    this.#patch(withArrivals(this.state.value, rows));
    this.mail.arrived(rows);
    this.mail.settle();
    if (this.machine.kept(NOTIFY) === 'yes') notifyOf(this.machine, rows, (row) => this.openMessage(row));
    if (route.at === 'mail' && rows.some(({ mailboxId }) => !mailboxes.some(({ id }) => id === mailboxId)))
      this.reloadMailboxes();
  }

  #deleted(event: FeedEvent): void {
    const deletion = deletionOf(event);
    const { mailboxId, isGone } = deletion;
    const { mail } = this.state.value;
    if (mail?.mailboxId === mailboxId || (mail?.mailboxId === ALL_MAIL && deletion.ids !== null))
      this.mail.gone(isGone);
    else if (mail?.mailboxId === ALL_MAIL) this.mail.reload();
    this.#patch(withDeletion(this.state.value, deletion));
  }
}
