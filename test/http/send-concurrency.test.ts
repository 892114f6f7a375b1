import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { startServer } from '../support/mailcap.ts';
import { at } from '../support/moment.ts';
import { propertyRuns } from '../support/night.ts';
import { post } from '../support/outbound.ts';
import { addWorkspace, outcome } from './support.ts';

/** Requests with the same key are retries of each other. */
const wishes = fc.array(
  fc.record({ emails: fc.integer({ min: 1, max: 12 }), key: fc.option(fc.integer({ min: 0, max: 4 })) }),
  { minLength: 1, maxLength: 24 },
);

test('sends that come together never overdraw the wallet, never exceed the day’s limit, never send twice', async () => {
  const limit = 60;
  await using server = await startServer({
    limits: 'cloud',
    plans: { business: { outboundPerDay: limit } },
    // This test does not concern the rate limiter.
    overrides: {
      limiter: {
        hit: async () => ({ allowed: true, limit: 1, remaining: 1, resetSeconds: 1 }),
        reset: async () => {},
      },
    },
  });
  const { read } = server.ctx.store;
  await fc.assert(
    fc.asyncProperty(wishes, fc.integer({ min: 0, max: 4 }), async (all, walletCents) => {
      const { id, headers } = await addWorkspace(server, { plan: 'business', walletCents });
      const workspaceId = id as Mailbox['workspaceId']; // the API returned this id
      const mailbox = await server.addMailbox({ workspaceId });
      const answers = await Promise.all(
        all.map(async ({ emails, key }) => {
          const to = Array.from({ length: emails }, (_, i) => `success+${i}@simulator.mailcap.example.com`).join(', ');
          const once: Record<string, string> = key === null ? {} : { 'idempotency-key': `k${key}` };
          return outcome(post(server, mailbox.id, { to }, { headers: { ...headers, ...once } }));
        }),
      );
      const accepted = new Map(
        answers.flatMap(({ status, body }) => {
          const send = body as { outboundSendId: string; messageId: string };
          return status === 202 ? [[send.outboundSendId, send.messageId] as const] : [];
        }),
      );
      const sends = await read.sends.list({ workspaceId, limit: 200 });
      const emails = sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
      const wallet = (await read.workspaces.get(workspaceId))?.walletMillicents ?? Number.NaN;

      expect(new Map(sends.map((send) => [send.id as string, send.messageId as string]))).toEqual(accepted);
      expect(wallet).toBe(walletCents * 1_000 - emails * 50);
      expect(wallet).toBeGreaterThanOrEqual(0);
      expect(await read.workspaces.outboundUsed(workspaceId, server.ctx.clock.now())).toBe(emails);
      expect(emails).toBeLessThanOrEqual(limit);
      expect(await read.messages.count(mailbox.id, at(server.ctx.clock.now()))).toBe(sends.length);
      for (const key of new Set(all.flatMap((wish) => (wish.key === null ? [] : [wish.key])))) {
        // A 429 is not stored, so a retry can succeed.
        const said = answers.filter((answer, i) => all[i]?.key === key && answer.status !== 429);
        expect(new Set(said.map((answer) => JSON.stringify(answer))).size).toBeLessThanOrEqual(1);
      }
      expect(new Set(answers.map(({ status }) => status))).toEqual(
        new Set(answers.map(({ status }) => status).filter((status) => [202, 402, 429].includes(status))),
      );
    }),
    { numRuns: propertyRuns(40, 15) },
  );
});
