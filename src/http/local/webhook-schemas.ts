import { z } from 'zod';
import { WebhookRequestSummary, WebhookView } from '../webhook-schemas.ts';

// The schemas of docs/webhooks.md#exact-bytes: a captured request as it came, and scripted answers.

export const RequestResponse = WebhookRequestSummary.extend({
  webhookId: z.string(),
  workspaceId: z.string(),
  query: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  hasBody: z.boolean(),
  forwardAttempts: z.int(),
  forwardedAt: z.iso.datetime({ offset: true }).nullable(),
  forwardError: z.string().nullable(),
  forwardResponse: z.string().nullable().describe('The first 64 KiB of the answer'),
});

/** An interceptor in a list over all workspaces. */
export const WebhookOverview = WebhookView.extend({
  url: z.string().describe('The capture URL'),
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
