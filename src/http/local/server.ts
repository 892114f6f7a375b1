import { reset } from '../../actions/reset.ts';
import { storeName } from '../../config/store-name.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { localRoute } from '../route.ts';
import { HealthResponse, InfoResponse } from './schemas.ts';

// This module implements docs/api.md#workspaces-and-keys: health, addresses and the reset.

export const server = [
  localRoute('GET', '/_mailcap/health', {
    id: 'getHealth',
    summary: 'Check the health of the server',
    description: 'A 503 gives the reason in status. It needs no key, and it answers until the server has stopped.',
    isOpen: true,
    returns: { 200: HealthResponse },
    fails: ['starting', 'shutting_down', 'disk_full', 'storage_unavailable'],
    handle: async ({ ctx: { runtime, store, cluster, metrics } }) => {
      const { phase, isDraining, version } = runtime;
      // A server that does not share its store has no number.
      const who = { version, ...(cluster.server === null ? {} : { server: cluster.server }) };
      if (phase === 'stopping' || isDraining) throw refuse('shutting_down', { status: 'stopping', ...who });
      if (phase === 'starting') throw refuse('starting', { status: 'starting', ...who });
      const { health: status } = store;
      // A health problem is reported with the code that a write would get.
      if (status !== 'ok') throw refuse(status === 'disk_full' ? status : 'storage_unavailable', { status, ...who });
      const { trimmed, refused } = metrics.captures;
      return { status, ...who, ...(trimmed + refused > 0 && { captures: { trimmed, refused } }) };
    },
  }),

  localRoute('GET', '/_mailcap/info', {
    id: 'getInfo',
    summary: 'Get the addresses, version, plan and counts of the server',
    returns: { 200: InfoResponse },
    fails: ['starting'],
    handle: async ({ ctx }) => {
      const { ready, version } = ctx.runtime;
      if (ready === null) throw refuse('starting');
      // Each field is copied by name, so that secrets of `ready`, above all the API key, are never part of the answer.
      const { url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain } = ready;
      const { workspaceId, mailboxId, smtpsUrl, smtpCa } = ready;
      const seeded = (await ctx.store.read.workspaces.list()).find((workspace) => workspace.seeded);
      return {
        ...{ version, url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain },
        ...{ workspaceId, mailboxId, smtpsUrl, smtpCa },
        plan: seeded?.plan ?? ctx.config.plan,
        limits: seeded?.limits ?? ctx.config.limits,
        storage: ctx.store.health,
        store: storeName(ctx.config.store),
        server: ctx.cluster.server,
        captureQuota: ctx.config.captureQuota,
        captureTotal: ctx.config.captureTotal,
        lastEventId: await ctx.store.read.events.lastId(),
        counts: { ...(await ctx.store.read.counts()), waiters: await waitersOfAll(ctx) },
      };
    },
  }),

  localRoute('POST', '/_mailcap/reset', {
    id: 'reset',
    summary: 'Reset the server to the seeded state',
    description:
      'Deletes all messages, interceptors and sends, all mailboxes, workspaces and keys that were not seeded, and the stored answers of Idempotency-Keys.',
    returns: { 204: null },
    handle: async ({ ctx }) => {
      await reset(ctx);
      return undefined;
    },
  }),
];

/** Counts the awaits for messages on all servers. */
async function waitersOfAll({ waiters, cluster }: Context): Promise<number> {
  return (await cluster.awaitsOfOthers()).reduce((sum, other) => sum + other.waiters, waiters.size);
}
