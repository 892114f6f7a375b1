import { z } from 'zod';
import type { Context } from '../../context.ts';
import { type CountedFault, type FaultRule, remaining } from '../../domain/fault.ts';
import { checkMailboxes, parseFaults } from '../../domain/fault-parse.ts';
import { localRoute } from '../route.ts';
import { type FaultAction, FaultRequest, FaultResponse } from './fault-schemas.ts';

// This module implements docs/contract.md#faults: failures on purpose, by SMTP and by HTTP.

function toFaultResponse(fault: CountedFault): z.infer<typeof FaultResponse> {
  const { stage, globs, mailboxId, action, times, probability } = fault.rule;
  const match = Object.fromEntries(Object.entries(globs).map(([key, { pattern }]) => [key, pattern]));
  return {
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
    summary: 'Replace the fault rules',
    example: [{ stage: 'rcpt', match: { to: '*@slow.*' }, action: { reply: '451 4.7.1 try later' }, times: 2 }],
    body: FaultRequest,
    returns: { 200: z.array(FaultResponse) },
    fails: ['invalid_body', 'invalid_faults'],
    handle: async ({ ctx, body }) => {
      const rules = parseFaults(body);
      await checkMailboxes(rules, async (id) => (await ctx.store.read.mailboxes.get(id)) !== null);
      await ctx.faults.set(rules);
      return written(ctx);
    },
  }),
];

async function written({ faults }: Context): Promise<z.infer<typeof FaultResponse>[]> {
  return (await faults.list()).map(toFaultResponse);
}
