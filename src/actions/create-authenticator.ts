import type { Context } from '../context.ts';
import { type Authenticator, type NewAuthenticator, parseNewAuthenticator } from '../domain/authenticator.ts';
import type { AuthenticatorId } from '../domain/ids.ts';
import { timeOf } from '../domain/moment.ts';
import type { Workspace } from '../domain/workspace.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';

/** Creates an authenticator. The workspace's keys can read its codes. */
export async function createAuthenticator(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  request: NewAuthenticator,
): Promise<Authenticator> {
  const given = parseNewAuthenticator(request);
  const now = timeOf(workspace, momentNow(ctx.clock));
  const id = ctx.ids.next<AuthenticatorId>(realTime(ctx.clock));
  const authenticator: Authenticator = { id, workspaceId: workspace.id, ...given, createdAt: now };
  await tx.authenticators.insert(authenticator);
  return authenticator;
}
