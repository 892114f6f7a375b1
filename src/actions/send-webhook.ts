import { createHmac } from 'node:crypto';
import type { Context } from '../context.ts';
import { type ForwardOutcome, KEPT_BYTES } from '../domain/forwarding.ts';
import { asRefusal } from '../domain/webhook-delivery.ts';
import { realTime } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import { type Delivered, type DeliveryReply, type DeliveryRequest, deliver } from '../webhooks/deliver.ts';
import { hmacOf } from '../webhooks/hmac.ts';
import { type Order, type Parcel, pack, targetUrl } from '../webhooks/parcel.ts';
import { type Fresh, fractionOf, freshOf } from '../webhooks/samples/sample.ts';
import type { HttpTarget } from '../webhooks/target.ts';
import { waitForClock } from './wait-for-clock.ts';

export interface SentWebhook extends Delivered {
  readonly url: string;
  readonly parcel: Parcel;
}

/**
 * Sends a webhook to a URL, with the same fetcher as forwarding, and retries it as the named service would. Pauses
 * follow the server's adjustable clock. The delivery ends when its caller does. Throws `invalid_delivery`.
 */
export async function sendWebhook(
  ctx: Context,
  url: string,
  order: Order,
  { timeoutMs, ending }: { readonly timeoutMs: number; readonly ending: Ending },
): Promise<SentWebhook> {
  const { clock } = ctx;
  const { href, origin, pathname, search } = asRefusal(() => targetUrl(url));
  const parcel = asRefusal(() => pack(order, freshFor(ctx), nodeHmac));
  const end = clock.steady() + timeoutMs;
  return during(ending, async (signal) => {
    const delivered = await deliver(parcel, {
      now: () => clock.now(),
      realNow: () => realTime(clock),
      steady: () => clock.steady(),
      post: (request) => post(ctx, { origin, path: pathname + search }, request, signal),
      until: (time) => waitForClock(ctx, null, time, { timeoutMs: end - clock.steady(), ending }),
    });
    return { ...delivered, url: href, parcel };
  });
}

/** Sends a request once. If the fetcher refuses the target, the reply holds the error. */
export async function post(
  { fetcher, clock }: Context,
  target: HttpTarget,
  { method, headers, body, timeoutMs }: DeliveryRequest,
  signal: AbortSignal,
): Promise<DeliveryReply> {
  const cut = new AbortController();
  const abort = () => cut.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  let isLate = false;
  const cancel = clock.after(timeoutMs, () => {
    isLate = true;
    abort();
  });
  try {
    const outcome = await fetcher.send({
      target,
      method,
      headers,
      body,
      signal: cut.signal,
    });
    return replyOf(outcome, isLate, timeoutMs);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

function replyOf(outcome: ForwardOutcome, isLate: boolean, timeoutMs: number): DeliveryReply {
  if (outcome.kind === 'answered') {
    const { status, beginning, headers = {} } = outcome;
    return { status, headers, beginning: beginning.subarray(0, KEPT_BYTES), isLate: false, error: null };
  }
  const error = isLate ? `no answer within ${timeoutMs / 1_000} seconds` : outcome.error;
  return {
    status: null,
    headers: {},
    beginning: new Uint8Array(),
    isLate,
    isRefused: outcome.kind === 'refused',
    error,
  };
}

/** Runs work with a signal that aborts when `ending` ends. */
export async function during<T>(ending: Ending, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cut = new AbortController();
  const off = ending.onEnd(() => cut.abort());
  try {
    return await work(cut.signal);
  } finally {
    off();
  }
}

/** Returns the source of ids and times for a sample event. It uses real time, like the signatures. */
export function freshFor({ clock, random }: Context): Fresh {
  return freshOf(realTime(clock), () => fractionOf(random.bytes(4)));
}

/** The HMAC function of Node. */
export const nodeHmac = hmacOf({ createHmac });
