import type { HttpTarget } from '../webhooks/target.ts';
import type { CapturedRequest } from './captured-request.ts';
import type { Webhook } from './webhook.ts';

// Forwarding (docs/webhooks.md#forwarding): how a forwarded request is built, and how its outcome changes the captured
// one.

/** Header fields as name and value, in their original order and case. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** The time limit of an attempt in milliseconds, including the first bytes of the answer. */
export const ATTEMPT_MS = 10_000;
/** The number of bytes kept of the target's answer. */
export const KEPT_BYTES = 64 * 1024;
/** The delays before the second and third attempt, in milliseconds. Their number limits the attempts. */
const BACKOFF_MS = [500, 2_500] as const;

/**
 * The time in milliseconds for which a `sync` request belongs to the process that answers it. After a crash the worker
 * takes it over.
 */
export const SYNC_LEASE_MS = 30_000;

/**
 * Tells whether an attempt is due. A time beyond the longest delay dates from before the clock was set back, so it is
 * due as well.
 */
export function isForwardDue(nextForwardAt: number, now: number): boolean {
  return nextForwardAt <= now || nextForwardAt > now + SYNC_LEASE_MS;
}

/** The outcome of one attempt. */
export type ForwardOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly beginning: Uint8Array;
      /** The headers of the answer by their lower-case names. Absent if the caller does not need them. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** There was no answer. Another attempt may succeed. */
  | { readonly kind: 'unreachable'; readonly error: string }
  /** The request was not sent and will not be retried. */
  | { readonly kind: 'refused'; readonly error: string };

/** The fields of a captured request that an attempt changes, except the stored answer. */
export type Forwarded = Pick<
  CapturedRequest,
  'forwardStatus' | 'forwardAttempts' | 'forwardedAt' | 'forwardHttpStatus' | 'forwardError' | 'nextForwardAt'
>;

/** Returns the changed fields after one more attempt. `retries` tells whether a failure may be retried. */
export function forwardAfterAttempt(
  was: Pick<CapturedRequest, 'forwardAttempts'>,
  outcome: ForwardOutcome,
  { now, retries }: { readonly now: number; readonly retries: boolean },
): Forwarded {
  const forwardAttempts = was.forwardAttempts + 1;
  const status = outcome.kind === 'answered' ? outcome.status : null;
  const tried = { forwardAttempts, forwardedAt: now, forwardHttpStatus: status };
  if (status !== null && status < 400) {
    return { ...tried, forwardStatus: 'delivered', forwardError: null, nextForwardAt: null };
  }
  const forwardError = outcome.kind === 'answered' ? `the target answered ${status}` : outcome.error;
  const wait = retries && isPassing(outcome) ? BACKOFF_MS[forwardAttempts - 1] : undefined;
  if (wait === undefined) return { ...tried, forwardStatus: 'failed', forwardError, nextForwardAt: null };
  return { ...tried, forwardStatus: 'pending', forwardError, nextForwardAt: now + wait };
}

/** Tells whether a failure may be temporary: no connection, or a 5xx answer. */
function isPassing(outcome: ForwardOutcome): boolean {
  return outcome.kind === 'unreachable' || (outcome.kind === 'answered' && outcome.status >= 500);
}

/** Returns the URL to forward to, or null if forwarding is off. */
export function forwardTarget({ forwardMode, forwardUrl }: Pick<Webhook, 'forwardMode' | 'forwardUrl'>): string | null {
  return forwardMode === 'off' ? null : forwardUrl;
}

/** The hop-by-hop fields of RFC 9110 7.6.1, proxy credentials, `Trailer` and `Expect`. */
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
  'trailer',
  'expect',
  'proxy-authenticate',
  'proxy-authorization',
]);

/** The header field that counts how often a request passed from one capture URL to another. */
export const HOPS_HEADER = 'Mailcap-Hops';
const MOST_HOPS = 5;
const CAPTURE_PATH = /\/hooks\/[\w-]{43}(?:[/?]|$)/;

/**
 * Returns the header fields to forward: the original ones without Host, hop-by-hop fields and those named by
 * Connection. A request to a capture URL also carries the number of hops. Returns null if there were too many hops,
 * because interceptors then forward in a circle.
 */
export function forwardedHeaders(headers: Headers, target: HttpTarget): Headers | null {
  const named = new Set(headers.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? tokens(value) : [])));
  const hops = headers.findLast(([name]) => name.toLowerCase() === HOPS_HEADER.toLowerCase())?.[1];
  const before = hops === undefined || !/^\d{1,3}$/.test(hops) ? 0 : Number(hops);
  if (before >= MOST_HOPS) return null;
  const kept = headers.filter(([given]) => {
    const name = given.toLowerCase();
    return name !== 'host' && name !== HOPS_HEADER.toLowerCase() && !HOP_BY_HOP.has(name) && !named.has(name);
  });
  const counted = before > 0 || CAPTURE_PATH.test(target.path);
  return counted ? [...kept, [HOPS_HEADER, String(before + 1)]] : kept;
}

function tokens(value: string): string[] {
  return value.split(',').map((token) => token.trim().toLowerCase());
}
