import { saidCount } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import type { NoticeAction } from '../../model/status.ts';
import { createApi, loadFromServer, type ShellApi } from './api.ts';
import { Deletions } from './deletions.ts';
import { MessageMarks } from './marks.ts';
import { MessageListController } from './message-list-controller.ts';
import type { MessageOpener } from './open-message.ts';
import { type Backend, BackendError, type FeedSource, type Machine, type ShellClock } from './ports.ts';
import { HOME, type Route } from './route.ts';
import type { Selection } from './selection.ts';
import { ServerSync } from './server-sync.ts';
import {
  type ColourScheme,
  listBeside,
  Observable,
  readColourScheme,
  START,
  shownMailbox,
  type WebOverlay,
  type WebRow,
  type WebState,
} from './state.ts';

export interface WebShellOptions {
  readonly backend: Backend;
  readonly feed: FeedSource;
  readonly clock: ShellClock;
  readonly machine: Machine;
  /** Writes a route to the browser's address. With `replace`, it adds no entry to the history. */
  readonly address: (route: Route, replace: boolean) => void;
}

const SCHEME = 'mailcap.scheme';
const COMPACT = 'mailcap.compact';
const NOTIFY = 'mailcap.notify';
const NOTICE_MS = 4_000;

/**
 * Controls the web inbox. It handles routes and commands, and publishes the state. Three parts call the server: one
 * loads the list, one marks messages, and one follows the server and its feed.
 */
export class WebShell {
  readonly api: ShellApi;
  readonly clock: ShellClock;
  readonly machine: Machine;
  readonly state: Observable<WebState>;
  readonly mail: MessageListController;
  readonly marks: MessageMarks;
  readonly deletions: Deletions;
  readonly server: ServerSync;
  readonly #options: WebShellOptions;
  #callOffNotice: () => void = () => {};
  #opener: MessageOpener | null = null;

  constructor(options: WebShellOptions) {
    const { backend, clock, machine, feed } = options;
    this.#options = options;
    this.api = createApi(backend);
    this.clock = clock;
    this.machine = machine;
    this.state = new Observable<WebState>({
      ...START,
      scheme: readColourScheme(machine.kept(SCHEME)),
      compact: machine.kept(COMPACT) === 'yes',
    });
    this.mail = new MessageListController(this.api, clock, {
      get: () => this.state.value.mail,
      set: (mail) => this.patch({ mail }),
      explain: (error) => this.explain(error),
      isDeleted: (id) => this.deletions.has(id),
    });
    this.deletions = new Deletions(this);
    this.marks = new MessageMarks(this);
    this.server = new ServerSync(
      { api: this.api, clock, feed, mail: this.mail, marks: this.marks },
      {
        get: () => this.state.value,
        patch: (change) => this.patch(change),
        say: (text, tone) => this.say(text, tone),
        explain: (error) => this.explain(error),
        follow: () => this.#follow(),
        isDeleted: (id) => this.deletions.has(id),
        leave: () => this.#leave(),
        notify: (rows) => {
          if (machine.kept(NOTIFY) === 'yes') notifyOf(machine, rows, (row) => this.openMessage(row));
        },
      },
    );
  }

  /** Shows a route. `since` is the feed position of the backend's first answers; null if it has none. */
  start(route: Route, since: string | null = null): void {
    this.patch({ route });
    this.machine.onKept((name) => {
      if (name === SCHEME) this.patch({ scheme: readColourScheme(this.machine.kept(SCHEME)) });
    });
    this.server.start(since);
  }

  /** Returns the current time by the server's clock, in milliseconds since 1970. */
  now(): number {
    return this.clock.now() + this.state.value.offsetMs;
  }

  /** Goes to a route and updates the browser's address. */
  go(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
    this.#options.address(route, replace);
    this.arrived(route);
  }

  /** Shows a route after the address changed, through {@link go} or the history buttons. */
  arrived(route: Route): void {
    const { route: before, notice } = this.state.value;
    const [from, to] = [before, route].map((one) => (one.at === 'mail' ? one.messageId : null));
    // A notice about one message goes when the next one opens. One that can be undone stays.
    const isOver = from && to && from !== to && !notice?.action;
    this.patch({ route, overlay: null, notice: isOver ? null : notice });
    this.#follow();
  }

  /** Shows a notice for some seconds. */
  say(text: string, tone: 'good' | 'bad' | 'plain' = 'plain', action?: NoticeAction): void {
    this.#callOffNotice();
    this.patch({ notice: action === undefined ? { text, tone } : { text, tone, action } });
    this.#callOffNotice = this.clock.after(action?.ms ?? NOTICE_MS, () => this.patch({ notice: null }));
  }

  /** Names what the page shows, for the title of the tab. */
  entitle(named: string | null): void {
    this.patch({ named });
  }

  show(overlay: WebOverlay | null): void {
    this.patch({ overlay });
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

  /** Runs a call that nobody asked for, and says nothing if it fails. Returns null then. */
  async attemptQuietly<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      // A token that is wanted is asked for.
      this.explain(error);
      return null;
    }
  }

  /** Returns an error as a sentence. After a 401, the page asks for the admin token. */
  explain(error: unknown): string {
    // An earlier call may be refused after the token was refused. The page must then still say that the token was
    // wrong.
    const isRefused = error instanceof BackendError && error.status === 401;
    if (isRefused && this.state.value.access === 'open') this.patch({ access: 'token wanted' });
    if (!(error instanceof Error)) return String(error);
    return error.message.charAt(0).toUpperCase() + error.message.slice(1);
  }

  async copy(text: string, what: string): Promise<boolean> {
    const copied = await this.machine.copy(text);
    this.say(copied ? `Copied ${what}` : `Could not copy ${what}`, copied ? 'good' : 'bad');
    return copied;
  }

  setScheme(scheme: ColourScheme): void {
    this.machine.keep(SCHEME, scheme);
    this.patch({ scheme });
  }

  setCompact(compact: boolean): void {
    this.machine.keep(COMPACT, compact ? 'yes' : 'no');
    this.patch({ compact });
  }

  /** Loads everything again after the reader entered the token. */
  tokenGiven(): void {
    this.patch({ access: 'open', failure: null });
    this.server.hurry();
  }

  tokenRefused(): void {
    this.patch({ access: 'token wrong' });
  }

  choose(selection: Selection): void {
    // New mail must not move the rows among which the reader chooses.
    if (selection.ids.size > 0) this.mail.hold();
    const { mail } = this.state.value;
    if (mail !== null) this.patch({ mail: { ...mail, selection } });
  }

  openMessage(row: { readonly id: string; readonly mailboxId: string }, replace = false): void {
    const { route } = this.state.value;
    const { tab, query } = route.at === 'mail' ? route : { tab: null, query: '' };
    const keepsTab = route.at === 'mail' && route.messageId !== null ? tab : null;
    this.mail.hold();
    const mailboxId = listBeside(this.state.value, row.mailboxId);
    this.go(
      { at: 'mail', mailboxId, messageId: row.id, tab: keepsTab, part: null, attached: null, query },
      { replace },
    );
  }

  /** Loads a message before its click. It stays unread, and is forgotten if no click follows. */
  loadAhead(id: string, isPressed: boolean): void {
    void this.#withOpener((opener) => opener.loadAhead(id, isPressed));
  }

  /** Changes parts of the state, which notifies the views. */
  patch(change: Partial<WebState>): void {
    this.state.set({ ...this.state.value, ...change });
  }

  /** Loads the open message again after it could not be loaded. */
  reopen(): void {
    this.#follow();
  }

  /** Loads the data that the current route needs. */
  #follow(): void {
    const { route } = this.state.value;
    if (route.at === 'message') void this.#resolve(route);
    if (route.at !== 'mail') return;
    const mailboxId = shownMailbox(this.state.value);
    if (mailboxId !== null) this.mail.show(mailboxId, route.query);
    if (route.messageId !== null) this.mail.reach(route.messageId);
    if (route.messageId === null) this.patch({ open: null, attached: null });
    else void this.#withOpener((opener) => opener.follow());
  }

  /** Leaves a page whose data was deleted with the server's old state. */
  #leave(): void {
    this.deletions.clear();
    const { at } = this.state.value.route;
    if (at === 'mail' || at === 'message' || at === 'why') this.go(HOME, { replace: true });
  }

  async #resolve(route: Extract<Route, { at: 'message' }>): Promise<void> {
    const { messageId, tab, attached } = route;
    // The pane beside the list says why a message can't be shown, and tries again where that may help.
    const mailboxId = await this.api.getMessageFacts(messageId).then(
      (facts) => facts.mailboxId,
      () => this.state.value.info?.mailboxId ?? null,
    );
    if (this.state.value.route === route)
      this.go({ at: 'mail', mailboxId, messageId, tab, part: null, attached, query: '' }, { replace: true });
  }

  /** Uses the code that opens messages. The list does without it. */
  async #withOpener(use: (opener: MessageOpener) => void): Promise<void> {
    try {
      const { MessageOpener } = await loadFromServer(() => import('./open-message.ts'));
      this.#opener ??= new MessageOpener(this);
      use(this.#opener);
    } catch (error) {
      const { route } = this.state.value;
      const id = route.at === 'mail' && route.messageId;
      if (id) this.patch({ open: { id, facts: null, content: null, failure: this.explain(error) } });
    }
  }
}

/** Notifies the reader of new messages. A click on the notification opens the first of them. */
function notifyOf(machine: Machine, rows: readonly WebRow[], open: (row: WebRow) => void): void {
  const [first] = rows;
  if (first === undefined) return;
  const title = rows.length === 1 ? first.subject || NO_SUBJECT : saidCount(rows.length, 'new message');
  machine.notify(title, rows.length === 1 ? first.from : '', () => open(first));
}
