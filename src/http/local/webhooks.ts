import type { z } from 'zod';
import { awaitRequest } from '../../actions/await-request.ts';
import { readForwardResponse, readHeaders, streamBody } from '../../actions/read-request.ts';
import type { CapturedRequest } from '../../domain/captured-request.ts';
import { attachmentDisposition, mediaTypeOr } from '../../domain/content.ts';
import type { Headers } from '../../domain/forwarding.ts';
import { utf8OrLatin1 } from '../../domain/header-text.ts';
import type { CapturedRequestId } from '../../domain/ids.ts';
import { parseScriptedResponses } from '../../domain/scripted-response.ts';
import { writeTime } from '../../domain/time.ts';
import type { ScriptedResponse } from '../../domain/webhook.ts';
import { checkTimePassed } from '../admit.ts';
import { Download, HARMLESS } from '../answer.ts';
import { anyRequest, anyWebhook } from '../find.ts';
import { ulid, whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { toWebhookRequestSummary, WebhookRequestSummary } from '../webhook-schemas.ts';
import { holdAwait } from './waits.ts';
import { RequestResponse, ScriptedRequest, ScriptedResponses } from './webhook-schemas.ts';

// This module implements docs/webhooks.md#exact-bytes: the exact bytes of a captured request, and scripted
// answers.

function toRequestResponse(
  request: CapturedRequest,
  headers: Headers,
  forwardResponse: string | null,
): z.infer<typeof RequestResponse> {
  return {
    ...toWebhookRequestSummary(request),
    webhookId: request.webhookId,
    workspaceId: request.workspaceId,
    query: request.query,
    headers: headers.map(([name, value]) => [name, utf8OrLatin1(value)]),
    hasBody: request.body !== null,
    forwardAttempts: request.forwardAttempts,
    forwardedAt: request.forwardedAt === null ? null : writeTime(request.forwardedAt),
    forwardError: request.forwardError,
    forwardResponse,
  };
}

function toScriptedResponses(responses: readonly ScriptedResponse[]): z.infer<typeof ScriptedResponses> {
  return responses.map((response) =>
    'drop' in response ? response : { ...response, headers: { ...response.headers } },
  );
}

export const localWebhooks = [
  localRoute('GET', '/_mailcap/webhooks/requests/:id', {
    id: 'getRequestAsSent',
    summary: 'Get a captured request with its headers in order',
    find: anyRequest,
    returns: { 200: RequestResponse },
    handle: async ({ ctx, found }) =>
      toRequestResponse(found, await readHeaders(ctx, found), await readForwardResponse(ctx, found)),
  }),

  localRoute('GET', '/_mailcap/webhooks/requests/:id/body', {
    id: 'getRequestBody',
    summary: 'Get a captured body’s exact bytes',
    find: anyRequest,
    returns: { 200: 'bytes' },
    handle: async ({ ctx, found }) => {
      const headers = {
        ...HARMLESS,
        'Content-Type': mediaTypeOr(found.contentType, 'application/octet-stream'),
        'Content-Disposition': attachmentDisposition(found.id),
      };
      return new Download(headers, found.sizeBytes, () => streamBody(ctx, found));
    },
  }),

  // An addition to docs/api.md#webhooks: a client can wait for a request and does not have to poll.
  localRoute('GET', '/_mailcap/webhooks/:id/requests/await', {
    id: 'awaitRequest',
    summary: 'Wait for a captured request',
    description: 'Holds the call until a request is captured. 204: none came in time.',
    find: anyWebhook,
    query: {
      after: ulid<CapturedRequestId>('invalid_after'),
      timeout: whole(1, 60, 30, 'invalid_timeout'),
    },
    returns: { 200: WebhookRequestSummary, 204: null },
    handle: async ({ ctx, found, query, exchange }) => {
      const timeoutMs = query.timeout * 1_000;
      const { id: webhookId, workspaceId } = found;
      const request = await holdAwait(
        ctx,
        { kind: 'request', workspaceId, mailboxId: null, webhookId },
        { filters: { after: query.after }, timeoutMs },
        () => awaitRequest(ctx, found, { after: query.after, timeoutMs, ending: exchange }),
      );
      if (request === null) checkTimePassed(exchange);
      return request === null ? undefined : toWebhookRequestSummary(request);
    },
  }),

  localRoute('GET', '/_mailcap/webhooks/:id/responses', {
    id: 'getResponses',
    summary: 'Get the scripted answers that are left',
    find: anyWebhook,
    returns: { 200: ScriptedResponses },
    handle: async ({ ctx, found }) => toScriptedResponses(await ctx.store.read.webhooks.responses(found.id)),
  }),

  localRoute('PUT', '/_mailcap/webhooks/:id/responses', {
    id: 'setResponses',
    summary: 'Set the answers to the next requests, one for each',
    example: [{ status: 500 }, { drop: true }],
    find: anyWebhook,
    body: ScriptedRequest,
    returns: { 200: ScriptedResponses },
    fails: ['invalid_responses'],
    transact: async ({ tx, found, body }) => {
      const responses = parseScriptedResponses(body);
      await tx.webhooks.setResponses(found.id, responses);
      return toScriptedResponses(responses);
    },
  }),
];
