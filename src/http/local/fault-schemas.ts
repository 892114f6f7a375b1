import { z } from 'zod';
import { MAX_FAULTS } from '../../domain/fault-parse.ts';
import { SMTP_STAGES } from '../../domain/smtp-stage.ts';

// The schemas of docs/faults.md: rules for failures on purpose.

export const FaultAction = z.object({
  reply: z
    .union([z.string(), z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() })])
    .optional(),
  delayMs: z.int().optional(),
  drop: z.literal(true).optional(),
});

/** A rule in the form of a request, with its counters. `remaining` is null if it has no limit. */
export const FaultResponse = z.object({
  id: z.string().describe('Removes the rule. A rule that replaces all others gets a new one'),
  stage: z.enum([...SMTP_STAGES, 'http']),
  match: z.record(z.string(), z.string()),
  action: FaultAction,
  times: z.int().nullable(),
  probability: z.number().meta({ type: 'number' }).nullable(),
  applied: z.int(),
  remaining: z.int().nullable(),
});

const stages = [...SMTP_STAGES, 'http'];

const RULE = {
  type: 'object' as const,
  required: ['stage', 'action'],
  properties: {
    stage: { type: 'string' as const, enum: stages },
    match: { type: 'object' as const, additionalProperties: { type: 'string' as const, maxLength: 1_000 } },
    action: {
      type: 'object' as const,
      properties: {
        reply: {
          anyOf: [{ type: 'string' as const, pattern: '^[2-5][0-9]{2}( |$)' }, { type: 'object' as const }],
          description: 'SMTP: a reply line. HTTP: status, headers and body',
        },
        delayMs: { type: 'integer' as const, minimum: 0, maximum: 600_000 },
        drop: { type: 'boolean' as const },
      },
    },
    times: { type: ['integer', 'null'], minimum: 1 },
    probability: { type: ['number', 'null'], minimum: 0, maximum: 1 },
  },
};

/** A rule as a request: it has `times` or `probability`, not both. The parser of rules says what is wrong with one. */
export const FaultRequest = z.record(z.string(), z.unknown()).meta(RULE);

/** All rules, in their order. */
export const FaultsRequest = z.array(z.unknown()).meta({ maxItems: MAX_FAULTS, items: RULE });
