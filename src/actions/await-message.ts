import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { earliestArrival, type Message, type MessageFilter, matchesFilter } from '../domain/message.ts';
import type { Ending } from '../ports/ending.ts';
import { onShiftIn } from './on-clock-set.ts';
import { storedPages } from './stored-pages.ts';
import { timeIn } from './workspace-time.ts';

export interface AwaitRequest {
  readonly filter: MessageFilter;
  /** Only messages received at or after this moment count. Milliseconds since 1970. */
  readonly since: number;
  readonly timeoutMs: number;
  /** Ends when the client disconnects or the server closes. */
  readonly ending: Ending;
}

const PAGE = 500;

/**
 * Waits for a message that matches. Returns the newest one, or null if the time ran out. Throws `not_found` if the
 * mailbox is deleted meanwhile. It subscribes before it reads, so it misses no message.
 */
export async function awaitMessage(ctx: Context, mailbox: Mailbox, request: AwaitRequest): Promise<Message | null> {
  if (request.ending.ended) return null;
  const now = await timeIn(ctx, ctx.store.read, mailbox.workspaceId);
  const arrivals = new Arrivals({ ...request, since: earliestArrival(request.since, now) });
  const stop = await ctx.waiters.watch(mailbox.id, (messages) => arrivals.add(messages));
  const look = async () => arrivals.add([await newestStored(ctx, mailbox, request)].filter((one) => one !== null));
  let unwatch = () => {};
  try {
    // A clock that is set back during the wait may bring a message back. A look that fails leaves the wait as it is.
    unwatch = await onShiftIn(ctx, mailbox.workspaceId, () => void look().catch(() => {}));
    await look();
    if (!arrivals.settled) await arrivals.next(ctx);
    return arrivals.newest();
  } finally {
    unwatch();
    stop();
  }
}

function isEligible(message: Message, request: AwaitRequest): boolean {
  return message.receivedAt >= request.since && matchesFilter(message, request.filter);
}

async function newestStored(ctx: Context, mailbox: Mailbox, request: AwaitRequest): Promise<Message | null> {
  for await (const page of storedPages(ctx, mailbox, { ...request, size: PAGE })) {
    const found = page.find((message) => isEligible(message, request));
    if (found !== undefined) return found;
  }
  return null;
}

/** Holds the newest match among the stored messages and those that arrive during the wait. */
class Arrivals {
  readonly #request: AwaitRequest;
  #newest: Message | null = null;
  #gone = false;
  #settle: (() => void) | null = null;

  constructor(request: AwaitRequest) {
    this.#request = request;
  }

  get settled(): boolean {
    return this.#gone || this.#newest !== null;
  }

  add(messages: readonly Message[] | null): void {
    if (messages === null) this.#gone = true;
    else this.found(messages.findLast((message) => isEligible(message, this.#request)) ?? null);
    if (this.settled) this.#settle?.();
  }

  found(message: Message | null): void {
    if (message !== null && (this.#newest === null || message.id > this.#newest.id)) this.#newest = message;
  }

  /** Resolves when a match is found, the timeout has passed, or `ending` ends. */
  next({ clock }: Context): Promise<void> {
    const { timeoutMs, ending } = this.#request;
    return new Promise((resolve) => {
      const timeOut = clock.after(timeoutMs, () => this.#settle?.());
      let awake = () => {};
      this.#settle = () => {
        this.#settle = null;
        timeOut();
        awake();
        resolve();
      };
      awake = ending.onEnd(() => this.#settle?.());
    });
  }

  newest(): Message | null {
    if (this.#newest === null && this.#gone) throw refuse('not_found');
    return this.#newest;
  }
}
