import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { type Message, type MessageFilter, matchesFilter } from '../domain/message.ts';

export interface AwaitRequest {
  readonly filter: MessageFilter;
  /** Only messages received at or after it, milliseconds. */
  readonly since: number;
  readonly timeoutMs: number;
  /** Aborts when nobody waits for the answer any more, or the server closes. */
  readonly signal: AbortSignal;
}

const PAGE = 500;

/**
 * The newest message that matches, null when none did in time. Throws `not_found` when the mailbox goes while we wait.
 * Subscribes first, then reads, then waits: no message falls between.
 */
export async function awaitMessage(ctx: Context, mailbox: Mailbox, request: AwaitRequest): Promise<Message | null> {
  const { signal } = request;
  if (signal.aborted) return null;
  const arrivals = new Arrivals((message) => message.receivedAt >= request.since && matches(message, request));
  const stop = await ctx.waiters.watch(mailbox.id, (messages) => arrivals.add(messages));
  try {
    const there = await newestStored(ctx, mailbox, request);
    return await arrivals.first(there, (end) => {
      const cancel = ctx.clock.after(request.timeoutMs, end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      return () => {
        cancel();
        signal.removeEventListener('abort', end);
      };
    });
  } finally {
    stop();
  }
}

function matches(message: Message, request: AwaitRequest): boolean {
  return matchesFilter(message, request.filter);
}

async function newestStored(ctx: Context, mailbox: Mailbox, request: AwaitRequest): Promise<Message | null> {
  const query = { since: request.since, limit: PAGE, now: ctx.clock.now() };
  let page = await ctx.store.read.messages.page(mailbox.id, query);
  for (;;) {
    const found = page.find((message) => matches(message, request));
    const last = page.at(-1);
    if (found !== undefined) return found;
    if (page.length < PAGE || last === undefined || request.signal.aborted) return null;
    // A mailbox of any size may be read through; others are served in between.
    await setImmediate();
    page = await ctx.store.read.messages.page(mailbox.id, { ...query, before: last.id });
  }
}

/** What arrives while the stored messages are being read is kept, since the newest of both wins. */
class Arrivals {
  readonly #eligible: (message: Message) => boolean;
  #found: Message | null = null;
  #gone = false;
  #settle: (() => void) | null = null;

  constructor(eligible: (message: Message) => boolean) {
    this.#eligible = eligible;
  }

  add(messages: readonly Message[] | null): void {
    if (messages === null) this.#gone = true;
    else this.#found = messages.findLast(this.#eligible) ?? this.#found;
    if (this.#gone || this.#found !== null) this.#settle?.();
  }

  /** The newer of `there` and what came meanwhile; where both are missing, what comes next, until `arm`'s end is called. */
  async first(there: Message | null, arm: (end: () => void) => () => void): Promise<Message | null> {
    if (there === null && this.#found === null && !this.#gone) {
      let disarm = () => {};
      await new Promise<void>((resolve) => {
        this.#settle = resolve;
        disarm = arm(resolve);
      });
      disarm();
    }
    const found = newer(there, this.#found);
    if (found === null && this.#gone) throw refuse('not_found');
    return found;
  }
}

function newer(a: Message | null, b: Message | null): Message | null {
  if (a === null || b === null) return a ?? b;
  return a.id > b.id ? a : b;
}
