import { innermostReason } from '../../text/unknown.ts';
import {
  type DeliveryReply,
  type DeliveryRequest,
  type DeliveryResult,
  deliver,
  type Try,
} from '../../webhooks/deliver.ts';
import { freshOf, type Json } from '../../webhooks/sample.ts';
import { MAX_RETRIES, signWebhook, targetUrl } from '../../webhooks/signed-webhook.ts';
import { clockOf } from '../clock.ts';
import type { Api } from '../connection/caller.ts';
import type { ServerDeliveryFields } from '../connection/local-resources.ts';
import { chance, now, steady } from '../environment.ts';
import { OptionError, TimeoutError } from '../errors.ts';
import {
  asServerSays,
  CALL,
  callable,
  checkOptions,
  each,
  filledText,
  isPlain,
  shown,
  texts,
} from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import { type CallOptions, Deadline } from '../transport/transport.ts';
import { asOptionError, bytesOf, loadHmac, schemeRules } from './signature.ts';

/** The options of `client.sendWebhook()`. */
export interface SendWebhookOptions
  extends CallOptions,
    Pick<ServerDeliveryFields, 'event' | 'scheme' | 'set' | 'headers' | 'id' | 'retries'> {
  /** The secret that the app checks the signature with. It may be left out only with the scheme `none`. */
  readonly secret?: string | undefined;
  /** The exact body; the event's body if left out. */
  readonly body?: string | Uint8Array | undefined;
  /**
   * A function that runs after each try. The delivery awaits it before the next pause, so a test can set the clock in
   * it. By default there is none.
   *
   * @example onTry: async ({ nextAt }) => { if (nextAt) await client.setClock({ now: nextAt.toISOString() }); }
   */
  readonly onTry?: ((one: Try) => unknown) | undefined;
}

/** A webhook that was sent, with each try. */
export interface WebhookDelivery {
  /** `delivered` if the last try was answered 2xx, else `failed`. */
  readonly state: 'delivered' | 'failed';
  /** The id of the message, which stays the same in all tries. */
  readonly id: string;
  /** The body as sent. */
  readonly body: Uint8Array;
  /** All tries, the first one first. */
  readonly tries: readonly Try[];
}

const OPTIONS = {
  ...CALL,
  event: filledText,
  ...each(['scheme', 'secret', 'body', 'set'], asServerSays),
  headers: texts,
  id: filledText,
  retries: asServerSays,
  onTry: callable,
};
/** The number of bytes that are read of an answer. */
const MOST_BYTES = 64 * 1024;

/** Sends a webhook from this process. {@link Client.sendWebhook} describes it. */
export async function sendWebhook(
  api: Pick<Api, 'hasLocalApi' | 'workspaceId' | 'local'>,
  settings: Settings,
  url: string,
  options: SendWebhookOptions,
): Promise<WebhookDelivery> {
  checkOptions('The webhook', options, OPTIONS, "Write sendWebhook(url, { event: 'push', secret }).");
  const { scheme = null, event = null, secret = null, body, set = {}, headers = {}, id = null } = options;
  if (typeof url !== 'string') throw new OptionError(`The URL must be a string; it is ${shown(url)}.`);
  // An error message must never contain the secret.
  if (secret !== null && typeof secret !== 'string') throw new OptionError('The secret must be a string.');
  if (scheme !== null && scheme !== 'none') schemeRules(scheme);
  if (!isPlain(set)) throw new OptionError(`set must be an object of paths and values; it is ${shown(set)}.`);
  const retries = retriesOf(options.retries);
  const hmac = await loadHmac();
  const spec = {
    ...{ event, scheme, secret, id, retries },
    body: body === undefined ? null : bytesOf(body),
    // The cast is safe, because JSON.stringify checks the value later.
    set: Object.entries(set).map(([path, json]) => ({ path, json: json as Json })),
    headers: Object.entries(headers),
  };
  const target = asOptionError(() => targetUrl(url));
  const signed = asOptionError(() => signWebhook(spec, freshOf(now(), chance), hmac));
  const { state, tries } = await within(settings, options, async (course) => {
    const { signal } = course.deadline;
    const clock = await clockOf(retries === 0 ? null : api, signal);
    return deliver(signed, {
      ...clock,
      realNow: now,
      steady,
      post: (request) => post(settings.fetch, target, request, signal),
      tried: async (one) => {
        course.last = one;
        await options.onTry?.(one);
      },
    });
  });
  return { state: state === 'delivered' ? state : 'failed', id: signed.id, body: signed.body, tries };
}

function retriesOf(retries: unknown): number {
  if (retries === true) return MAX_RETRIES;
  if (retries === undefined || retries === false) return 0;
  if (Number.isInteger(retries) && Number(retries) >= 0) return Math.min(MAX_RETRIES, Number(retries));
  throw new OptionError(`retries must be a whole number, or true; it is ${shown(retries)}.`);
}

/** A delivery under way: its deadline, and its last try. */
interface Course {
  readonly deadline: Deadline;
  last: Try | null;
}

/** Runs a delivery within its timeout. Throws a TimeoutError that says when the next try is due. */
async function within(
  settings: Settings,
  { timeout = settings.timeoutMs, signal = settings.signal }: CallOptions,
  run: (course: Course) => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  signal?.throwIfAborted();
  const course: Course = { deadline: new Deadline(timeout, [signal]), last: null };
  try {
    return await run(course);
  } catch (error) {
    throw course.deadline.isOver ? tooLate(course) : error;
  } finally {
    course.deadline.dispose();
  }
}

function tooLate({ deadline: { timeoutMs }, last }: Course): TimeoutError {
  const { number = 0, nextAt = null, status = null, error = null } = last ?? {};
  const came = last === null ? 'No try was answered' : `Try ${number} got ${status ?? error}`;
  const next = nextAt === null ? '' : `, and the next one is due at ${nextAt.toISOString()}`;
  return new TimeoutError('timed_out', `${came}${next}, but the timeout of sendWebhook is ${timeoutMs} ms.`, {
    hint: 'Set the clock in onTry, with client.setClock({ now }), or give a longer timeout.',
    call: 'sendWebhook',
  });
}

/** Sends a request once with `fetch`. It follows no redirect, and reads only the beginning of the answer. */
async function post(
  fetch: typeof globalThis.fetch,
  url: URL,
  { method, headers, body, timeoutMs }: DeliveryRequest,
  signal: AbortSignal,
): Promise<DeliveryReply> {
  signal.throwIfAborted();
  const deadline = new Deadline(timeoutMs, [signal]);
  try {
    const answer = await fetch(url, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      // fetch refuses a view of shared memory, so the bytes are copied.
      body: Uint8Array.from(body),
      redirect: 'manual',
      signal: deadline.signal,
    });
    const beginning = await beginningOf(answer);
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      beginning,
      isLate: false,
      error: null,
    };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = deadline.isOver;
    const why = isLate ? `no answer within ${timeoutMs / 1_000} seconds` : innermostReason(error);
    return { status: null, headers: {}, beginning: new Uint8Array(), isLate, error: why };
  } finally {
    deadline.dispose();
  }
}

async function beginningOf({ body }: Response): Promise<Uint8Array> {
  const chunks: number[] = [];
  const reader = body?.getReader();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done || value === undefined) break;
      chunks.push(...value.subarray(0, MOST_BYTES - chunks.length));
      if (chunks.length >= MOST_BYTES) break;
    }
  } catch {
    // The status decides, so an answer that breaks off or is too slow counts with the bytes that came.
  }
  // The answer may have no end, so its rest is cancelled.
  void reader?.cancel().catch(() => {});
  return Uint8Array.from(chunks);
}
