import { createHmac } from 'node:crypto';
import type { Context } from '../context.ts';
import { type CapturedRequest, type ForwardOutcome, forwardedHeaders, KEPT_BYTES } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import { asApiError, asRefusal } from '../domain/webhook-delivery.ts';
import { momentNow, realTime } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { type DeliveryReply, type DeliveryRequest, type DeliveryResult, deliver } from '../webhooks/deliver.ts';
import { type HttpTarget, targetFor } from '../webhooks/exchange.ts';
import { PLAY_TIMEOUT_MS, type Playback, type PlayOrder, play } from '../webhooks/play.ts';
import { type HeldRequest, parseRecording, type Recording, recorded, toRecording } from '../webhooks/recording.ts';
import { type FreshValues, fractionOf, freshOf } from '../webhooks/sample.ts';
import { hmacOf } from '../webhooks/schemes.ts';
import { delayAfter, isSuccess } from '../webhooks/senders.ts';
import { type SignedWebhook, signWebhook, targetUrl, type WebhookSpec } from '../webhooks/signed-webhook.ts';
import { readHeaders, readWholeBody } from './captures.ts';
import { waitForClock } from './clock.ts';
import { during } from './time.ts';

export interface SentWebhook extends DeliveryResult {
  readonly url: string;
  readonly signed: SignedWebhook;
}

/**
 * Sends a webhook to a URL, with the same fetcher as forwarding, and retries it as the named service would. Pauses
 * follow the server's adjustable clock. The delivery ends when its caller does. Throws `invalid_delivery`.
 */
export async function sendWebhook(
  ctx: Context,
  url: string,
  spec: WebhookSpec,
  { timeoutMs, cancelSignal }: { readonly timeoutMs: number; readonly cancelSignal: CancelSignal },
): Promise<SentWebhook> {
  const { clock } = ctx;
  const { href, origin, pathname, search } = asRefusal(() => targetUrl(url));
  const signed = asRefusal(() => signWebhook(spec, freshFor(ctx), nodeHmac));
  const end = clock.steady() + timeoutMs;
  return during(cancelSignal, async (signal) => {
    const delivered = await deliver(signed, {
      now: () => clock.now(),
      realNow: () => realTime(clock),
      steady: () => clock.steady(),
      post: (request) => post(ctx, { origin, path: pathname + search }, request, signal),
      until: (time) => waitForClock(ctx, null, time, { timeoutMs: end - clock.steady(), cancelSignal }),
    });
    return { ...delivered, url: href, signed };
  });
}

/** The outcome of one try to send a webhook. */
export interface TriedWebhook {
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  /** The time until the next try in milliseconds; null if there is none. */
  readonly delayMs: number | null;
  /** The answer. Its `beginning` has at most 64 KiB. */
  readonly reply: Pick<DeliveryReply, 'headers' | 'beginning'>;
}

/** Makes one try to send a webhook. `number` is 1 for the first. Throws `invalid_delivery`. */
export async function tryWebhook(
  ctx: Context,
  url: string,
  { method = 'POST', ...spec }: WebhookSpec & { readonly method?: string | undefined },
  number: number,
  signal: AbortSignal,
): Promise<TriedWebhook> {
  const { origin, pathname, search } = asRefusal(() => targetUrl(url));
  const signed = asRefusal(() => signWebhook(spec, freshFor(ctx), nodeHmac));
  const { body, sender, retries } = signed;
  const headers = signed.headersOf(number, realTime(ctx.clock), null);
  const request = { method, headers, body, timeoutMs: sender.timeoutMs };
  const reply = await post(ctx, { origin, path: pathname + search }, request, signal);
  const delayMs = isSuccess(reply.status) ? null : delayAfter(sender, number, reply, retries);
  return { status: reply.status, error: reply.error, delayMs, reply };
}

/** Sends a request once. If the fetcher refuses the target, the reply holds the error. */
export async function post(
  { fetcher, clock }: Context,
  target: HttpTarget,
  { method, headers, body, timeoutMs }: DeliveryRequest,
  signal: AbortSignal,
): Promise<DeliveryReply> {
  // In Node 20, `AbortSignal.any` leaks memory if a source lives on, and that of the queue lives as long as the server.
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
    const outcome = await fetcher.send({ target, method, headers, body, signal: cut.signal });
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

/** Returns the source of ids and times for a sample event. It uses real time, like the signatures. */
function freshFor({ clock, random }: Context): FreshValues {
  return freshOf(realTime(clock), () => fractionOf(random.bytes(4)));
}

/** The HMAC function of Node. */
const nodeHmac = hmacOf({ createHmac });

/**
 * Sends the requests of a recording to a URL, in their order, with the same fetcher as forwarding. Throws
 * `invalid_delivery` and `invalid_recording`.
 */
export async function playRecording(
  ctx: Context,
  { url, recording, order }: { readonly url: string; readonly recording: unknown; readonly order: PlayOrder },
  { timeoutMs, cancelSignal }: { readonly timeoutMs: number; readonly cancelSignal: CancelSignal },
): Promise<Playback> {
  const { clock } = ctx;
  const target = asRefusal(() => targetUrl(url));
  const requests = asRefusal(() => parseRecording(recording));
  const end = clock.steady() + timeoutMs;
  return during(cancelSignal, async (signal) => {
    try {
      return await play(
        requests,
        order,
        {
          now: () => clock.now(),
          realNow: () => realTime(clock),
          steady: () => clock.steady(),
          until: (time) => waitForClock(ctx, null, time, { timeoutMs: end - clock.steady(), cancelSignal }),
          newId: () => freshFor(ctx).id('msg_', 24),
          post: async ({ method, path, query, body }, headers) => {
            const { origin, path: whole } = targetFor(target.href, { path, query });
            const counted = forwardedHeaders(headers, { origin, path: whole });
            if (counted === null)
              return {
                status: null,
                error: 'webhooks forward to each other in a circle',
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

const PAGE = 200;
/** The maximum number of bytes of bodies in a recording. A file that people review is far smaller. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Returns the newest `limit` requests of a webhook as a recording, oldest first, without secrets. Throws
 * `payload_too_large` if their bodies have more than 32 MiB.
 */
export async function recordRequests(ctx: Context, { id }: Webhook, limit: number): Promise<Recording> {
  // A request that arrives meanwhile moves older ones to the next page, so a request may be read twice. The map keeps
  // it once.
  const rows = new Map<string, CapturedRequest>();
  const pageSize = Math.min(PAGE, limit);
  for (let page = 1; rows.size < limit; page++) {
    const more = await ctx.store.read.requests.page(id, { page, pageSize, now: momentNow(ctx.clock) });
    for (const row of more) rows.set(row.id, row);
    if (more.length < pageSize) break;
  }
  const chosen = [...rows.values()].slice(0, limit).reverse();
  if (chosen.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0) > MAX_BYTES) throw refuse('payload_too_large');
  const captured: HeldRequest[] = [];
  for (const row of chosen) captured.push(await read(ctx, row));
  return toRecording(recorded(captured));
}

async function read(ctx: Context, row: CapturedRequest): Promise<HeldRequest> {
  const { method, path, query, receivedAt } = row;
  const headers = await readHeaders(ctx, row);
  return { method, path, query, receivedAt, headers, body: await readWholeBody(ctx, row) };
}
