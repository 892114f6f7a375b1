import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import type { WebhookId } from '../domain/ids.ts';
import { timeOf } from '../domain/time.ts';
import { changeSettings, defaultSettings, type GivenSettings, type Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Tx } from '../ports/store.ts';
import { momentNow, realTime } from '../ports/system.ts';
import { forgetAnswer, recordEvent } from './record-event.ts';

/**
 * Creates a webhook with a fresh key. Its URL answers once the transaction is committed. Throws
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
  await tx.webhooks.insert(webhook, plan.webhooks);
  await recordEvent(ctx, tx, 'webhook.created', workspace.id, { webhookId: webhook.id, name: webhook.name });
  return webhook;
}

/**
 * Changes the given settings of a webhook. If no retention is given, it keeps the old one, even if the plan has
 * changed since. What changes nothing tells nobody.
 */
export async function updateWebhook(
  ctx: Context,
  tx: Tx,
  { webhook, workspace }: { readonly webhook: Webhook; readonly workspace: Workspace },
  given: GivenSettings,
): Promise<Webhook> {
  const updated: Webhook = { ...webhook, ...changeSettings(webhook, given, ctx.plans[workspace.plan]) };
  if (isDeepStrictEqual(updated, webhook)) return webhook;
  await tx.webhooks.update(updated);
  await recordEvent(ctx, tx, 'webhook.updated', workspace.id, { webhookId: updated.id, name: updated.name });
  return updated;
}

/** Deletes a webhook with its captured requests. */
export async function deleteWebhook(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { id, workspaceId, name }: Webhook,
): Promise<void> {
  await forgetAnswer(tx, id);
  await tx.webhooks.remove(id);
  await recordEvent(ctx, tx, 'webhook.deleted', workspaceId, { webhookId: id, name });
}

/** Deletes the captured requests of a webhook. */
export async function clearWebhook(ctx: Context, tx: Tx, { id, workspaceId }: Webhook): Promise<void> {
  const count = await tx.requests.removeAll(id);
  if (count > 0) await recordEvent(ctx, tx, 'webhook.cleared', workspaceId, { webhookId: id, count });
}
