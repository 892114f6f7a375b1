import { z } from 'zod';
import { WebhookRequestSummary } from '../webhook-schemas.ts';

// Contract 5: a captured request as it came, and scripted answers.

export const RequestResponse = WebhookRequestSummary.extend({
  webhookId: z.string(),
  workspaceId: z.string(),
  query: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  hasBody: z.boolean(),
});

export const ScriptedResponses = z.array(
  z.union([
    z.object({ drop: z.literal(true), delayMs: z.int() }),
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string(), delayMs: z.int() }),
  ]),
);
