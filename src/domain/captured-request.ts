import type { HttpTarget } from '../webhooks/exchange.ts';
import type { CapturedRequestId, WebhookId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';
import type { Webhook } from './webhook.ts';

export type ForwardStatus = 'none' | 'pending' | 'delivered' | 'failed';

/** A request to a webhook URL, stored as received. */
export interface CapturedRequest {
  readonly id: CapturedRequestId;
  readonly workspaceId: WorkspaceId;
  readonly webhookId: WebhookId;
  readonly receivedAt: number;
  readonly method: string;
  /** The path after the key, still percent-encoded. It is at least `/`. */
  readonly path: string;
  /** The query without `?`. Null if there was none. */
  readonly query: string | null;
  readonly contentType: string | null;
  /** The size of the body in bytes. */
  readonly sizeBytes: number;
  /** The size of the stored header fields in bytes. */
  readonly headerBytes: number;
  /** The size of the stored answer of the forward target in bytes. Absent without one. */
  readonly forwardResponseBytes?: number;
  readonly sourceIp: string | null;
  /** The status of the response to the caller. 0 means that the connection was dropped. */
  readonly responseStatus: number;
  readonly forwardStatus: ForwardStatus;
  readonly forwardAttempts: number;
  /** The time of the last attempt, in milliseconds since 1970. */
  readonly forwardedAt: number | null;
  readonly forwardHttpStatus: number | null;
  readonly forwardError: string | null;
  /** The first 64 KiB of the target's answer, as text. */
  readonly forwardResponse: BlobRef | null;
  /** The time of the next attempt. Null if none is due. */
  readonly nextForwardAt: number | null;
  /** The header fields as JSON `[[name, value], ...]`, in order, with their case and repeats. */
  readonly headers: BlobRef;
  /** The body. Null if the request had none, which differs from an empty body. */
  readonly body: BlobRef | null;
}

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
export type ForwardFields = Pick<
  CapturedRequest,
  'forwardStatus' | 'forwardAttempts' | 'forwardedAt' | 'forwardHttpStatus' | 'forwardError' | 'nextForwardAt'
>;

/** Returns the changed fields after one more attempt. `retries` tells whether a failure may be retried. */
export function forwardAfterAttempt(
  was: Pick<CapturedRequest, 'forwardAttempts'>,
  outcome: ForwardOutcome,
  { now, retries }: { readonly now: number; readonly retries: boolean },
): ForwardFields {
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

/** The header field that counts how often a request passed from one webhook URL to another. */
const HOPS_HEADER = 'Mailcap-Hops';
const MOST_HOPS = 5;
const CAPTURE_PATH = /\/hooks\/[\w-]{43}(?:[/?]|$)/;

/**
 * Returns the header fields to forward: the original ones without Host, hop-by-hop fields and those named by
 * Connection. A request to a webhook URL also carries the number of hops. Returns null if there were too many hops,
 * because webhooks then forward in a circle.
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

// The captured requests of a webhook, and those of all webhooks, have a quota
// (docs/webhooks.md#how-much-is-kept).
// Anybody with a webhook URL may send as much as they like, so the oldest requests make room for the newest ones.

/** The quotas, as sums of {@link heldBytes}. */
interface CaptureQuotas {
  /** The most that the requests of one webhook take. */
  readonly captureQuota: number;
  /** The most that the requests of all webhooks take. */
  readonly captureTotal: number;
}

/** The bytes that a row takes in memory besides its texts, roughly. */
const ROW_BYTES = 1024;
/**
 * The bytes in memory count this many times. The row of a request stays in memory, twice as text and in several
 * indexes, while its header and body are on the disk. So a flood of tiny requests is bounded where it weighs most.
 */
const MEMORY_FACTOR = 4;
/** A removal frees this share of the quota, so that a flood does not remove one request for each new one. */
const SLACK_SHARE = 16;

type Held = Pick<
  CapturedRequest,
  'sizeBytes' | 'headerBytes' | 'forwardResponseBytes' | 'path' | 'query' | 'contentType' | 'forwardError'
>;

/** Returns the bytes that a request counts against the quotas. */
export function heldBytes(request: Held): number {
  const { sizeBytes, headerBytes, forwardResponseBytes = 0, path, query, contentType, forwardError } = request;
  const texts = path.length + (query?.length ?? 0) + (contentType?.length ?? 0) + (forwardError?.length ?? 0);
  return sizeBytes + headerBytes + forwardResponseBytes + MEMORY_FACTOR * (ROW_BYTES + texts);
}

/**
 * Returns the bytes that have to go if `held` bytes are over a quota, with some more for the next requests. Null if
 * nothing has to go.
 */
export function excessOf(held: number, quota: number): number | null {
  return held <= quota ? null : held - quota + Math.floor(quota / SLACK_SHARE);
}

/** Returns the bytes of the largest request that both quotas have room for. */
export function largestCapture({ captureQuota, captureTotal }: CaptureQuotas): number {
  return Math.min(captureQuota, captureTotal);
}
