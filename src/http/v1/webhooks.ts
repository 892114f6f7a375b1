import { z } from 'zod';
import { createWebhook } from '../../actions/create-webhook.ts';
import { deleteWebhook } from '../../actions/delete-webhook.ts';
import { readForwardResponse, readHeaders, readWholeBody } from '../../actions/read-request.ts';
import { replayRequest } from '../../actions/replay-request.ts';
import { updateWebhook } from '../../actions/update-webhook.ts';
import { requestInScope, webhookInScope } from '../find.ts';
import { route } from '../route.ts';
import {
  toWebhookRequestView,
  UpsertWebhookDto,
  WebhookRequestPage,
  WebhookRequestView,
  WebhookView,
} from '../webhook-schemas.ts';
import { REQUEST_PAGE, requestPage, WEBHOOK_BODY_LIMIT, WEBHOOK_REFUSALS, webhookView } from '../webhook-view.ts';

// docs/api.md#webhooks

export const webhooks = [
  route('GET', '/v1/webhooks', {
    id: 'listWebhooks',
    summary: 'List the interceptors',
    returns: { 200: z.array(WebhookView) },
    handle: async ({ ctx, workspace }) => {
      const read = await ctx.store.readNow();
      const list = await read.webhooks.list(workspace.id);
      return Promise.all(list.map((webhook) => webhookView(ctx, read, workspace, webhook)));
    },
  }),

  route('POST', '/v1/webhooks', {
    id: 'createWebhook',
    summary: 'Create an interceptor',
    example: { name: 'Payments', responseStatus: 202 },
    body: UpsertWebhookDto,
    bodyIsOptional: true,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 201: WebhookView },
    fails: [...WEBHOOK_REFUSALS, 'hook_limit_reached'],
    transact: async ({ ctx, tx, workspace, body }) =>
      webhookView(ctx, tx, workspace, await createWebhook(ctx, tx, workspace, body)),
  }),

  route('GET', '/v1/webhooks/:webhookId', {
    id: 'getWebhook',
    summary: 'Get an interceptor',
    find: webhookInScope,
    returns: { 200: WebhookView },
    handle: async ({ ctx, read, workspace, found }) => webhookView(ctx, read, workspace, found),
  }),

  route('PATCH', '/v1/webhooks/:webhookId', {
    id: 'updateWebhook',
    summary: 'Change the settings of an interceptor',
    description: 'A field that is left out or null stays as it is.',
    example: { responseStatus: 503 },
    find: webhookInScope,
    body: UpsertWebhookDto,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 200: WebhookView },
    fails: WEBHOOK_REFUSALS,
    transact: async ({ ctx, tx, workspace, found: webhook, body }) =>
      webhookView(ctx, tx, workspace, await updateWebhook(ctx, tx, { webhook, workspace }, body)),
  }),

  route('DELETE', '/v1/webhooks/:webhookId', {
    id: 'deleteWebhook',
    summary: 'Delete an interceptor with its captured requests',
    find: webhookInScope,
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await deleteWebhook(tx, found);
      return undefined;
    },
  }),

  route('GET', '/v1/webhooks/:webhookId/requests', {
    id: 'listWebhookRequests',
    summary: 'List captured requests, newest first',
    find: webhookInScope,
    query: REQUEST_PAGE,
    returns: { 200: WebhookRequestPage },
    handle: ({ ctx, found, query }) => requestPage(ctx, found, query),
  }),

  route('DELETE', '/v1/webhooks/:webhookId/requests', {
    id: 'clearWebhookRequests',
    summary: 'Delete the captured requests of an interceptor',
    find: webhookInScope,
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await tx.requests.removeAll(found.id);
      return undefined;
    },
  }),

  route('GET', '/v1/webhooks/requests/:requestId', {
    id: 'getCapturedRequest',
    summary: 'Get a captured request',
    find: requestInScope,
    returns: { 200: WebhookRequestView },
    handle: async ({ ctx, found }) => {
      const headers = await readHeaders(ctx, found);
      const body = await readWholeBody(ctx, found);
      return toWebhookRequestView(found, { headers, body, forwardResponse: await readForwardResponse(ctx, found) });
    },
  }),

  route('POST', '/v1/webhooks/requests/:requestId/replay', {
    id: 'replayWebhookRequest',
    summary: 'Forward a captured request again',
    find: requestInScope,
    returns: { 204: null },
    fails: ['invalid_forward'],
    perform: async ({ ctx, found }) => {
      await replayRequest(ctx, found);
      return undefined;
    },
  }),
];
