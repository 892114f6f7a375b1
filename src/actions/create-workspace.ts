import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { parseWorkspaceChanges, type Workspace, type WorkspaceChanges } from '../domain/workspace.ts';
import { realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';

/** Creates a workspace without mailboxes and keys. Fields that are not given take the server's defaults. */
export async function createWorkspace(ctx: Context, tx: Tx, request: WorkspaceChanges): Promise<Workspace> {
  const given = parseWorkspaceChanges(request);
  const now = ctx.clock.now();
  const plan = given.plan ?? ctx.config.plan;
  const workspace: Workspace = {
    id: ctx.ids.next<WorkspaceId>(realTime(ctx.clock)),
    name: given.name ?? 'Workspace',
    plan,
    limits: given.limits ?? ctx.config.limits,
    walletMillicents: given.walletMillicents ?? ctx.plans[plan].walletStartCents * 1_000,
    seeded: false,
    createdAt: now,
  };
  await tx.workspaces.insert(workspace);
  return workspace;
}
