import { z } from 'zod';
import { type FaultRule, RefusedError } from '../../client/index.ts';
import { findWebhook } from '../find-webhook.ts';
import { tool } from '../tool.ts';

const STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end', 'http'] as const;

const RULE = z.object({
  stage: z.enum(STAGES),
  match: z.record(z.string(), z.string()).optional().describe('globs by name, as {"to": "*@x.test"}'),
  reply: z.string().optional().describe('SMTP reply, as 451 4.7.1 later'),
  status: z.int().optional().describe('for http'),
  delay_ms: z.int().optional(),
  drop: z.boolean().optional(),
  times: z.int().optional(),
});
type GivenRule = z.infer<typeof RULE>;

export const addFaults = tool('add_faults', {
  description: 'Make the server fail on purpose, until remove_faults.',
  cap: 'faults',
  input: z.object({
    rules: z.array(RULE),
  }),
  output: z.object({ ids: z.array(z.string()) }),
  run: async ({ desk, signal }, { rules }) => {
    const client = await desk.client();
    const ids: string[] = [];
    try {
      for (const rule of rules) ids.push((await client.local.addFault(faultOf(rule), { signal })).id);
    } catch (error) {
      // The call adds all of its rules or none. Another agent may meanwhile remove all, so a missing rule is no error.
      await Promise.allSettled(ids.map((id) => client.local.removeFault(id)));
      throw error;
    }
    return { ids };
  },
});

function faultOf({ stage, match, reply, status, delay_ms: delayMs, drop, times }: GivenRule): FaultRule {
  return {
    stage,
    match,
    times,
    action: { reply: status === undefined ? reply : { status }, delayMs, drop: drop === true ? true : undefined },
  };
}

export const removeFaults = tool('remove_faults', {
  description: 'Remove fault rules by id; without ids all, those of others too.',
  cap: 'faults',
  input: z.object({ ids: z.array(z.string()).optional() }),
  output: z.object({ removed: z.int() }),
  run: async ({ desk, signal }, { ids }) => {
    const client = await desk.client();
    if (ids === undefined) {
      const { length } = await client.local.getFaults({ signal });
      await client.local.setFaults([], { signal });
      return { removed: length };
    }
    const outcomes = await Promise.all(
      ids.map((id) => client.local.removeFault(id, { signal }).then(() => true, notThere)),
    );
    return { removed: outcomes.filter(Boolean).length };
  },
});

/** Takes a rule that is gone already as not removed. */
function notThere(error: unknown): false {
  if (error instanceof RefusedError && error.code === 'not_found') return false;
  throw error;
}

export const scriptAnswers = tool('script_answers', {
  description: 'Set the answers to the next requests to a capture URL, one each.',
  cap: 'faults',
  input: z.object({
    webhook: z.string().describe('id, name or URL'),
    answers: z.array(
      z.object({
        status: z.int().optional(),
        body: z.string().optional(),
        delay_ms: z.int().optional(),
        drop: z.boolean().optional(),
      }),
    ),
  }),
  output: z.object({ answers: z.int() }),
  run: async ({ desk, signal }, { webhook, answers }) => {
    const client = await desk.client();
    const { id } = await findWebhook(client, webhook, { signal });
    const set = await client.local.setResponses(
      id,
      answers.map(({ delay_ms: delayMs, drop, ...rest }) => ({
        ...rest,
        delayMs,
        drop: drop === true ? true : undefined,
      })),
      { signal },
    );
    return { answers: set.length };
  },
});
