import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { Ending } from '../ports/ending.ts';
import { countAll } from './search-messages.ts';
import type { Scope } from './walk-messages.ts';

/** A page by position, as APIs without a cursor ask for it. */
export interface OffsetPage {
  readonly scope: Scope;
  /** The number of newer messages to leave out. */
  readonly start: number;
  readonly limit: number;
  readonly ending: Ending;
}

/** The number of rows per step. Rows that are left out are counted, not read. */
const ROWS = 500;

/** Lists messages newest first, and the number of all in the scope, which comes from counters. */
export async function listMessages(
  ctx: Context,
  { scope, start, limit, ending }: OffsetPage,
): Promise<{ readonly items: readonly Message[]; readonly total: number }> {
  const total = await countAll(ctx, scope);
  const items: Message[] = [];
  let passed = 0;
  const wanted = () => {
    const at = passed++;
    return at >= start && at < start + limit;
  };
  for (let before: MessageId | undefined; items.length < limit && start < total && !ending.ended; ) {
    const step = await ctx.store.read.messages.walk({ ...scope, before, rows: ROWS, now: ctx.clock.now(), wanted });
    items.push(...step.messages);
    if (step.next === null) break;
    before = step.next;
    await setImmediate();
  }
  return { items, total: Math.max(total, items.length) };
}
