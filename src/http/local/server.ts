import type { z } from 'zod';
import { setClock, setWorkspaceClock, waitForClock } from '../../actions/clock.ts';
import { reset } from '../../actions/seed.ts';
import { offsetIn } from '../../actions/time.ts';
import { storeName } from '../../config/start-error.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { WorkspaceId } from '../../domain/ids.ts';
import { offsetOf, writeTime } from '../../domain/time.ts';
import { momentNow, realTime } from '../../ports/system.ts';
import { checkTimePassed, Download, type Exchange } from '../exchange.ts';
import { checkReady } from '../probes.ts';
import { anyWorkspace, localRoute, timeParam, whole } from '../route.ts';
import { ClockRequest, ClockResponse, HealthResponse, InfoResponse } from './schemas.ts';

// This module implements docs/api.md#workspaces-and-keys: health, addresses and the reset.

export const server = [
  localRoute('GET', '/_mailcap/health', {
    id: 'getHealth',
    summary: 'Check the health of the server',
    description: 'A 503 gives the reason in status. It needs no key, and it answers until the server has stopped.',
    isOpen: true,
    returns: { 200: HealthResponse },
    fails: ['starting', 'shutting_down', 'disk_full', 'storage_unavailable'],
    handle: async ({ ctx }) => {
      const { store, cluster, metrics } = ctx;
      const { version } = ctx.runtime;
      // A server that does not share its store has no number.
      const who = { version, ...(cluster.server === null ? {} : { server: cluster.server }) };
      checkReady(ctx, who);
      const { health: status } = store;
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
      const { workspaceId, mailboxId, smtpsUrl, smtpCa, pop3Url, pop3sUrl, imapUrl, imapsUrl } = ready;
      const seeded = (await ctx.store.read.workspaces.list()).find((workspace) => workspace.seeded);
      return {
        ...{ version, url, apiUrl, smtpUrl, smtpHost, smtpPort, webhookBaseUrl, feedUrl, mailDomain },
        ...{ workspaceId, mailboxId, smtpsUrl, smtpCa, pop3Url, pop3sUrl, imapUrl, imapsUrl },
        plan: seeded?.plan ?? ctx.config.plan,
        limits: seeded?.limits ?? ctx.config.limits,
        storage: ctx.store.health,
        store: storeName(ctx.config.store),
        dataDir: ctx.config.dataDir,
        pid: ready.pid,
        server: ctx.cluster.server,
        relay: ctx.relay?.name ?? null,
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
      'Deletes all messages, webhooks and sends, all mailboxes, workspaces and keys that were not seeded, and the stored answers of Idempotency-Keys.',
    handle: async ({ ctx }) => reset(ctx),
  }),
];

/** Counts the awaits for messages on all servers. */
async function waitersOfAll({ waiters, cluster }: Context): Promise<number> {
  return (await cluster.awaitsOfOthers()).reduce((sum, other) => sum + other.waiters, waiters.size);
}

// This module implements docs/clock.md: the clock of the server, and that of a workspace.

const WAIT = {
  until: { ...timeParam('invalid_until', 'The time to wait for'), isRequired: true as const },
  timeout: whole(1, 60, 30, 'invalid_timeout', 'Seconds to wait'),
};

export const clock = [
  localRoute('GET', '/_mailcap/clock', {
    id: 'getClock',
    summary: 'Read the clock of the server',
    returns: { 200: ClockResponse },
    handle: async ({ ctx }) => toClockResponse(ctx, ctx.clock.offsetMs()),
  }),

  localRoute('GET', '/_mailcap/clock/await', {
    id: 'awaitClock',
    summary: 'Wait for a time of the clock of the server',
    description:
      'Holds the request until the clock reaches `until`, because time passes or somebody sets it. 204: it did not in time.',
    query: WAIT,
    returns: { 200: ClockResponse, 204: null },
    fails: ['invalid_until'],
    handle: async ({ ctx, query, exchange }) => awaited(ctx, null, query, exchange),
  }),

  localRoute('PUT', '/_mailcap/clock', {
    id: 'setClock',
    summary: 'Set the clock of the server',
    description:
      'Every workspace without a clock of its own follows it: its retention, counters, codes and windows. What expires by it comes back when it is set back.',
    example: { offsetSeconds: 86400 },
    body: ClockRequest,
    returns: { 200: ClockResponse },
    fails: ['invalid_clock'],
    handle: async ({ ctx, body }) => {
      await setClock(ctx, body);
      return toClockResponse(ctx, ctx.clock.offsetMs());
    },
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/clock', {
    id: 'getWorkspaceClock',
    summary: 'Read the clock of a workspace',
    description: 'It is the clock of the server while the workspace has none of its own.',
    resolve: anyWorkspace,
    returns: { 200: ClockResponse },
    handle: async ({ ctx, found }) => toClockResponse(ctx, offsetOf(found, momentNow(ctx.clock))),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/clock/await', {
    id: 'awaitWorkspaceClock',
    summary: 'Wait for a time of the clock of a workspace',
    description:
      'Holds the request until the clock reaches `until`, because time passes or somebody sets it. 204: it did not in time.',
    resolve: anyWorkspace,
    query: WAIT,
    returns: { 200: ClockResponse, 204: null },
    fails: ['invalid_until'],
    handle: async ({ ctx, found, query, exchange }) => awaited(ctx, found.id, query, exchange),
  }),

  localRoute('PUT', '/_mailcap/workspaces/:id/clock', {
    id: 'setWorkspaceClock',
    summary: 'Set the clock of a workspace',
    description:
      'Its retention, counters, codes and windows follow it, and no other workspace does. Null takes it away: the workspace follows the clock of the server again.',
    example: { offsetSeconds: 86400 },
    resolve: anyWorkspace,
    body: ClockRequest,
    returns: { 200: ClockResponse },
    fails: ['invalid_clock'],
    transact: async ({ ctx, tx, found, body }) => {
      const workspace = await setWorkspaceClock(ctx, tx, found, body);
      return toClockResponse(ctx, offsetOf(workspace, momentNow(ctx.clock)));
    },
  }),
];

async function awaited(
  ctx: Context,
  workspaceId: WorkspaceId | null,
  { until, timeout }: { readonly until: number | undefined; readonly timeout: number },
  exchange: Exchange,
): Promise<z.infer<typeof ClockResponse> | undefined> {
  if (until === undefined) throw refuse('invalid_until');
  const isReached = await waitForClock(ctx, workspaceId, until, { timeoutMs: timeout * 1_000, cancelSignal: exchange });
  if (!isReached) checkTimePassed(exchange);
  return isReached ? toClockResponse(ctx, await offsetIn(ctx, ctx.store.read, workspaceId)) : undefined;
}

function toClockResponse({ clock }: Context, offsetMs: number): z.infer<typeof ClockResponse> {
  return { now: writeTime(realTime(clock) + offsetMs), offsetSeconds: offsetMs / 1_000 };
}

/** The media type of the Prometheus text format. */
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

// This module implements docs/ci.md#metrics.

export const metrics = [
  localRoute('GET', '/_mailcap/metrics', {
    id: 'getMetrics',
    summary: 'Get metrics for Prometheus',
    gives: { type: 'text/plain' },
    returns: { 200: 'bytes' },
    handle: async ({ ctx }) => {
      const counts = await ctx.store.read.counts();
      const { waiters, feed, feedOfLists, store } = ctx;
      const subscribers = feed.size + feedOfLists.size;
      const levels = { ...counts, waiters: waiters.size, subscribers, storage: store.health };
      return toMetrics(await ctx.metrics.write(levels));
    },
  }),
];

/** Answers with metrics in the Prometheus text format. */
export function toMetrics(text: string): Download {
  const headers = { 'Content-Type': PROMETHEUS, 'X-Content-Type-Options': 'nosniff' };
  return Download.of(Buffer.from(text), headers);
}
