import type { Client } from '../../../src/client/index.ts';
import type { Effect } from '../../model/effects.ts';
import { type Inbox, openInbox } from '../../model/inbox.ts';
import type { Input } from '../../model/inputs.ts';
import { update } from '../../model/update.ts';
import { after, now } from '../environment.ts';
import type { Backend } from './backend.ts';
import { joinArrivals } from './join-arrivals.ts';
import { keepUp } from './keep-up.ts';
import type { Machine } from './machine.ts';
import { Pace } from './pace.ts';
import { clockOffset, perform, reasonOf } from './perform.ts';

/** What comes by itself is shown at most twenty times a second. */
const FRAME_MS = 50;
const TICK_MS = 1_000;
/** A suite that makes mailbox after mailbox must not have its requests counted against it by ours. */
const MAILBOXES_MS = 3_000;

/** A selection that moves on is not looked at, and codes are asked for a screen at a time. */
const GLANCE_MS = 120;
/** What is shown beside the list counts against the limits of the tests under way: of 100 requests a minute a part. */
const PREVIEWS = { burst: 20, everyMs: 2_000 };

export interface ShellOptions {
  readonly backend: Backend;
  /** Looks for the server anew, which may have come back elsewhere. */
  readonly connect: () => Client;
  readonly machine: Machine;
  /** The mailbox to begin with; null for the one that is meant where none is named. */
  readonly openId: string | null;
  /** What went wrong as a sentence, in the words of whoever runs it. */
  readonly explain?: (error: unknown) => string;
}

/** Runs the model: its effects on a client, what the server tells as inputs, and whoever shows it is told of changes. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #inbox: Inbox;
  #backend: Backend;
  #queue: Input[] = [];
  #callOffFrame: (() => void) | null = null;
  #callOffTick = () => {};
  #mailboxesAt = Number.NEGATIVE_INFINITY;
  #callOffMailboxes: (() => void) | null = null;
  readonly #previews = new Pace(PREVIEWS.burst, PREVIEWS.everyMs);
  #callOffPreview = () => {};
  #callOffCodes = () => {};
  #offsetMs = 0;
  /** Lays out what is open, after each step: the model knows no screen. */
  #measure: (inbox: Inbox) => readonly Input[] = () => [];

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#backend = options.backend;
    const [inbox, effects] = openInbox(1);
    this.#inbox = inbox;
    this.#perform(effects);
    this.give({ is: 'server', server: { url: options.backend.server.url, local: options.backend.local } });
  }

  get inbox(): Inbox {
    return this.#inbox;
  }

  /** Where attachments are saved, as it is told. */
  get directory(): string {
    return this.#options.machine.directory;
  }

  /** Settles when the reader quits. */
  get quit(): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** The time by the server's clock. */
  now(): number {
    return now() + this.#offsetMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Inbox => this.#inbox;

  measureBy(measure: (inbox: Inbox) => readonly Input[]): void {
    this.#measure = measure;
    this.#settle();
  }

  /** The screen has another size. */
  measureAgain(): void {
    this.#settle();
  }

  /** Follows the server until the shell is stopped. */
  start(): void {
    const { connect } = this.#options;
    void keepUp({
      backend: this.#backend,
      connect,
      signal: this.#stop.signal,
      inbox: () => this.#inbox,
      moved: (backend) => this.#moveTo(backend),
      give: (input) => this.give(input),
      later: (input) => this.later(input),
      subscribe: this.subscribe,
    });
    this.#tick();
    this.#readClock();
  }

  stop(): void {
    this.#stop.abort();
    this.#callOffFrame?.();
    this.#callOffTick();
    this.#callOffMailboxes?.();
    this.#callOffPreview();
    this.#callOffCodes();
    this.#listeners.clear();
  }

  /** Takes an input now, after those that wait. */
  give(input: Input): void {
    this.#queue.push(input);
    this.#flush();
  }

  /** Takes an input with the next frame. */
  later(input: Input): void {
    this.#queue.push(input);
    this.#callOffFrame ??= after(FRAME_MS, () => this.#flush());
  }

  #flush(): void {
    this.#callOffFrame?.();
    this.#callOffFrame = null;
    const inputs = joinArrivals(this.#queue);
    this.#queue = [];
    const before = this.#inbox;
    for (const input of inputs) this.#step(input);
    if (this.#inbox !== before) this.#settle();
  }

  #step(input: Input): void {
    const [inbox, effects] = update(this.#inbox, input);
    this.#inbox = inbox;
    this.#perform(effects);
  }

  #settle(): void {
    for (const input of this.#measure(this.#inbox)) this.#step(input);
    for (const listener of this.#listeners) listener();
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.do === 'quit') this.stop();
      else if (effect.do === 'load-mailboxes') this.#loadMailboxes(effect);
      else if (effect.do === 'load-preview') this.#loadPreview(effect, GLANCE_MS);
      else if (effect.do === 'load-codes') this.#callOffCodes = after(GLANCE_MS, () => void this.#performOne(effect));
      else void this.#performOne(effect);
    }
  }

  #loadPreview(effect: Extract<Effect, { do: 'load-preview' }>, ms: number): void {
    this.#callOffPreview();
    this.#callOffPreview = after(ms, () => {
      const { open, preview } = this.#inbox.mail;
      if (open !== null || preview?.id !== effect.id) return;
      const wait = this.#previews.take(now());
      if (wait > 0) this.#loadPreview(effect, wait);
      else void this.#performOne(effect);
    });
  }

  #loadMailboxes(effect: Effect): void {
    if (this.#callOffMailboxes !== null) return;
    const wait = Math.max(0, this.#mailboxesAt + MAILBOXES_MS - now());
    const load = () => {
      this.#callOffMailboxes = null;
      this.#mailboxesAt = now();
      void this.#performOne(effect);
    };
    if (wait === 0) load();
    else this.#callOffMailboxes = after(wait, load);
  }

  async #performOne(effect: Effect): Promise<void> {
    const backend = this.#backend;
    const { mail, hooks } = this.#inbox;
    const captureUrl = hooks.webhooks.items.find(({ id }) => id === hooks.webhookId)?.url ?? '';
    const { openId, explain } = this.#options;
    const desk = { mailboxId: mail.mailboxId, openId, captureUrl, now: this.now(), explain: explain ?? reasonOf };
    const inputs = await perform(effect, backend, this.#options.machine, desk);
    // What was asked of a server that is no longer the one is answered by nobody.
    if (this.#stop.signal.aborted || backend.workspaceId !== this.#backend.workspaceId) return;
    for (const input of inputs) this.give(input);
  }

  #moveTo(backend: Backend): void {
    this.#backend = backend;
    this.#mailboxesAt = Number.NEGATIVE_INFINITY;
    this.#readClock();
  }

  #readClock(): void {
    clockOffset(this.#backend).then(
      (offset) => {
        this.#offsetMs = offset;
      },
      () => {},
    );
  }

  #tick(): void {
    this.#callOffTick = after(TICK_MS, () => {
      if (this.#inbox.tab === 'authenticators') {
        this.#step({ is: 'tick', now: this.now() });
        this.#settle();
      }
      this.#tick();
    });
  }
}
