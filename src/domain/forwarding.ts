import type { CapturedRequest } from './captured-request.ts';
import type { Webhook } from './webhook.ts';

// docs/contract.md#forwarding: what a forwarded request is, and what its outcome makes of the captured one.

/** Name and value, in the order and the case they were sent. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** Milliseconds an attempt may take, the beginning of the answer included. */
export const ATTEMPT_MS = 10_000;
/** Of the target's answer so much is kept. */
export const KEPT_BYTES = 64 * 1024;
/** Waits before the second and the third attempt, milliseconds: their number says how many attempts there are. */
const BACKOFF_MS = [500, 2_500] as const;

/** So long a request that is forwarded before its answer is left to who answers it. After a crash it is the worker's. */
export const SYNC_LEASE_MS = 30_000;

/** Whether an attempt is to be made now. Further away than any wait is a time of before the clock was set back. */
export function isForwardDue(nextForwardAt: number, now: number): boolean {
  return nextForwardAt <= now || nextForwardAt > now + SYNC_LEASE_MS;
}

/** What came of one attempt. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly beginning: Uint8Array }
  /** No answer; another attempt may get one. */
  | { readonly kind: 'unreachable'; readonly error: string }
  /** It was not sent, and never will be. */
  | { readonly kind: 'refused'; readonly error: string };

/** The fields of a captured request that an attempt changes, but for the kept answer. */
export type Forwarded = Pick<
  CapturedRequest,
  'forwardStatus' | 'forwardAttempts' | 'forwardedAt' | 'forwardHttpStatus' | 'forwardError' | 'nextForwardAt'
>;

/** What the request is after one more attempt. `retries`: whether a failure may be followed by another attempt. */
export function afterAttempt(
  was: Pick<CapturedRequest, 'forwardAttempts'>,
  outcome: Outcome,
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

/** A failure that may be over soon: no connection, or 5xx. */
function isPassing(outcome: Outcome): boolean {
  return outcome.kind === 'unreachable' || (outcome.kind === 'answered' && outcome.status >= 500);
}

/** Where requests are forwarded to, null where they are not. */
export function targetOf({ forwardMode, forwardUrl }: Pick<Webhook, 'forwardMode' | 'forwardUrl'>): string | null {
  return forwardMode === 'off' ? null : forwardUrl;
}

/** An HTTP address in the parts a request is made of. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query as they are sent. */
  readonly path: string;
}

/** `forwardUrl` with the sub-path and the query appended, byte for byte as they came; what stands in `forwardUrl` comes first. */
export function targetFor(forwardUrl: string, { path, query }: Pick<CapturedRequest, 'path' | 'query'>): Target {
  const { origin, pathname, search } = new URL(forwardUrl);
  // `/` is what a request to the capture URL itself has: it adds nothing.
  const fullPath = path === '/' ? pathname : pathname.replace(/\/$/, '') + path;
  const own = search.slice(1);
  const fullQuery = query === null ? own : own === '' ? query : `${own}&${query}`;
  return { origin, path: query === null && own === '' ? fullPath : `${fullPath}?${fullQuery}` };
}

/** RFC 9110 7.6.1, and what else is between two neighbours only: the credentials for a proxy, trailers' names, `Expect`. */
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

/** Says how often a request went from one capture URL to another. */
export const HOPS_HEADER = 'Mailcap-Hops';
const MOST_HOPS = 5;
const CAPTURE_PATH = /\/hooks\/[\w-]{43}(?:[/?]|$)/;

/**
 * The headers that are sent on: those that came, without Host, the hop-by-hop ones and those that Connection names. On the way
 * to a capture URL they say how many there were before. Null where there were too many: hooks that forward in a circle.
 */
export function forwardedHeaders(headers: Headers, target: Target): Headers | null {
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
