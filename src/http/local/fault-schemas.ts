import { z } from 'zod';
import { MAX_FAULTS } from '../../domain/fault-parse.ts';
import { SMTP_STAGES } from '../../domain/smtp-stage.ts';

// The schemas of docs/contract.md#faults: rules for failures on purpose.

export const FaultAction = z.object({
  reply: z
    .union([z.string(), z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() })])
    .optional(),
  delayMs: z.int().optional(),
  drop: z.literal(true).optional(),
});

/** A rule in the form of a request, with its counters. `remaining` is null if it has no limit. */
export const FaultResponse = z.object({
  stage: z.enum([...SMTP_STAGES, 'http']),
  match: z.record(z.string(), z.string()),
  action: FaultAction,
  times: z.int().nullable(),
  probability: z.number().meta({ type: 'number' }).nullable(),
  applied: z.int(),
  remaining: z.int().nullable(),
});

const stages = [...SMTP_STAGES, 'http'];

/** A rule as a request: it has `times` or `probability`, not both. */
export const FaultRequest = z.array(z.unknown()).meta({
  maxItems: MAX_FAULTS,
  items: {
    type: 'object',
    required: ['stage', 'action'],
    properties: {
      stage: { type: 'string', enum: stages },
      match: { type: 'object', additionalProperties: { type: 'string', maxLength: 1_000 } },
      action: {
        type: 'object',
        properties: {
          reply: {
            anyOf: [{ type: 'string', pattern: '^[2-5][0-9]{2}( |$)' }, { type: 'object' }],
            description: 'SMTP: a reply line. HTTP: status, headers and body',
          },
          delayMs: { type: 'integer', minimum: 0, maximum: 600_000 },
          drop: { type: 'boolean' },
        },
      },
      times: { type: ['integer', 'null'], minimum: 1 },
      probability: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    },
  },
});
