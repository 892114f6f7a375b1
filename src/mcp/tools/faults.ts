import { z } from 'zod';
import { findWebhook } from '../find-webhook.ts';
import { tool } from '../tool.ts';

const STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end', 'http'] as const;

export const setFaults = tool('set_faults', {
  description: 'Make the server fail on purpose. Replaces all rules; [] ends it.',
  cap: 'faults',
  input: z.object({
    rules: z.array(
      z.object({
        stage: z.enum(STAGES),
        match: z.record(z.string(), z.string()).optional().describe('globs by name, as {"to": "*@x.test"}'),
        reply: z.string().optional().describe('SMTP reply, as 451 4.7.1 later'),
        status: z.int().optional().describe('for http'),
        delay_ms: z.int().optional(),
        drop: z.boolean().optional(),
        times: z.int().optional(),
      }),
    ),
  }),
  output: z.object({ rules: z.int() }),
  run: async ({ desk, signal }, { rules }) => {
    const client = await desk.client();
    const set = await client.local.setFaults(
      rules.map(({ stage, match, reply, status, delay_ms: delayMs, drop, times }) => ({
        stage,
        match,
        times,
        action: { reply: status === undefined ? reply : { status }, delayMs, drop: drop === true ? true : undefined },
      })),
      { signal },
    );
    return { rules: set.length };
  },
});

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
