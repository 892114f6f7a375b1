import type { z } from 'zod';
import { setClock } from '../../actions/set-clock.ts';
import type { Context } from '../../context.ts';
import { writeTime } from '../../domain/time.ts';
import { localRoute } from '../route.ts';
import { ClockRequest, ClockResponse } from './schemas.ts';

// This module implements docs/contract.md#clock: the clock that retention, counters and windows follow.

export const clock = [
  localRoute('GET', '/_mailcap/clock', {
    id: 'getClock',
    summary: 'Read the clock',
    returns: { 200: ClockResponse },
    handle: async ({ ctx }) => toClockResponse(ctx),
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
