import type { Context } from '../context.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Reader } from '../ports/store.ts';
import { toWebhookView, type WebhookView } from './webhook-schemas.ts';

// What both APIs say of an interceptor.

/** What its settings can be refused with. */
export const WEBHOOK_REFUSALS: readonly ErrorCode[] = [
  'invalid_name',
  'invalid_response_status',
  'invalid_response_content_type',
  'invalid_response_body',
  'invalid_forward_mode',
  'invalid_forward_url',
  'invalid_retention',
];

/** Room for a responseBody of 1 MiB as JSON, where each quote and line break is two bytes. */
export const WEBHOOK_BODY_LIMIT = 2 * 1024 * 1024;

/** An interceptor with its figures as they are now. */
export async function webhookView(
  ctx: Context,
  reader: Reader,
  workspace: Workspace,
  webhook: Webhook,
): Promise<WebhookView> {
  return toWebhookView(webhook, {
    maxRetentionDays: ctx.plans[workspace.plan].retentionMaxDays,
    requestCount: await reader.requests.count(webhook.id, ctx.clock.now()),
    lastRequestAt: await reader.webhooks.lastRequestAt(webhook.id),
  });
}
