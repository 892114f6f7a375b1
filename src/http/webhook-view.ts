import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import { momentNow } from '../ports/clock.ts';
import type { Reader } from '../ports/store.ts';
import { whole } from './query.ts';
import {
  toWebhookRequestSummary,
  toWebhookView,
  type WebhookRequestPage,
  type WebhookView,
} from './webhook-schemas.ts';

// This module builds the view of an interceptor that both APIs return.

/** The error codes of an interceptor's settings. */
export const WEBHOOK_REFUSALS: readonly ErrorCode[] = [
  'invalid_name',
  'invalid_response_status',
  'invalid_response_content_type',
  'invalid_response_body',
  'invalid_forward_mode',
  'invalid_forward_url',
  'invalid_retention',
];

/**
 * The largest body of a request, in bytes. It has room for a responseBody of 1 MiB, whose quotes and line breaks take two
 * bytes each in JSON.
 */
export const WEBHOOK_BODY_LIMIT = 2 * 1024 * 1024;

/** Returns an interceptor with its current figures. */
export async function webhookView(
  ctx: Context,
  reader: Reader,
  workspace: Workspace,
  webhook: Webhook,
): Promise<WebhookView> {
  return toWebhookView(webhook, {
    maxRetentionDays: ctx.plans[workspace.plan].retentionMaxDays,
    requestCount: await reader.requests.count(webhook.id, momentNow(ctx.clock)),
    lastRequestAt: await reader.webhooks.lastRequestAt(webhook.id),
  });
}

/** The query parameters of a page of captured requests. */
export const REQUEST_PAGE = {
  page: whole(1, 2 ** 31 - 1, 1, 'invalid_page', 'The number of the page, from 1'),
  pageSize: whole(1, 200, 50, 'invalid_page_size', 'The number of requests on a page'),
};

/** Returns a page of an interceptor's captured requests, newest first. */
export async function requestPage(
  { store, clock }: Context,
  webhook: Webhook,
  asked: { readonly page: number; readonly pageSize: number },
): Promise<z.infer<typeof WebhookRequestPage>> {
  const { requests } = store.read;
  const now = momentNow(clock);
  const items = (await requests.page(webhook.id, { ...asked, now })).map(toWebhookRequestSummary);
  const { page, pageSize } = asked;
  return { items, total: await requests.count(webhook.id, now), page, pageSize };
}
