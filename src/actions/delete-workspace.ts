import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { recordEvent } from './record-event.ts';

/** With all it owns. The seeded one stays: the inbox stands in it. */
export async function deleteWorkspace(ctx: Context, tx: Tx, workspace: Workspace): Promise<void> {
  if (workspace.seeded) throw refuse('seeded_workspace');
  const mailboxes = await tx.mailboxes.list(workspace.id);
  await tx.workspaces.remove(workspace.id);
  for (const { id } of mailboxes) await recordEvent(ctx, tx, 'mailbox.deleted', workspace.id, { mailboxId: id });
}
