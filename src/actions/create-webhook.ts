import type { Context } from '../context.ts';
import type { WebhookId } from '../domain/ids.ts';
import { timeOf } from '../domain/moment.ts';
import type { Webhook } from '../domain/webhook.ts';
import { changeSettings, defaultSettings, type GivenSettings } from '../domain/webhook-settings.ts';
import type { Workspace } from '../domain/workspace.ts';
import { momentNow, realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';

/**
 * Creates an interceptor with a fresh capture key. Its capture URL answers once the transaction is committed. Throws
 * `hook_limit_reached`.
 */
export async function createWebhook(
  ctx: Context,
  tx: Tx,
  workspace: Workspace,
  given: GivenSettings,
): Promise<Webhook> {
  const plan = ctx.plans[workspace.plan];
  const settings = changeSettings(defaultSettings(plan), given, plan);
  const now = timeOf(workspace, momentNow(ctx.clock));
  const webhook: Webhook = {
    id: ctx.ids.next<WebhookId>(realTime(ctx.clock)),
    workspaceId: workspace.id,
    key: Buffer.from(ctx.random.bytes(32)).toString('base64url'),
    ...settings,
    createdAt: now,
  };
  await tx.webhooks.insert(webhook, plan.interceptors);
  return webhook;
}
