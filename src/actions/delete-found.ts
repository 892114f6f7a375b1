import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MailboxId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { QueryMatcher } from '../domain/search/match-query.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import type { Ending } from '../ports/ending.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';
import { type Scope, walkMessages } from './walk-messages.ts';

/** The number of rows that one transaction deletes. Other transactions wait for it, so it stays small. */
const BATCH = 100;

/**
 * Deletes the stored messages that match and returns how many this call deleted. Messages that arrive during the call
 * stay. It stops once the request has ended.
 */
export async function deleteFound(ctx: Context, scope: Scope, query: SearchQuery, ending: Ending): Promise<number> {
  const matcher = new QueryMatcher(query);
  const budget = { left: Number.POSITIVE_INFINITY };
  let deleted = 0;
  for await (const { found } of walkMessages(ctx, { scope, matcher, before: undefined, budget, ending })) {
    for (let at = 0; at < found.length && !ending.ended; at += BATCH) {
      const some = found.slice(at, at + BATCH);
      deleted += await ctx.store.transaction((tx) => remove(ctx, tx, some));
      await setImmediate();
    }
  }
  return deleted;
}

async function remove(ctx: Context, tx: Tx, messages: readonly Message[]): Promise<number> {
  const gone = new Map<MailboxId, Message[]>();
  let count = 0;
  for (const message of messages) {
    // Another request may have deleted it already.
    if (!(await tx.messages.remove(message.id))) continue;
    ctx.parser.forget(message.id);
    const ofMailbox = gone.get(message.mailboxId);
    if (ofMailbox === undefined) gone.set(message.mailboxId, [message]);
    else ofMailbox.push(message);
    count++;
  }
  for (const [mailboxId, those] of gone) {
    const [{ workspaceId } = { workspaceId: null }] = those;
    const ids = those.map(({ id }) => id);
    const data = { mailboxId, ids, upTo: null, count: ids.length, reason: 'deleted' } as const;
    await recordEvent(ctx, tx, 'message.deleted', workspaceId, data);
  }
  return count;
}
