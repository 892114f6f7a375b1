import { z } from 'zod';
import { getRequestPreviews, readForwardResponse, readHeaders, streamBody } from '../../actions/captures.ts';
import { awaitRequest } from '../../actions/waits.ts';
import { createWebhook } from '../../actions/webhooks.ts';
import type { Context } from '../../context.ts';
import { utf8OrLatin1 } from '../../domain/content.ts';
import type { CapturedRequestId } from '../../domain/ids.ts';
import { parseScriptedResponses, type Webhook } from '../../domain/webhook.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { Reader } from '../../ports/store.ts';
import { type AnswerOf, answerWriter, nullable, time } from '../answers.ts';
import { checkTimePassed, Download, fileHeaders } from '../exchange.ts';
import { anyRequest, anyWebhook, anyWorkspace, localRoute, someIds, ulid, whole } from '../route.ts';
import { holdAwait } from '../waits.ts';
import {
  toldOf,
  toWebhookRequestSummary,
  UpsertWebhookDto,
  WEBHOOK_BODY_LIMIT,
  WEBHOOK_REFUSALS,
  WebhookRequestSummary,
  WebhookView,
  webhookRoutes,
  webhookView,
} from '../webhooks.ts';

// The schemas of docs/webhooks.md#exact-bytes: a captured request as it came, and scripted answers.

export const RequestResponse = WebhookRequestSummary.extend({
  webhookId: z.string(),
  workspaceId: z.string(),
  query: nullable,
  headers: z.array(z.tuple([z.string(), z.string()])),
  hasBody: z.boolean(),
  forwardAttempts: z.int(),
  forwardedAt: time.nullable(),
  forwardError: nullable,
  forwardResponse: nullable.describe('The first 64 KiB of the answer'),
});

/** A webhook in a list over all workspaces. */
export const WebhookOverview = WebhookView.extend({
  url: z.string().describe('The webhook URL'),
  capturedBytes: z.int().describe('The bytes that its requests count against captureQuota'),
  trimmed: z
    .object({ count: z.int(), upTo: z.string() })
    .nullable()
    .describe('The number of requests that a quota ever removed, and the newest of them. Null if none'),
});

const answerFields = {
  drop: { type: 'boolean', description: 'true: the connection is closed without an answer' },
  status: { type: 'integer', format: 'int32', minimum: 200, maximum: 599 },
  headers: { type: 'object', additionalProperties: { type: 'string' } },
  body: { type: 'string' },
  delayMs: { type: 'integer', format: 'int32', minimum: 0, maximum: 60_000 },
};

/** A scripted answer. The document describes both kinds as one object, because many generators read no choice. */
export const ScriptedAnswer = z
  .union([
    z.object({ drop: z.literal(true), delayMs: z.int() }),
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string(), delayMs: z.int() }),
  ])
  .meta({
    anyOf: undefined,
    type: 'object',
    properties: answerFields,
    required: ['delayMs'],
    description: 'With drop, there is no status, headers and body',
  });

export const ScriptedResponses = z.array(ScriptedAnswer);

/** The scripted answers of a request. Defaults of an answer: status 200, no headers, no body, no delay. */
export const ScriptedRequest = z.unknown().meta({
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    properties: {
      drop: { ...answerFields.drop, default: false },
      status: { ...answerFields.status, default: 200 },
      headers: { type: 'object', maxProperties: 100, additionalProperties: { type: 'string', maxLength: 4_096 } },
      body: { type: 'string', maxLength: 1_048_576, default: '' },
      delayMs: { ...answerFields.delayMs, default: 0 },
    },
  },
});

// This module implements docs/api.md#the-local-api: the webhooks of all workspaces, for clients that have no API
// key of each workspace.

const { ofWebhook, replay } = webhookRoutes(localRoute, {
  paths: { webhook: '/_mailcap/webhooks/:id', request: '/_mailcap/webhooks/requests/:id' },
  ids: {
    get: 'getWebhookOf',
    update: 'updateWebhookOf',
    remove: 'deleteWebhookOf',
    listRequests: 'listRequestsOf',
    clearRequests: 'clearRequestsOf',
    replay: 'replayRequestOf',
  },
  resolveWebhook: anyWebhook,
  resolveRequest: anyRequest,
  view: WebhookOverview,
  toView: overview,
});

export const webhooksOfAll = [
  localRoute('GET', '/_mailcap/webhooks', {
    id: 'listAllWebhooks',
    summary: 'List the webhooks of all workspaces',
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
    summary: 'Create a webhook in a workspace',
    example: { name: 'Payments', responseStatus: 200 },
    resolve: anyWorkspace,
    body: UpsertWebhookDto,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 201: WebhookOverview },
    fails: [...WEBHOOK_REFUSALS, 'hook_limit_reached'],
    transact: async ({ ctx, tx, found, body }) => overview(ctx, tx, found, await createWebhook(ctx, tx, found, body)),
  }),

  ...ofWebhook,

  replay,
];

async function overview(
  ctx: Context,
  reader: Reader,
  workspace: Workspace,
  webhook: Webhook,
): Promise<AnswerOf<typeof WebhookOverview>> {
  const base = ctx.runtime.ready?.webhookBaseUrl ?? '';
  const [view, capturedBytes, trimmed] = await Promise.all([
    webhookView(ctx, reader, workspace, webhook),
    reader.requests.heldBytes(webhook.id),
    reader.requests.trimmed(webhook.id),
  ]);
  return { ...view, url: `${base}/${webhook.key}`, capturedBytes, trimmed };
}

// This module implements docs/webhooks.md#exact-bytes: the exact bytes of a captured request, and scripted
// answers.

const writeRequest = answerWriter(RequestResponse);

/** What a list of captured requests tells besides their summaries. */
export const RequestPreviewResponse = z.object({
  id: z.string(),
  event: nullable.describe('The event that it tells, such as charge.refunded'),
  about: nullable.describe('The thing that the event concerns'),
});

export const localWebhooks = [
  // This route comes before that of a request id, which would match `previews`.
  localRoute('GET', '/_mailcap/webhooks/requests/previews', {
    id: 'getRequestPreviews',
    summary: 'Get the events that captured requests tell',
    description: 'For lists of requests. Ids of requests that do not exist are left out.',
    query: { ids: someIds<CapturedRequestId>() },
    returns: { 200: z.array(RequestPreviewResponse) },
    handle: async ({ ctx, query }) => getRequestPreviews(ctx, query.ids),
  }),

  localRoute('GET', '/_mailcap/webhooks/requests/:id', {
    id: 'getRequestAsSent',
    summary: 'Get a captured request with its headers in order',
    resolve: anyRequest,
    returns: { 200: RequestResponse },
    handle: async ({ ctx, found }) =>
      writeRequest({
        ...found,
        ...toldOf(found),
        headers: (await readHeaders(ctx, found)).map(([name, value]) => [name, utf8OrLatin1(value)]),
        hasBody: found.body !== null,
        forwardResponse: await readForwardResponse(ctx, found),
      }),
  }),

  localRoute('GET', '/_mailcap/webhooks/requests/:id/body', {
    id: 'getRequestBody',
    summary: 'Get a captured body’s exact bytes',
    resolve: anyRequest,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) =>
      new Download(fileHeaders(found.contentType, found.id), found.sizeBytes, () => streamBody(ctx, found)),
  }),

  // An addition to docs/api.md#webhooks: a client can wait for a request and does not have to poll.
  localRoute('GET', '/_mailcap/webhooks/:id/requests/await', {
    id: 'awaitRequest',
    summary: 'Wait for a captured request',
    description: 'Holds the call until a request is captured. 204: none came in time.',
    resolve: anyWebhook,
    query: {
      after: ulid<CapturedRequestId>('invalid_after', 'Only a request that is newer than this one'),
      timeout: whole(1, 60, 30, 'invalid_timeout', 'Seconds to wait'),
    },
    returns: { 200: WebhookRequestSummary, 204: null },
    handle: async ({ ctx, found, query, exchange }) => {
      const timeoutMs = query.timeout * 1_000;
      const { id: webhookId, workspaceId } = found;
      const request = await holdAwait(
        ctx,
        { kind: 'request', workspaceId, mailboxId: null, webhookId },
        { filters: { after: query.after }, timeoutMs },
        () => awaitRequest(ctx, found, { after: query.after, timeoutMs, cancelSignal: exchange }),
      );
      if (request === null) checkTimePassed(exchange);
      return request === null ? undefined : toWebhookRequestSummary(request);
    },
  }),

  localRoute('GET', '/_mailcap/webhooks/:id/responses', {
    id: 'getResponses',
    summary: 'Get the scripted answers that are left',
    resolve: anyWebhook,
    returns: { 200: ScriptedResponses },
    handle: async ({ ctx, found }) => ctx.store.read.webhooks.responses(found.id),
  }),

  localRoute('PUT', '/_mailcap/webhooks/:id/responses', {
    id: 'setResponses',
    summary: 'Set the answers to the next requests, one for each',
    example: [{ status: 500 }, { drop: true }],
    resolve: anyWebhook,
    body: ScriptedRequest,
    returns: { 200: ScriptedResponses },
    fails: ['invalid_responses'],
    transact: async ({ tx, found, body }) => {
      const responses = parseScriptedResponses(body);
      await tx.webhooks.setResponses(found.id, responses);
      return responses;
    },
  }),
];
