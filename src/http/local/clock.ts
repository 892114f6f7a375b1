import type { z } from 'zod';
import { setClock, setWorkspaceClock } from '../../actions/set-clock.ts';
import { waitForClock } from '../../actions/wait-for-clock.ts';
import { offsetIn } from '../../actions/workspace-time.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import type { WorkspaceId } from '../../domain/ids.ts';
import { offsetOf } from '../../domain/moment.ts';
import { writeTime } from '../../domain/time.ts';
import { momentNow, realTime } from '../../ports/clock.ts';
import { checkTimePassed } from '../admit.ts';
import type { Exchange } from '../exchange.ts';
import { anyWorkspace } from '../find.ts';
import { timeParam, whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { ClockRequest, ClockResponse } from './schemas.ts';

// This module implements docs/clock.md: the clock of the server, and that of a workspace.

const WAIT = {
  until: timeParam('invalid_until', 'The time to wait for'),
  timeout: whole(1, 60, 30, 'invalid_timeout'),
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
    find: anyWorkspace,
    returns: { 200: ClockResponse },
    handle: async ({ ctx, found }) => toClockResponse(ctx, offsetOf(found, momentNow(ctx.clock))),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/clock/await', {
    id: 'awaitWorkspaceClock',
    summary: 'Wait for a time of the clock of a workspace',
    description:
      'Holds the request until the clock reaches `until`, because time passes or somebody sets it. 204: it did not in time.',
    find: anyWorkspace,
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
    find: anyWorkspace,
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
  const isReached = await waitForClock(ctx, workspaceId, until, { timeoutMs: timeout * 1_000, ending: exchange });
  if (!isReached) checkTimePassed(exchange);
  return isReached ? toClockResponse(ctx, await offsetIn(ctx, ctx.store.read, workspaceId)) : undefined;
}

function toClockResponse({ clock }: Context, offsetMs: number): z.infer<typeof ClockResponse> {
  return { now: writeTime(realTime(clock) + offsetMs), offsetSeconds: offsetMs / 1_000 };
}
