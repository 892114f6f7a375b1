import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import type { Group } from '../domain/group.ts';
import type { GroupId } from '../domain/ids.ts';
import { timeOf } from '../domain/moment.ts';
import { parseName, type Workspace } from '../domain/workspace.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';

/** Creates a group for mailboxes of the workspace. Throws `invalid_name`. */
export async function createGroup(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: { readonly name?: unknown },
): Promise<Group> {
  const name = parseName(request.name);
  if (name === null) throw refuse('invalid_name');
  const now = timeOf(workspace, momentNow(ctx.clock));
  const group: Group = {
    id: ctx.ids.next<GroupId>(realTime(ctx.clock)),
    workspaceId: workspace.id,
    name,
    createdAt: now,
  };
  await tx.groups.insert(group);
  return group;
}
