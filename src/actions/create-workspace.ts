import type { Context } from '../context.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { parseWorkspaceChanges, type Workspace, type WorkspaceChanges } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/** A workspace without mailbox and key. What is not given is as the server has it. */
export async function createWorkspace(ctx: Context, tx: Tx, request: WorkspaceChanges): Promise<Workspace> {
  const given = parseWorkspaceChanges(request);
  const now = ctx.clock.now();
  const plan = given.plan ?? ctx.config.plan;
  const workspace: Workspace = {
    id: ctx.ids.next<WorkspaceId>(now),
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
