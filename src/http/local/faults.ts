import { z } from 'zod';
import { addFault, removeFault, replaceFaults } from '../../actions/faults.ts';
import type { Context } from '../../context.ts';
import { there } from '../../domain/errors.ts';
import { type CountedFault, FAULT_STAGES, type FaultRule, MAX_FAULTS, remaining } from '../../domain/fault.ts';
import { type FaultId, parseUlid } from '../../domain/ids.ts';
import type { AnswerOf } from '../answers.ts';
import { localRoute } from '../route.ts';

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
  stage: z.enum(FAULT_STAGES),
  match: z.record(z.string(), z.string()),
  action: FaultAction,
  times: z.int().nullable(),
  probability: z.number().meta({ type: 'number' }).nullable(),
  applied: z.int(),
  remaining: z.int().nullable(),
});

const RULE = {
  type: 'object' as const,
  required: ['stage', 'action'],
  properties: {
    stage: { type: 'string' as const, enum: FAULT_STAGES },
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

// This module implements docs/faults.md: failures on purpose, by SMTP and by HTTP.

function toFaultResponse(fault: CountedFault): AnswerOf<typeof FaultResponse> {
  const { stage, globs, mailboxId, action, times, probability } = fault.rule;
  const match = Object.fromEntries(Object.entries(globs).map(([key, { pattern }]) => [key, pattern]));
  return {
    id: fault.id,
    stage,
    match: mailboxId === null ? match : { ...match, mailboxId },
    action: toFaultAction(action),
    times,
    probability,
    applied: fault.applied,
    remaining: remaining(fault),
  };
}

function toFaultAction({ reply, delayMs, drop }: FaultRule['action']): AnswerOf<typeof FaultAction> {
  const written = reply !== null && 'code' in reply ? `${reply.code} ${reply.text}`.trimEnd() : reply;
  return {
    ...(written !== null && { reply: written }),
    // An action without other fields shows its delay, even if it is 0.
    ...((delayMs > 0 || (reply === null && !drop)) && { delayMs }),
    ...(drop && { drop }),
  };
}

export const faults = [
  localRoute('GET', '/_mailcap/faults', {
    id: 'listFaults',
    summary: 'List the fault rules with their counters',
    returns: { 200: z.array(FaultResponse) },
    handle: async ({ ctx }) => written(ctx),
  }),

  localRoute('PUT', '/_mailcap/faults', {
    id: 'setFaults',
    summary: 'Replace all fault rules, those of others too',
    example: [{ stage: 'rcpt', match: { to: '*@slow.*' }, action: { reply: '451 4.7.1 try later' }, times: 2 }],
    body: FaultsRequest,
    returns: { 200: z.array(FaultResponse) },
    fails: ['invalid_body', 'invalid_faults'],
    handle: async ({ ctx, body }) => {
      await replaceFaults(ctx, body);
      return written(ctx);
    },
  }),

  localRoute('POST', '/_mailcap/faults', {
    id: 'addFault',
    summary: 'Add a fault rule after the others',
    example: { stage: 'rcpt', match: { to: '*@slow.*' }, action: { reply: '451 4.7.1 try later' }, times: 2 },
    body: FaultRequest,
    returns: { 201: FaultResponse },
    fails: ['invalid_body', 'invalid_faults'],
    handle: async ({ ctx, body }) => toFaultResponse(await addFault(ctx, body)),
  }),

  localRoute('DELETE', '/_mailcap/faults/:id', {
    id: 'removeFault',
    summary: 'Remove a fault rule',
    description: 'Answers with the rule and how often it was applied. The other rules and their counts stay.',
    resolve: async ({ params }) => parseUlid<FaultId>(params['id'] ?? ''),
    returns: { 200: FaultResponse },
    fails: ['not_found'],
    handle: async ({ ctx, found: id }) => toFaultResponse(there(id === null ? null : await removeFault(ctx, id))),
  }),
];

async function written({ faults }: Context): Promise<readonly AnswerOf<typeof FaultResponse>[]> {
  return (await faults.list()).map(toFaultResponse);
}
