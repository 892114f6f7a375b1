import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { countAll } from './search-messages.ts';
import type { Scope } from './walk-messages.ts';

/** The query for a page by offset, for APIs that have no cursor. */
export interface OffsetPage {
  readonly scope: Scope;
  /** The number of newer messages to leave out. */
  readonly start: number;
  readonly limit: number;
  readonly ending: Ending;
}

/** The number of rows per step. Rows before the page are counted without reading their mail. */
const ROWS = 500;

/** Lists a page of messages, newest first, with the number of all messages in the scope, which comes from counters. */
export async function listMessages(
  ctx: Context,
  page: OffsetPage,
): Promise<{ readonly items: readonly Message[]; readonly total: number }> {
  const total = await countAll(ctx, page.scope);
  const { items } = page.start < total ? await walk(ctx, page, () => true, false) : { items: [] };
  return { items, total: Math.max(total, items.length) };
}

/** Lists a page of the messages whose rows match, newest first, with the number of all matches. */
export async function findRows(
  ctx: Context,
  page: OffsetPage,
  matches: (row: Message) => boolean,
): Promise<{ readonly items: readonly Message[]; readonly total: number; readonly complete: boolean }> {
  const { items, passed } = await walk(ctx, page, matches, true);
  return { items, total: passed, complete: true };
}

/** Walks to the end of the page, or to the oldest message if `counts` is true. */
async function walk(
  ctx: Context,
  { scope, start, limit, ending }: OffsetPage,
  matches: (row: Message) => boolean,
  counts: boolean,
): Promise<{ readonly items: readonly Message[]; readonly passed: number }> {
  const items: Message[] = [];
  let passed = 0;
  const wanted = (row: Message) => {
    if (!matches(row)) return false;
    const at = passed++;
    return at >= start && at < start + limit;
  };
  for (let before: MessageId | undefined; (counts || items.length < limit) && !ending.ended; ) {
    const step = await ctx.store.read.messages.walk({
      ...scope,
      before,
      rows: ROWS,
      now: momentNow(ctx.clock),
      wanted,
    });
    items.push(...step.messages);
    if (step.next === null) break;
    before = step.next;
    await setImmediate();
  }
  return { items, passed };
}
