import { z } from 'zod';
import { createWebhook } from '../../actions/create-webhook.ts';
import { deleteWebhook } from '../../actions/delete-webhook.ts';
import { replayRequest } from '../../actions/replay-request.ts';
import { updateWebhook } from '../../actions/update-webhook.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { Reader } from '../../ports/store.ts';
import { anyRequest, anyWebhook, anyWorkspace } from '../find.ts';
import { localRoute } from '../route.ts';
import { UpsertWebhookDto, WebhookRequestPage } from '../webhook-schemas.ts';
import { REQUEST_PAGE, requestPage, WEBHOOK_BODY_LIMIT, WEBHOOK_REFUSALS, webhookView } from '../webhook-view.ts';
import { WebhookOverview } from './webhook-schemas.ts';

// This module implements docs/api.md#the-local-api: the interceptors of all workspaces, for clients that have no API
// key of each workspace.

export const interceptors = [
  localRoute('GET', '/_mailcap/webhooks', {
    id: 'listAllWebhooks',
    summary: 'List the interceptors of all workspaces',
    returns: { 200: z.array(WebhookOverview) },
    handle: async ({ ctx }) => {
      const read = await ctx.store.readNow();
      const workspaces = await read.workspaces.list();
      const lists = workspaces.map(async (workspace) => {
        const webhooks = await read.webhooks.list(workspace.id);
        return Promise.all(webhooks.map((webhook) => overview(ctx, read, workspace, webhook)));
      });
      return (await Promise.all(lists)).flat();
    },
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/webhooks', {
    id: 'createWebhookIn',
    summary: 'Create an interceptor in a workspace',
    example: { name: 'Payments', responseStatus: 200 },
    find: anyWorkspace,
    body: UpsertWebhookDto,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 201: WebhookOverview },
    fails: [...WEBHOOK_REFUSALS, 'hook_limit_reached'],
    transact: async ({ ctx, tx, found, body }) => overview(ctx, tx, found, await createWebhook(ctx, tx, found, body)),
  }),

  localRoute('GET', '/_mailcap/webhooks/:id', {
    id: 'getWebhookOf',
    summary: 'Get an interceptor with its counts',
    find: anyWebhook,
    returns: { 200: WebhookOverview },
    handle: async ({ ctx, found }) => {
      const read = await ctx.store.readNow();
      return overview(ctx, read, await workspaceOf(read, found), found);
    },
  }),

  localRoute('PATCH', '/_mailcap/webhooks/:id', {
    id: 'updateWebhookOf',
    summary: 'Change the answer and the forwarding of an interceptor',
    example: { responseStatus: 503 },
    find: anyWebhook,
    body: UpsertWebhookDto,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 200: WebhookOverview },
    fails: WEBHOOK_REFUSALS,
    transact: async ({ ctx, tx, found: webhook, body }) => {
      const workspace = await workspaceOf(tx, webhook);
      return overview(ctx, tx, workspace, await updateWebhook(ctx, tx, { webhook, workspace }, body));
    },
  }),

  localRoute('DELETE', '/_mailcap/webhooks/:id', {
    id: 'deleteWebhookOf',
    summary: 'Delete an interceptor with its captured requests',
    find: anyWebhook,
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await deleteWebhook(tx, found);
      return undefined;
    },
  }),

  localRoute('GET', '/_mailcap/webhooks/:id/requests', {
    id: 'listRequestsOf',
    summary: 'List the captured requests of an interceptor, newest first',
    find: anyWebhook,
    query: REQUEST_PAGE,
    returns: { 200: WebhookRequestPage },
    handle: ({ ctx, found, query }) => requestPage(ctx, found, query),
  }),

  localRoute('DELETE', '/_mailcap/webhooks/:id/requests', {
    id: 'clearRequestsOf',
    summary: 'Delete the captured requests of an interceptor',
    find: anyWebhook,
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await tx.requests.removeAll(found.id);
      return undefined;
    },
  }),

  localRoute('POST', '/_mailcap/webhooks/requests/:id/replay', {
    id: 'replayRequestOf',
    summary: 'Forward a captured request again, once',
    find: anyRequest,
    returns: { 204: null },
    fails: ['invalid_forward'],
    perform: async ({ ctx, found }) => {
      await replayRequest(ctx, found);
      return undefined;
    },
  }),
];

async function workspaceOf(reader: Reader, { workspaceId }: Webhook): Promise<Workspace> {
  const workspace = await reader.workspaces.get(workspaceId);
  if (workspace === null) throw refuse('not_found');
  return workspace;
}

async function overview(
  ctx: Context,
  reader: Reader,
  workspace: Workspace,
  webhook: Webhook,
): Promise<z.infer<typeof WebhookOverview>> {
  const base = ctx.runtime.ready?.webhookBaseUrl ?? '';
  const [view, capturedBytes, trimmed] = await Promise.all([
    webhookView(ctx, reader, workspace, webhook),
    reader.requests.heldBytes(webhook.id),
    reader.requests.trimmed(webhook.id),
  ]);
  return { ...view, url: `${base}/${webhook.key}`, capturedBytes, trimmed };
}
