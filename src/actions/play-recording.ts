import type { Context } from '../context.ts';
import { forwardedHeaders } from '../domain/forwarding.ts';
import { asApiError, asRefusal } from '../domain/webhook-delivery.ts';
import { realTime } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { targetUrl } from '../webhooks/parcel.ts';
import { PLAY_TIMEOUT_MS, type Playback, type PlayOrder, play } from '../webhooks/play.ts';
import { parseRecording } from '../webhooks/recording.ts';
import { targetFor } from '../webhooks/target.ts';
import { during, freshFor, nodeHmac, post } from './send-webhook.ts';
import { waitForClock } from './wait-for-clock.ts';

/**
 * Sends the requests of a recording to a URL, in their order, with the same fetcher as forwarding. Throws
 * `invalid_delivery` and `invalid_recording`.
 */
export async function playRecording(
  ctx: Context,
  { url, recording, order }: { readonly url: string; readonly recording: unknown; readonly order: PlayOrder },
  { timeoutMs, ending }: { readonly timeoutMs: number; readonly ending: Ending },
): Promise<Playback> {
  const { clock } = ctx;
  const target = asRefusal(() => targetUrl(url));
  const requests = asRefusal(() => parseRecording(recording));
  const end = clock.steady() + timeoutMs;
  return during(ending, async (signal) => {
    try {
      return await play(
        requests,
        order,
        {
          now: () => clock.now(),
          realNow: () => realTime(clock),
          steady: () => clock.steady(),
          until: (time) => waitForClock(ctx, null, time, { timeoutMs: end - clock.steady(), ending }),
          newId: () => freshFor(ctx).id('msg_', 24),
          post: async ({ method, path, query, body }, headers) => {
            const { origin, path: whole } = targetFor(target.href, { path, query });
            const counted = forwardedHeaders(headers, { origin, path: whole });
            if (counted === null)
              return {
                status: null,
                error: 'capture URLs forward to each other in a circle',
                isLate: false,
                headers: {},
                beginning: new Uint8Array(),
              };
            const outgoing = { method, headers: counted, body: body ?? new Uint8Array(), timeoutMs: PLAY_TIMEOUT_MS };
            return post(ctx, { origin, path: whole }, outgoing, signal);
          },
        },
        nodeHmac,
      );
    } catch (error) {
      throw asApiError(error);
    }
  });
}
