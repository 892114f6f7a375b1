import { reset } from '../../actions/reset.ts';
import { refuse } from '../../domain/errors.ts';
import { localRoute } from '../route.ts';
import { HealthResponse, InfoResponse } from './schemas.ts';

// docs/contract.md#server-and-workspaces: liveness, addresses, back to the seeded state.

export const server = [
  localRoute('GET', '/_mailcap/health', {
    returns: { 200: HealthResponse },
    fails: ['starting', 'shutting_down', 'disk_full', 'storage_unavailable'],
    handle: async ({ ctx: { runtime, store } }) => {
      const { phase, version } = runtime;
      if (phase === 'stopping') throw refuse('shutting_down', { status: 'stopping', version });
      if (phase === 'starting') throw refuse('starting', { status: 'starting', version });
      const { health: status } = store;
      // What a write would be refused with, and why.
      if (status !== 'ok') throw refuse(status === 'disk_full' ? status : 'storage_unavailable', { status, version });
      return { status, version };
    },
  }),

  localRoute('GET', '/_mailcap/info', {
    returns: { 200: InfoResponse },
    fails: ['starting'],
    handle: async ({ ctx }) => {
      const { ready, version } = ctx.runtime;
      if (ready === null) throw refuse('starting');
      // Field by field: what else `ready` holds, the API key above all, stays in.
      const { url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain } = ready;
      const { workspaceId, mailboxId, smtpsUrl, smtpCa } = ready;
      const seeded = (await ctx.store.read.workspaces.list()).find((workspace) => workspace.seeded);
      return {
        ...{ version, url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain },
        ...{ workspaceId, mailboxId, smtpsUrl, smtpCa },
        plan: seeded?.plan ?? ctx.config.plan,
        limits: seeded?.limits ?? ctx.config.limits,
        storage: ctx.store.health,
        counts: { ...(await ctx.store.read.counts()), waiters: ctx.waiters.size },
      };
    },
  }),

  localRoute('POST', '/_mailcap/reset', {
    returns: { 204: null },
    handle: async ({ ctx }) => {
      await reset(ctx);
      return undefined;
    },
  }),
];
