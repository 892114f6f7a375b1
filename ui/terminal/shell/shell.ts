import { after, now } from '../../../src/client/environment.ts';
import type { Client } from '../../../src/client/index.ts';
import { UNDO_MS } from '../../model/status.ts';
import type { InboxEffect } from '../model/effects.ts';
import { type Inbox, initialInbox } from '../model/inbox.ts';
import type { Input } from '../model/inputs.ts';
import { update } from '../model/update.ts';
import type { TerminalBackend, TerminalMachine } from './backend.ts';
import { keepUp } from './keep-up.ts';
import { Reload } from './reload.ts';
import { clockOffset, firstSentence, runInboxEffect } from './run-effect.ts';

/** Events of the server redraw the screen at most twenty times a second. */
const FRAME_MS = 50;
const TICK_MS = 1_000;
/** The longest time in milliseconds that a deletion delays the end of the inbox. */
const LAST_DELETION_MS = 2_000;
/** The delay before a preview or codes are loaded, so that a moving selection costs no requests. */
const PREVIEW_MS = 120;
/** The rate of preview requests. They count against the limit of 100 requests a minute that running tests share. */
const PREVIEWS = { burst: 20, everyMs: 2_000 };

type TimerName = 'tick' | 'preview' | 'row-details' | 'undo';

export interface ShellOptions {
  readonly backend: TerminalBackend;
  /** Creates a client that discovers the server again, which may have a new address. */
  readonly connect: () => Client;
  readonly machine: TerminalMachine;
  /** The id of the mailbox to open first; null for the default one. */
  readonly openId: string | null;
  /** Turns an error into a sentence in the caller's words. */
  readonly explain?: (error: unknown) => string;
}

/**
 * Runs the model. It performs effects with a client, turns news of the server into inputs, and notifies listeners of
 * changes.
 */
export class Shell {
  readonly #options: ShellOptions;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #inbox: Inbox;
  #backend: TerminalBackend;
  #queue: Input[] = [];
  #callOffFrame: (() => void) | null = null;
  /** The functions that call off the other timers. */
  readonly #timers = new Map<TimerName, () => void>();
  /**
   * The lists that events of the server make old. Test suites create many mailboxes, and in the cloud our requests count
   * against their rate limit.
   */
  readonly #lists = {
    'load-mailboxes': new Reload(3_000, () => this.#runOne({ do: 'load-mailboxes' })),
    'load-webhooks': new Reload(500, () => this.#runOne({ do: 'load-webhooks' })),
  };
  readonly #previews = new TokenBucket();
  /** The last request to delete a message. */
  #deletion: Promise<void> = Promise.resolve();
  #offsetMs = 0;
  /** Measures the layout of the open text, because the model does not know the screen. */
  #measure: (inbox: Inbox) => readonly Input[] = () => [];

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#backend = options.backend;
    const [inbox, effects] = initialInbox(1);
    this.#inbox = inbox;
    this.#runEffects(effects);
    this.give({ is: 'server', server: { url: options.backend.server.url, local: options.backend.local } });
  }

  get inbox(): Inbox {
    return this.#inbox;
  }

  /** The download directory as the reader sees it. */
  get directory(): string {
    return this.#options.machine.directory;
  }

  /** Resolves when the reader quits. */
  get quit(): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Returns the current time by the server's clock, in milliseconds since 1970. */
  now(): number {
    return now() + this.#offsetMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  measureBy(measure: (inbox: Inbox) => readonly Input[]): void {
    this.#measure = measure;
    this.settle();
  }

  /** Follows the server until the shell stops. */
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
    for (const callOff of this.#timers.values()) callOff();
    for (const list of Object.values(this.#lists)) list.stop();
    this.#listeners.clear();
  }

  /** Sets a timer, in place of an earlier one of its name. */
  #after(name: TimerName, ms: number, act: () => void): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, after(ms, act));
  }

  /** Applies an input at once, after all inputs in the queue. */
  give(input: Input): void {
    this.#queue.push(input);
    this.#flush();
  }

  /** Puts an input in the queue. The next frame applies it. */
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
    if (this.#inbox !== before) this.settle();
  }

  #step(input: Input): void {
    const [inbox, effects] = update(this.#inbox, input);
    this.#inbox = inbox;
    this.#runEffects(effects);
  }

  /** Measures the layout, after each step and after the screen was resized, and notifies the listeners. */
  settle(): void {
    for (const input of this.#measure(this.#inbox)) this.#step(input);
    for (const listener of this.#listeners) listener();
  }

  #runEffects(effects: readonly InboxEffect[]): void {
    for (const effect of effects) {
      if (effect.do === 'quit') void this.#quit();
      else if (effect.do === 'await-undo')
        this.#after('undo', UNDO_MS, () => this.give({ is: 'undo-over', id: effect.id }));
      else if (effect.do === 'delete-message') this.#deletion = this.#runOne(effect);
      else if (effect.do === 'load-mailboxes' || effect.do === 'load-webhooks') this.#lists[effect.do].ask();
      else if (effect.do === 'load-preview') this.#loadPreview(effect, PREVIEW_MS);
      else if (effect.do === 'load-row-details')
        this.#after('row-details', PREVIEW_MS, () => void this.#runOne(effect));
      else void this.#runOne(effect);
    }
  }

  #loadPreview(effect: Extract<InboxEffect, { do: 'load-preview' }>, ms: number): void {
    this.#after('preview', ms, () => {
      const { open, preview } = this.#inbox.mail;
      if (open !== null || preview?.id !== effect.id) return;
      const wait = this.#previews.take(now());
      if (wait > 0) this.#loadPreview(effect, wait);
      else void this.#runOne(effect);
    });
  }

  /** Stops once the last deletion is done, or takes too long. */
  async #quit(): Promise<void> {
    let callOff = () => {};
    const late = new Promise<void>((resolve) => {
      callOff = after(LAST_DELETION_MS, resolve);
    });
    await Promise.race([this.#deletion, late]);
    callOff();
    this.stop();
  }

  async #runOne(effect: InboxEffect): Promise<void> {
    const backend = this.#backend;
    const { mail, webhooks } = this.#inbox;
    const { machine, openId, explain = firstSentence } = this.#options;
    const inputs = await runInboxEffect(effect, {
      ...{ backend, machine, openId, explain, mailboxId: mail.mailboxId, now: this.now() },
      webhookUrl: webhooks.all.items.find(({ id }) => id === webhooks.webhookId)?.url ?? '',
    });
    // The effect belongs to a server that has been replaced, so its result is dropped.
    if (this.#stop.signal.aborted || backend.workspaceId !== this.#backend.workspaceId) return;
    for (const input of inputs) this.give(input);
  }

  #moveTo(backend: TerminalBackend): void {
    this.#backend = backend;
    for (const list of Object.values(this.#lists)) list.stop();
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
    this.#after('tick', TICK_MS, () => {
      if (this.#inbox.tab === 'authenticators') {
        this.#step({ is: 'tick', now: this.now() });
        this.settle();
      }
      this.#tick();
    });
  }
}

/** The token bucket of the previews: it allows `burst` requests at once, and then one every `everyMs`. */
class TokenBucket {
  #left = PREVIEWS.burst;
  #at = Number.NEGATIVE_INFINITY;

  /**
   * Takes a token at `now` (milliseconds) and returns 0. If none is left, it returns the milliseconds until the next
   * one.
   */
  take(now: number): number {
    const { burst, everyMs } = PREVIEWS;
    const gained = Math.floor((now - this.#at) / everyMs);
    if (this.#left + gained >= burst) [this.#left, this.#at] = [burst, now];
    else if (gained > 0) [this.#left, this.#at] = [this.#left + gained, this.#at + gained * everyMs];
    if (this.#left === 0) return this.#at + everyMs - now;
    this.#left--;
    return 0;
  }
}

type Arrival = Extract<Input, { is: 'messages-arrived' }>;

/** Merges consecutive arrivals in the same mailbox into one input, so that a burst costs one pass over the list. */
export function joinArrivals(inputs: readonly Input[]): readonly Input[] {
  const joined: Input[] = [];
  let run: Arrival | null = null;
  let rows: Arrival['rows'][number][] = [];
  for (const input of inputs) {
    if (input.is === 'messages-arrived' && input.mailboxId === run?.mailboxId) {
      rows.push(...input.rows);
      continue;
    }
    run = input.is === 'messages-arrived' ? input : null;
    rows = run === null ? [] : [...run.rows];
    joined.push(run === null ? input : { ...run, rows });
  }
  return joined;
}
