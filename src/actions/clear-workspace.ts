import type { Context } from '../context.ts';
import type { MessageId, WorkspaceId } from '../domain/ids.ts';
import { momentNow } from '../ports/clock.ts';
import { clearMailbox, deleteMessage } from './delete-messages.ts';

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

/** The number of messages that one transaction deletes. Other transactions wait for it. */
const BATCH = 100;

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
