import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { forgetAnswer } from './forget-answer.ts';
import { recordEvent } from './record-event.ts';

/** Deletes a workspace with everything in it. Throws `seeded_workspace` for the seeded one, which owns the inbox. */
export async function deleteWorkspace(ctx: Context, tx: Tx, workspace: Workspace): Promise<void> {
  if (workspace.seeded) throw refuse('seeded_workspace');
  const mailboxes = await tx.mailboxes.list(workspace.id);
  const webhooks = await tx.webhooks.list(workspace.id);
  for (const { id } of [...mailboxes, ...webhooks]) await forgetAnswer(tx, id);
  await tx.workspaces.remove(workspace.id);
  for (const { id } of mailboxes) await recordEvent(ctx, tx, 'mailbox.deleted', workspace.id, { mailboxId: id });
}
