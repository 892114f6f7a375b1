import type { DeliveryPorts, DeliveryReply } from './deliver.ts';
import { leftOutOf, type RecordedRequest } from './recording.ts';
import {
  type Hmac,
  SIGNATURE_HEADERS,
  type SignatureScheme,
  schemeOfHeaders,
  signatureHeaderOf,
  signedHeaders,
  WebhookError,
} from './schemes.ts';
import { checkedHeaders, isOwnHeader, rulesOf } from './signed-webhook.ts';

// This module sends a recording again, request by request, with the recorded signatures or with new ones.

type Field = readonly [name: string, value: string];

/** The options of a playback. */
export interface PlayOrder {
  /** The scheme of new signatures; null means the scheme that each request was signed with. */
  readonly scheme: SignatureScheme | 'none' | null;
  /** The secret of new signatures; null keeps those of the recording. */
  readonly secret: string | null;
  /** Header fields that replace those of the same name. */
  readonly headers: readonly Field[];
  /** Tells whether to make the pauses of the recording. */
  readonly keepsPauses: boolean;
}

/** The answer of a target to a request of a recording. */
export interface PlayedAnswer {
  /** The number of the request in the recording, 1 for the first. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /**
   * The secrets that the recording left out and that were not given: names of headers, and names of parameters after a
   * `?`.
   */
  readonly leftOut: readonly string[];
}

/** The ports of a playback. */
export interface Stage extends Pick<DeliveryPorts, 'realNow' | 'steady' | 'now' | 'until'> {
  /** Sends a request below the target's URL. It rejects only if the playback is cancelled. */
  post(request: RecordedRequest, headers: readonly Field[]): Promise<DeliveryReply>;
  played?(one: PlayedAnswer): void;
  /** Returns a new id for a signature, where the request has none. */
  newId(): string;
}

export interface Playback {
  /** `unfinished` if the time ran out before the last request. */
  readonly state: 'played' | 'unfinished';
  readonly requests: readonly PlayedAnswer[];
}

/** The time for the answer to a request, in milliseconds. */
export const PLAY_TIMEOUT_MS = 10_000;

/** Plays a recording, one request after another. Throws a {@link WebhookError} before anything is sent. */
export async function play(
  requests: readonly RecordedRequest[],
  order: PlayOrder,
  stage: Stage,
  hmac: Hmac,
): Promise<Playback> {
  const extra = checkedHeaders(order.headers);
  if (order.scheme !== null && order.scheme !== 'none' && order.secret === null)
    throw new WebhookError('new signatures need the secret');
  const headersOf = (request: RecordedRequest) => [
    ...fieldsOf(request, order, extra, { at: stage.realNow(), newId: stage.newId }, hmac),
  ];
  // An invalid secret throws here, before anything is sent.
  for (const request of requests) headersOf(request);
  const start = await stage.now();
  const played: PlayedAnswer[] = [];
  for (const [index, request] of requests.entries()) {
    const { method, path, afterMs } = request;
    const dueAt = order.keepsPauses ? start + afterMs : 0;
    if (!(await stage.until(dueAt))) return { state: 'unfinished', requests: played };
    const began = stage.steady();
    const { status, error } = await stage.post(request, headersOf(request));
    const durationMs = Math.round(stage.steady() - began);
    const given = new Set(extra.map(([name]) => name.toLowerCase()));
    const leftOut = leftOutOf(request).filter((name) => !given.has(name.toLowerCase()));
    const one = { number: index + 1, method, path, status, error, durationMs, leftOut };
    played.push(one);
    stage.played?.(one);
  }
  return { state: 'played', requests: played };
}

/** Tells whether a recorded request carries a signature with its time, which receivers refuse after some minutes. */
export function hasDatedSignature({ headers }: RecordedRequest): boolean {
  const name = schemeOfHeaders(byName(headers));
  return name !== null && name !== 'github' && name !== 'shopify';
}

function* fieldsOf(
  { headers, body }: RecordedRequest,
  { scheme: wanted, secret }: PlayOrder,
  extra: readonly Field[],
  { at, newId }: { readonly at: number; newId(): string },
  hmac: Hmac,
): Generator<Field> {
  const known = byName(headers);
  const scheme = secret === null && wanted !== 'none' ? null : (wanted ?? schemeOfHeaders(known));
  const rules = scheme === null ? null : rulesOf(scheme);
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()));
  if (rules !== null) replaced.add(signatureHeaderOf(rules));
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const isOld = scheme !== null && SIGNATURE_HEADERS.has(lower);
    if (value !== null && !isOwnHeader(name) && !isOld && !replaced.has(lower)) yield [name, value];
  }
  if (rules !== null && secret !== null) {
    const id = known['webhook-id'] ?? known['svix-id'] ?? newId();
    const stamp = { id, timestamp: String(Math.floor(at / 1_000)) };
    yield* signedHeaders(rules, { secret, body: body ?? new Uint8Array(), stamp }, hmac);
  }
  yield* extra;
}

function byName(headers: RecordedRequest['headers']): Record<string, string> {
  return Object.fromEntries(headers.flatMap(([name, value]) => (value === null ? [] : [[name.toLowerCase(), value]])));
}
