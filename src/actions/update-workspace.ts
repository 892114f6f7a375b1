import { parseWorkspaceChanges, type Workspace, type WorkspaceChanges } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/** Changes plan, wallet, limits and name. Existing objects that exceed the new plan stay. */
export async function updateWorkspace(tx: Tx, workspace: Workspace, changes: WorkspaceChanges): Promise<Workspace> {
  const updated: Workspace = { ...workspace, ...parseWorkspaceChanges(changes) };
  await tx.workspaces.update(updated);
  return updated;
}
