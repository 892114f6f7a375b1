import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId, MessageId, WorkspaceId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { QueryMatcher } from '../domain/search/match-query.ts';
import type { Ending } from '../ports/ending.ts';
import { matchesMail } from './match-message.ts';

/** Where a search looks: a mailbox, a workspace, or everywhere. */
export interface Scope {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
}

/** How many mails may still be read where their rows leave it open. */
export interface Budget {
  left: number;
}

export interface Walk {
  readonly scope: Scope;
  readonly matcher: QueryMatcher;
  readonly before: MessageId | undefined;
  /** The last message to look at, which need not exist. */
  readonly downTo?: MessageId;
  readonly budget: Budget;
  /** When nobody waits for the answer any more. */
  readonly ending: Ending;
}

export interface Stretch {
  readonly found: readonly Message[];
  /** How far it was looked: everything from here on is left. Undefined where that is everything. */
  readonly at: MessageId | undefined;
  /** Nothing is left. */
  readonly isEnd: boolean;
}

/** Rows are looked at in a few milliseconds, whatever is asked of them. */
const ROWS = 500;
/** Mails are read so many at a time, so that a search of any mailbox holds little and leaves room for others. */
const READS = 8;

/**
 * What matches, newest first, a stretch at a time, between which others are served. It ends early, without `isEnd`, where
 * the budget is spent or nobody waits any more.
 */
export async function* walkMessages(ctx: Context, walk: Walk): AsyncGenerator<Stretch, void, void> {
  const { scope, matcher, downTo = '', ending } = walk;
  const wanted = (row: Message) => matcher.matchesRow(row) !== false;
  for (let before = walk.before; !ending.ended; ) {
    const now = ctx.clock.now();
    const step = await ctx.store.read.messages.walk({ ...scope, before, rows: ROWS, now, wanted });
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

/** `looked` is how many of the messages were looked at before the budget was spent, or nobody waited any more. */
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
