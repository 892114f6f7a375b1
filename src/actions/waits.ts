import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { CapturedRequestId, MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import {
  earliestArrival,
  kindOf,
  type Message,
  type MessageFilter,
  type MessageKind,
  matchesFilter,
} from '../domain/message.ts';
import type { Webhook } from '../domain/webhook.ts';
import { type Clock, momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { onShiftIn, timeIn } from './time.ts';

// Every wait of the server: for messages, for captured requests, for a clock, for an address.

/** How long a wait lasts at most. */
export interface WaitBounds {
  /** Milliseconds of real time. */
  readonly timeoutMs: number;
  /** Ends when the client disconnects or the server closes. */
  readonly cancelSignal: CancelSignal;
}

/** Subscribes to what may end the wait. The returned function ends the subscription. */
type Watch = (wake: () => void) => (() => void) | Promise<() => void>;

/** One look at what the wait is for. */
interface Look {
  /** Tells whether the wait ends with this look, whatever it finds. */
  readonly isLast: boolean;
  /** Asks for another look after this many milliseconds, if nothing else leads to one before. */
  again(ms: number): void;
}

/**
 * Waits until `look` finds something. Returns null if the time ran out or nobody waits any more, after one more look. It
 * watches before it looks, and news that comes during a look leads to another one, so it misses nothing. Between two
 * looks it costs no processor time.
 */
export async function waitUntil<Found>(
  clock: Pick<Clock, 'after'>,
  { timeoutMs, cancelSignal }: WaitBounds,
  watches: readonly Watch[],
  look: (look: Look) => Promise<Found | null>,
): Promise<Found | null> {
  let isOver = timeoutMs <= 0 || cancelSignal.isCancelled;
  let isNews = false;
  let resume = () => {};
  const wake = () => {
    isNews = true;
    resume();
  };
  const end = () => {
    isOver = true;
    wake();
  };
  let cancelAgain = () => {};
  const again = (ms: number) => {
    // A timer may fire a fraction of a millisecond early.
    cancelAgain = clock.after(Math.ceil(ms), wake);
  };
  const undo = [clock.after(timeoutMs, end), cancelSignal.onCancel(end)];
  try {
    for (const watch of watches) undo.push(await watch(wake));
    for (;;) {
      const isLast = isOver;
      isNews = false;
      cancelAgain();
      const found = await look({ isLast, again });
      if (found !== null || isLast) return found;
      if (!isNews) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    }
  } finally {
    cancelAgain();
    for (const one of undo) one();
  }
}

/** A wait for messages of one mailbox. */
export interface MessagesWait extends WaitBounds {
  /** The kind to wait for. Left out: any. */
  readonly kind?: MessageKind | undefined;
  /** The conditions on the summary of a message. A message that does not fulfil them wakes nobody. */
  readonly filter: MessageFilter;
  /** Tells whether the whole mail is an awaited one. Left out if its summary decides. */
  readonly matches?: (message: Message) => Promise<boolean>;
  /** The number of messages to wait for. */
  readonly count: number;
  /** Only messages received at or after this moment count. Milliseconds since 1970. */
  readonly since: number;
}

/**
 * Waits for `count` messages that match. Returns the newest ones in the order of their arrival, or null if the time ran
 * out. Throws `not_found` if the mailbox is deleted meanwhile.
 */
export async function awaitMessages(ctx: Context, mailbox: Mailbox, wait: MessagesWait): Promise<Message[] | null> {
  const { kind, filter, matches, count, cancelSignal } = wait;
  if (cancelSignal.isCancelled) return null;
  const since = earliestArrival(wait.since, await timeIn(ctx, ctx.store.read, mailbox.workspaceId));
  const arrived: Message[] = [];
  let isGone = false;
  const arrivals: Watch = (wake) =>
    ctx.waiters.watch(mailbox.id, (messages) => {
      if (messages === null) {
        isGone = true;
        wake();
        return;
      }
      for (const message of messages) {
        if (kind !== undefined && kindOf(message) !== kind) continue;
        if (message.receivedAt < since || !matchesFilter(message, filter)) continue;
        arrived.push(message);
        wake();
      }
    });
  // A clock that is set back during the wait may bring messages back.
  let isShifted = true;
  const shifts: Watch = (wake) =>
    onShiftIn(ctx, mailbox.workspaceId, () => {
      isShifted = true;
      wake();
    });
  const found = new Map<MessageId, Message>();
  return waitUntil(ctx.clock, wait, [arrivals, shifts], async () => {
    if (isShifted) {
      isShifted = false;
      await collectStored(ctx, mailbox, wait, found);
    }
    for (let message = arrived.shift(); message !== undefined; message = arrived.shift()) {
      if (!found.has(message.id) && ((await matches?.(message)) ?? true)) found.set(message.id, message);
    }
    // A message may have been deleted while its mail was read, or while the wait continued for others.
    if (found.size >= count && matches !== undefined) await dropGone(ctx, found);
    if (found.size >= count) return newest(found, count);
    if (isGone) throw refuse('not_found');
    return null;
  });
}

const PAGE = 500;

/** Adds the newest stored messages that match, until there are `count`. It yields to the event loop between pages. */
async function collectStored(
  { store, clock }: Context,
  mailbox: Mailbox,
  { kind, filter, matches, count, since, cancelSignal }: MessagesWait,
  found: Map<MessageId, Message>,
): Promise<void> {
  const query = { kind, since, limit: PAGE, now: momentNow(clock) };
  for (let before: MessageId | undefined; ; ) {
    const page = await store.read.messages.page(mailbox.id, { ...query, before });
    for (const message of page) {
      if (matchesFilter(message, filter) && ((await matches?.(message)) ?? true)) found.set(message.id, message);
      if (found.size >= count || cancelSignal.isCancelled) return;
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE || cancelSignal.isCancelled) return;
    await setImmediate();
  }
}

async function dropGone(ctx: Context, found: Map<MessageId, Message>): Promise<void> {
  const now = momentNow(ctx.clock);
  for (const id of [...found.keys()]) if ((await ctx.store.read.messages.get(id, now)) === null) found.delete(id);
}

function newest(found: ReadonlyMap<MessageId, Message>, count: number): Message[] {
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(-count);
}

interface RequestWait extends WaitBounds {
  /** Only requests newer than this position count. Undefined admits any request. */
  readonly after: CapturedRequestId | undefined;
}

/**
 * Waits for a captured request after a position. Returns the newest one, or null if the time ran out. Throws
 * `not_found` if the webhook is deleted.
 */
export function awaitRequest(
  ctx: Context,
  { id, workspaceId }: Webhook,
  wait: RequestWait,
): Promise<CapturedRequest | null> {
  const captures: Watch = (wake) =>
    ctx.store.onCommit(({ webhookIds, all }) => {
      if (webhookIds.has(id) || all) wake();
    });
  // A clock that is set back may bring a request back.
  const shifts: Watch = (wake) => onShiftIn(ctx, workspaceId, wake);
  return waitUntil(ctx.clock, wait, [shifts, captures], async () => {
    const [request] = await ctx.store.read.requests.page(id, { page: 1, pageSize: 1, now: momentNow(ctx.clock) });
    if (request !== undefined && (wait.after === undefined || request.id > wait.after)) return request;
    if ((await ctx.store.read.webhooks.get(id)) === null) throw refuse('not_found');
    return null;
  });
}
