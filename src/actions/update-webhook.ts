import type { Context } from '../context.ts';
import type { Webhook } from '../domain/webhook.ts';
import { changeSettings, type GivenSettings } from '../domain/webhook-settings.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';

/**
 * Changes the given settings of an interceptor. If no retention is given, it keeps the old one, even if the plan has
 * changed since.
 */
export async function updateWebhook(
  ctx: Context,
  tx: Tx,
  { webhook, workspace }: { readonly webhook: Webhook; readonly workspace: Workspace },
  given: GivenSettings,
): Promise<Webhook> {
  const updated: Webhook = { ...webhook, ...changeSettings(webhook, given, ctx.plans[workspace.plan]) };
  await tx.webhooks.update(updated);
  return updated;
}
