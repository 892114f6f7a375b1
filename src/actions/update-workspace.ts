import { parseWorkspaceChanges, type Workspace, type WorkspaceChanges } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/** Plan, wallet, limits and name. What the new plan would not allow to be made stays as it is. */
export async function updateWorkspace(tx: Tx, workspace: Workspace, changes: WorkspaceChanges): Promise<Workspace> {
  const updated: Workspace = { ...workspace, ...parseWorkspaceChanges(changes) };
  await tx.workspaces.update(updated);
  return updated;
}
