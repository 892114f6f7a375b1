import type { Context } from '../context.ts';
import { type MailboxId, type MessageId, ulidTime } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { DAY_MS, type Moment, timeOf } from '../domain/time.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { recordDeleted } from './record-event.ts';

/** The number of rows that one transaction removes. Other transactions wait for it. */
const BATCH = 500;
/** The number of recorded events to keep for subscribers that resume the feed. */
const EVENTS_KEPT = 100_000;
/** The time a finished send is kept, in milliseconds. It equals the longest default retention of any plan. */
const SENDS_KEPT_MS = 30 * DAY_MS;

/**
 * Removes everything past its retention in real time and in the time of its workspace, and frees its disk space. What
 * only a shifted clock made expire stays, because the clock may be set back. Returns the number of removed rows.
 */
export async function sweep(ctx: Context): Promise<number> {
  let removed = 0;
  for (let batch = BATCH; batch >= BATCH; removed += batch)
    batch = await ctx.store.transaction((tx) => batchOf(ctx, tx));
  await ctx.store.reclaim();
  return removed;
}

async function batchOf(ctx: Context, tx: Tx): Promise<number> {
  const now = momentNow(ctx.clock);
  let removed = await tx.idempotency.removeExpired(now.realNow, BATCH);
  removed += await tx.events.trim(EVENTS_KEPT, BATCH);
  removed += await tx.sends.removeSettled(now.realNow - SENDS_KEPT_MS, BATCH);
  for (const workspace of await tx.workspaces.list()) {
    for (const { id: mailboxId } of await tx.mailboxes.list(workspace.id)) {
      if (removed >= BATCH) return removed;
      const ids = await tx.messages.removeExpired(mailboxId, now, BATCH - removed);
      ids.push(...(await removeSurplus(ctx, tx, { workspace, mailboxId, limit: BATCH - removed - ids.length }, now)));
      removed += ids.length;
      if (ids.length > 0) await recordDeleted(ctx, tx, { mailboxId, workspaceId: workspace.id }, ids, 'expired');
    }
    for (const { id } of await tx.webhooks.list(workspace.id)) {
      if (removed >= BATCH) return removed;
      removed += await tx.requests.removeExpired(id, now, BATCH - removed);
    }
  }
  return removed;
}

/**
 * Removes the oldest messages of a mailbox over `--max-messages`, and those older than `--max-age` both in real time and
 * by the clock of the workspace. Returns their ids.
 */
async function removeSurplus(
  ctx: Context,
  tx: Tx,
  {
    workspace,
    mailboxId,
    limit,
  }: { readonly workspace: Workspace; readonly mailboxId: MailboxId; readonly limit: number },
  now: Moment,
): Promise<MessageId[]> {
  const { maxMessages, maxAgeMs } = ctx.config;
  if ((maxMessages === null && maxAgeMs === null) || limit <= 0) return [];
  const surplus = maxMessages === null ? 0 : (await tx.messages.countUnexpired(mailboxId, now)) - maxMessages;
  const most = Math.min(limit, maxAgeMs === null ? surplus : limit);
  if (most <= 0) return [];
  const isOld = ({ id, receivedAt }: Message) =>
    maxAgeMs !== null && now.realNow - ulidTime(id) > maxAgeMs && timeOf(workspace, now) - receivedAt > maxAgeMs;
  const oldest = await tx.messages.after(mailboxId, null, most, now);
  const gone = oldest.filter((message, at) => at < surplus || isOld(message));
  for (const { id } of gone) {
    await tx.messages.remove(id);
    ctx.parser.forget(id);
  }
  return gone.map(({ id }) => id);
}
