import type { Context } from '../context.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';

export async function deleteMessage(ctx: Context, tx: Tx, message: Message): Promise<void> {
  const { id, mailboxId, workspaceId } = message;
  await tx.messages.remove(id);
  ctx.parser.forget(id);
  await recordEvent(ctx, tx, 'message.deleted', workspaceId, {
    mailboxId,
    ids: [id],
    upTo: null,
    count: 1,
    reason: 'deleted',
  });
}

/** Deletes every message of a mailbox. */
export async function clearMailbox(ctx: Context, tx: Tx, mailbox: Mailbox): Promise<void> {
  const upTo = await tx.messages.lastId(mailbox.id);
  const count = await tx.messages.removeAll(mailbox.id);
  if (count === 0) return;
  await recordEvent(ctx, tx, 'message.deleted', mailbox.workspaceId, {
    mailboxId: mailbox.id,
    ids: null,
    upTo,
    count,
    reason: 'cleared',
  });
}
