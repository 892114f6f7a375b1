import type { z } from 'zod';
import { setClock } from '../../actions/set-clock.ts';
import { waitForClock } from '../../actions/wait-for-clock.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { writeTime } from '../../domain/time.ts';
import { checkTimePassed } from '../admit.ts';
import { timeParam, whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { ClockRequest, ClockResponse } from './schemas.ts';

// This module implements docs/contract.md#clock: the clock that retention, counters and windows follow.

const UNTIL = timeParam('invalid_until', 'The time to wait for');

export const clock = [
  localRoute('GET', '/_mailcap/clock', {
    id: 'getClock',
    summary: 'Read the clock',
    returns: { 200: ClockResponse },
    handle: async ({ ctx }) => toClockResponse(ctx),
  }),

  localRoute('GET', '/_mailcap/clock/await', {
    id: 'awaitClock',
    summary: 'Wait for a time',
    description:
      'Holds the request until the clock reaches `until`, because time passes or somebody sets it. 204: it did not in time.',
    query: { until: UNTIL, timeout: whole(1, 60, 30, 'invalid_timeout') },
    returns: { 200: ClockResponse, 204: null },
    fails: ['invalid_until'],
    handle: async ({ ctx, query: { until, timeout }, exchange }) => {
      if (until === undefined) throw refuse('invalid_until');
      const isReached = await waitForClock(ctx.clock, until, { timeoutMs: timeout * 1_000, ending: exchange });
      if (!isReached) checkTimePassed(exchange);
      return isReached ? toClockResponse(ctx) : undefined;
    },
  }),

  localRoute('PUT', '/_mailcap/clock', {
    id: 'setClock',
    summary: 'Set the clock',
    description: 'Retention, counters, codes and windows follow it.',
    example: { offsetSeconds: 86400 },
    body: ClockRequest,
    returns: { 200: ClockResponse },
    fails: ['invalid_clock'],
    handle: async ({ ctx, body }) => {
      await setClock(ctx, body);
      return toClockResponse(ctx);
    },
  }),
];

function toClockResponse({ clock }: Context): z.infer<typeof ClockResponse> {
  return { now: writeTime(clock.now()), offsetSeconds: clock.offsetMs() / 1_000 };
}
