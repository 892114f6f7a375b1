import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { CapturedRequestId, MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { earliestArrival, type Message, type MessageFilter, matchesFilter } from '../domain/message.ts';
import type { Webhook } from '../domain/webhook.ts';
import { momentNow } from '../ports/system.ts';
import type { Ending } from '../ports/waiting.ts';
import { onShiftIn, timeIn } from './time.ts';

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

interface MatchingRequest {
  /** Tells whether a message is one of the awaited ones. It may read the whole mail. */
  readonly matches: (message: Message) => Promise<boolean>;
  /** The number of messages to wait for. */
  readonly count: number;
  /** Only messages received at or after this moment count. Milliseconds since 1970. */
  readonly since: number;
  readonly timeoutMs: number;
  /** Ends when the client disconnects or the server closes. */
  readonly ending: Ending;
}

const MATCHING_PAGE = 200;

/**
 * Waits for `count` messages that match. Returns the newest ones in the order of their arrival, or null if the time ran
 * out. Throws `not_found` if the mailbox is deleted meanwhile. It subscribes before it reads, so it misses no message.
 */
export async function awaitMatching(
  ctx: Context,
  mailbox: Mailbox,
  request: MatchingRequest,
): Promise<Message[] | null> {
  const { count, since, timeoutMs, ending, matches } = request;
  const arrived: Message[] = [];
  const arrivedSince = earliestArrival(since, await timeIn(ctx, ctx.store.read, mailbox.workspaceId));
  let gone = false;
  let isShifted = true;
  let over = false;
  let wake = () => {};
  const stop = await ctx.waiters.watch(mailbox.id, (messages) => {
    if (messages === null) gone = true;
    else arrived.push(...messages);
    wake();
  });
  const timeOut = ctx.clock.after(timeoutMs, () => {
    over = true;
    wake();
  });
  const calledOff = ending.onEnd(() => wake());
  const found = new Map<MessageId, Message>();
  let unwatch = () => {};
  try {
    unwatch = await onShiftIn(ctx, mailbox.workspaceId, () => {
      isShifted = true;
      wake();
    });
    for (;;) {
      // A clock that is set back during the wait may bring messages back.
      if (isShifted) {
        isShifted = false;
        await collectStored(ctx, mailbox, request, found);
      }
      for (let message = arrived.shift(); message !== undefined; message = arrived.shift())
        if (message.receivedAt >= arrivedSince && !found.has(message.id) && (await matches(message)))
          found.set(message.id, message);
      // A message may have been deleted while the wait continued for others.
      if (found.size >= count) await dropGone(ctx, found);
      if (found.size >= count) return newest(found, count);
      if (gone) throw refuse('not_found');
      if (over || ending.ended) return null;
      if (isShifted || arrived.length > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
    calledOff();
    timeOut();
    stop();
  }
}

async function dropGone(ctx: Context, found: Map<MessageId, Message>): Promise<void> {
  const now = momentNow(ctx.clock);
  for (const id of [...found.keys()]) if ((await ctx.store.read.messages.get(id, now)) === null) found.delete(id);
}

/** Adds the newest stored messages that match, until there are `count`. */
async function collectStored(
  ctx: Context,
  mailbox: Mailbox,
  { matches, count, since, ending }: MatchingRequest,
  found: Map<MessageId, Message>,
): Promise<void> {
  for await (const page of storedPages(ctx, mailbox, { since, size: MATCHING_PAGE, ending })) {
    for (const message of page) {
      if (await matches(message)) found.set(message.id, message);
      if (found.size >= count || ending.ended) return;
    }
  }
}

function newest(found: ReadonlyMap<MessageId, Message>, count: number): Message[] {
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(-count);
}

interface RequestAwait {
  /** Only requests newer than this position count. Undefined admits any request. */
  readonly after: CapturedRequestId | undefined;
  readonly timeoutMs: number;
  /** Ends when the client disconnects or the server closes. */
  readonly ending: Ending;
}

/**
 * Waits for a captured request after a position. Returns the newest one, or null if the time ran out. Throws
 * `not_found` if the webhook is deleted. It subscribes before it reads, so it misses no request.
 */
export async function awaitRequest(
  ctx: Context,
  { id, workspaceId }: Webhook,
  { after, timeoutMs, ending }: RequestAwait,
): Promise<CapturedRequest | null> {
  let isOver = ending.ended;
  let isStale = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const look = () => {
    isStale = true;
    wake();
  };
  const undo = [
    // A clock that is set back may bring a request back.
    await onShiftIn(ctx, workspaceId, look),
    ctx.store.onCommit(({ webhookIds, all }) => {
      if (webhookIds.has(id) || all) look();
    }),
    ctx.clock.after(timeoutMs, end),
    ending.onEnd(end),
  ];
  try {
    for (;;) {
      isStale = false;
      const isLast = isOver;
      const [newest] = await ctx.store.read.requests.page(id, { page: 1, pageSize: 1, now: momentNow(ctx.clock) });
      if (newest !== undefined && (after === undefined || newest.id > after)) return newest;
      if ((await ctx.store.read.webhooks.get(id)) === null) throw refuse('not_found');
      if (isLast) return null;
      if (!isStale && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const one of undo) one();
  }
}

interface StoredPagesRequest {
  /** Only messages received at or after this moment. Milliseconds since 1970. */
  readonly since: number;
  /** The largest number of messages on a page. */
  readonly size: number;
  readonly ending: Ending;
}

/** Reads the messages of a mailbox page by page, newest first. It yields to the event loop between pages. */
async function* storedPages(
  { store, clock }: Context,
  mailbox: Mailbox,
  { since, size, ending }: StoredPagesRequest,
): AsyncGenerator<readonly Message[], void, void> {
  const query = { since, limit: size, now: momentNow(clock) };
  for (let before: MessageId | undefined; ; ) {
    const page = await store.read.messages.page(mailbox.id, { ...query, before });
    yield page;
    before = page.at(-1)?.id;
    if (page.length < size || ending.ended) return;
    await setImmediate();
  }
}
