import { refuse } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/** With all it owns. The seeded one stays: the inbox stands in it. */
export async function deleteWorkspace(tx: Tx, workspace: Workspace): Promise<void> {
  if (workspace.seeded) throw refuse('seeded_workspace');
  await tx.workspaces.remove(workspace.id);
}
