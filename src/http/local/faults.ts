import { z } from 'zod';
import { addFault, removeFault, replaceFaults } from '../../actions/set-faults.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { type CountedFault, type FaultRule, remaining } from '../../domain/fault.ts';
import { type FaultId, parseUlid } from '../../domain/ids.ts';
import { localRoute } from '../route.ts';
import { type FaultAction, FaultRequest, FaultResponse, FaultsRequest } from './fault-schemas.ts';

// This module implements docs/faults.md: failures on purpose, by SMTP and by HTTP.

function toFaultResponse(fault: CountedFault): z.infer<typeof FaultResponse> {
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

function toFaultAction({ reply, delayMs, drop }: FaultRule['action']): z.infer<typeof FaultAction> {
  const written = reply !== null && 'code' in reply ? `${reply.code} ${reply.text}`.trimEnd() : reply;
  return {
    ...(written !== null && { reply: typeof written === 'string' ? written : { ...written } }),
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
    find: async ({ params }) => parseUlid<FaultId>(params['id'] ?? ''),
    returns: { 200: FaultResponse },
    fails: ['not_found'],
    handle: async ({ ctx, found: id }) => {
      const removed = id === null ? null : await removeFault(ctx, id);
      if (removed === null) throw refuse('not_found');
      return toFaultResponse(removed);
    },
  }),
];

async function written({ faults }: Context): Promise<z.infer<typeof FaultResponse>[]> {
  return (await faults.list()).map(toFaultResponse);
}
