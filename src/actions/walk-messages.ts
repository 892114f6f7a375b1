import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId, WorkspaceId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { QueryMatcher } from '../domain/search/match-query.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { matchesMail } from './match-message.ts';

/** The scope of a search: a mailbox, a workspace, or everything if neither is given. */
export interface Scope {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
}

/** The number of mails that may still be read because their rows do not decide. */
export interface Budget {
  left: number;
}

export interface Walk {
  readonly scope: Scope;
  readonly matcher: QueryMatcher;
  readonly before: MessageId | undefined;
  /** The oldest position to examine. The message need not exist. */
  readonly downTo?: MessageId;
  /**
   * The number of rows of the first step, for walks that may need only a few rows. Default: 500, as in each further
   * step.
   */
  readonly firstRows?: number;
  readonly budget: Budget;
  /** Ends when the client disconnects. */
  readonly ending: Ending;
}

export interface WalkStretch {
  readonly found: readonly Message[];
  /** The position that the walk has reached. Only older messages remain. Undefined means that all messages remain. */
  readonly at: MessageId | undefined;
  /** Tells whether the walk has reached its end. */
  readonly isEnd: boolean;
}

/** The largest number of rows per step. A step takes a few milliseconds for any query. */
const ROWS = 500;
/** The number of mails read at a time. It bounds the memory of a search. */
const READS = 8;

/**
 * Yields the matching messages newest first, one stretch at a time, and yields to the event loop in between. It stops
 * without `isEnd` when the budget is used up or the request has ended.
 */
export async function* walkMessages(ctx: Context, walk: Walk): AsyncGenerator<WalkStretch, void, void> {
  const { scope, matcher, downTo = '', ending } = walk;
  const wanted = (row: Message) => matcher.matchesRow(row) !== false;
  let rows = Math.min(walk.firstRows ?? ROWS, ROWS);
  for (let before = walk.before; !ending.ended; rows = ROWS) {
    const now = momentNow(ctx.clock);
    const step = await ctx.store.read.messages.walk({ ...scope, before, rows, now, wanted });
    const messages = step.messages.filter(({ id }) => id >= downTo);
    const { found, looked } = await foundIn(ctx, walk, messages);
    const isWhole = looked === messages.length;
    const at: MessageId | undefined = (isWhole ? step.next : null) ?? messages[looked - 1]?.id ?? before;
    const isEnd = isWhole && (step.next === null || step.next <= downTo);
    yield { found, at, isEnd };
    if (isEnd || !isWhole) return;
    before = at;
    await setImmediate();
  }
}

/**
 * Finds the matches among the messages. `looked` is the number examined before the budget was used up or the request
 * ended.
 */
async function foundIn(
  ctx: Context,
  { matcher, budget, ending }: Walk,
  messages: readonly Message[],
): Promise<{ found: Message[]; looked: number }> {
  const verdicts = messages.map((message) => matcher.matchesRow(message));
  const open = messages.filter((_message, index) => verdicts[index] === null);
  const affordable = open.slice(0, budget.left);
  const matching = new Set<Message>();
  let read = 0;
  while (read < affordable.length && !ending.ended) {
    const some = affordable.slice(read, read + READS);
    const hits = await Promise.all(some.map((message) => matchesMail(ctx, matcher, message)));
    for (const message of some.filter((_message, index) => hits[index])) matching.add(message);
    read += some.length;
    await setImmediate();
  }
  budget.left -= read;
  const unread = open[read];
  const looked = unread === undefined ? messages.length : messages.indexOf(unread);
  const found = messages.filter(
    (message, index) => index < looked && (verdicts[index] === true || matching.has(message)),
  );
  return { found, looked };
}
