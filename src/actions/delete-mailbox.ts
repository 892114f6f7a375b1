import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Tx } from '../ports/store.ts';
import { forgetAnswer } from './forget-answer.ts';
import { recordEvent } from './record-event.ts';

/**
 * Deletes a mailbox with its mail. Throws `seeded_mailbox` for the inbox, which takes mail that no other mailbox takes.
 */
export async function deleteMailbox(ctx: Context, tx: Tx, mailbox: Mailbox): Promise<void> {
  if (mailbox.seeded) throw refuse('seeded_mailbox');
  await forgetAnswer(tx, mailbox.id);
  await tx.mailboxes.remove(mailbox.id);
  await recordEvent(ctx, tx, 'mailbox.deleted', mailbox.workspaceId, { mailboxId: mailbox.id });
}
