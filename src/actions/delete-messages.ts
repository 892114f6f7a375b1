import type { Context } from '../context.ts';
import type { MessageId, WorkspaceId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { byMailbox, recordDeleted, recordEvent } from './record-event.ts';
import { BATCH, findInBatches, type Scope } from './search-messages.ts';

export async function deleteMessage(ctx: Context, tx: Tx, message: Message): Promise<void> {
  await tx.messages.remove(message.id);
  ctx.parser.forget(message.id);
  await recordDeleted(ctx, tx, message, [message.id]);
}

/** Deletes every message of a mailbox. */
export async function clearMailbox(ctx: Context, tx: Tx, mailbox: Mailbox): Promise<void> {
  const upTo = await tx.messages.lastId(mailbox.id);
  const count = await tx.messages.removeAll(mailbox.id);
  if (count === 0) return;
  const data = { mailboxId: mailbox.id, ids: null, upTo, count, reason: 'cleared' } as const;
  await recordEvent(ctx, tx, 'message.deleted', mailbox.workspaceId, data);
}

/**
 * Deletes the stored messages that match and returns how many this call deleted. Messages that arrive during the call
 * stay. It stops once the request has ended.
 */
export async function deleteFound(
  ctx: Context,
  scope: Scope,
  query: SearchQuery,
  cancelSignal: CancelSignal,
): Promise<number> {
  let deleted = 0;
  for await (const some of findInBatches(ctx, scope, query, cancelSignal))
    deleted += await ctx.store.transaction((tx) => remove(ctx, tx, some));
  return deleted;
}

async function remove(ctx: Context, tx: Tx, messages: readonly Message[]): Promise<number> {
  const gone: Message[] = [];
  for (const message of messages) {
    // Another request may have deleted it already.
    if (!(await tx.messages.remove(message.id))) continue;
    ctx.parser.forget(message.id);
    gone.push(message);
  }
  for (const { messages: those, ...mailbox } of byMailbox(gone)) {
    const ids = those.map(({ id }) => id);
    await recordDeleted(ctx, tx, mailbox, ids);
  }
  return gone.length;
}

/** Deletes every message of a workspace, mailbox by mailbox. */
export async function clearWorkspace(ctx: Context, workspaceId: WorkspaceId): Promise<void> {
  for (const { id } of await ctx.store.read.mailboxes.list(workspaceId)) {
    await ctx.store.transaction(async (tx) => {
      const mailbox = await tx.mailboxes.get(id);
      // Another request may have deleted it already.
      if (mailbox !== null) await clearMailbox(ctx, tx, mailbox);
    });
  }
}

/** Deletes the messages of a workspace with these ids, and returns the ids that it had. */
export async function deleteOfWorkspace(
  ctx: Context,
  workspaceId: WorkspaceId,
  ids: readonly MessageId[],
): Promise<ReadonlySet<MessageId>> {
  const deleted = new Set<MessageId>();
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = new Set(ids.slice(at, at + BATCH));
    const gone = await ctx.store.transaction(async (tx) => {
      const found: MessageId[] = [];
      for (const id of batch) {
        const message = await tx.messages.get(id, momentNow(ctx.clock));
        if (message === null || message.workspaceId !== workspaceId) continue;
        await deleteMessage(ctx, tx, message);
        found.push(id);
      }
      return found;
    });
    for (const id of gone) deleted.add(id);
  }
  return deleted;
}
