import { z } from 'zod';
import { WebhookRequestSummary, WebhookView } from '../webhook-schemas.ts';

// The schemas of docs/contract.md#captured-requests-here: a captured request as it came, and scripted answers.

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

export const ScriptedResponses = z.array(
  z.union([
    z.object({ drop: z.literal(true), delayMs: z.int() }),
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string(), delayMs: z.int() }),
  ]),
);

const delayMs = { type: 'integer', minimum: 0, maximum: 60_000, default: 0 };

/** The scripted answers of a request. Defaults of an answer: status 200, no headers, no body, no delay. */
export const ScriptedRequest = z.unknown().meta({
  type: 'array',
  maxItems: 1_000,
  items: {
    anyOf: [
      { type: 'object', required: ['drop'], properties: { drop: { type: 'boolean', const: true }, delayMs } },
      {
        type: 'object',
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
          headers: { type: 'object', maxProperties: 100, additionalProperties: { type: 'string', maxLength: 4_096 } },
          body: { type: 'string', maxLength: 1_048_576, default: '' },
          delayMs,
        },
      },
    ],
  },
});
