import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { earliestArrival, type Message } from '../domain/message.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { onShiftIn } from './on-clock-set.ts';
import { storedPages } from './stored-pages.ts';
import { timeIn } from './workspace-time.ts';

export interface MatchingRequest {
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

const PAGE = 200;

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
  for await (const page of storedPages(ctx, mailbox, { since, size: PAGE, ending })) {
    for (const message of page) {
      if (await matches(message)) found.set(message.id, message);
      if (found.size >= count || ending.ended) return;
    }
  }
}

function newest(found: ReadonlyMap<MessageId, Message>, count: number): Message[] {
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(-count);
}
