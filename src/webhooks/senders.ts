import { SCHEME_NAMES, type SchemeName } from './schemes.ts';

// This module is the table of services that send webhooks: how long each waits for an answer, and when it retries.

/** A service that sends webhooks, or `mailcap`. */
export type SenderName = (typeof SENDER_NAMES)[number];

export const SENDER_NAMES = [...SCHEME_NAMES, 'mailcap'] as const;

export interface SenderAnswer {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** `true` if none came in time. */
  readonly isLate: boolean;
  /** `true` if mailcap may not connect to the target, so that no retry can succeed. */
  readonly isRefused?: boolean;
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestSender {
  readonly scheme: SchemeName;
  /** The time for the whole answer, in milliseconds. mailcap waits 10 s at most. */
  readonly timeoutMs: number;
  /** The delays before the second try and the later ones, in seconds. */
  readonly delays: readonly number[];
  /** Tells whether a failed answer ends the tries. */
  ends?(answer: SenderAnswer): boolean;
  /** The header fields of a try after a failure. `number` is 2 for the second try. */
  fieldsOfRetry?(number: number, last: SenderAnswer): readonly (readonly [name: string, value: string])[];
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const LONGEST_MS = 10_000;

/** The example of the specification of Standard Webhooks. */
const STANDARD = {
  timeoutMs: LONGEST_MS,
  delays: [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  ends: ({ status }: SenderAnswer) => status === 410,
} as const;

const SENDERS: Readonly<Record<SenderName, RequestSender>> = {
  // Three tries over a few hours are those of a sandbox. Stripe does not publish the times.
  stripe: { scheme: 'stripe', timeoutMs: LONGEST_MS, delays: [5 * MINUTE, 30 * MINUTE, 2 * HOUR] },
  // GitHub never tries again by itself.
  github: { scheme: 'github', timeoutMs: LONGEST_MS, delays: [] },
  slack: {
    scheme: 'slack',
    timeoutMs: 3_000,
    // "Nearly immediately", after a minute, and after five.
    delays: [1, MINUTE, 5 * MINUTE],
    ends: ({ headers }) => headers['x-slack-no-retry'] === '1',
    fieldsOfRetry: (number, last) => [
      ['X-Slack-Retry-Num', String(number - 1)],
      ['X-Slack-Retry-Reason', reasonOf(last)],
    ],
  },
  // Eight tries over four hours, each pause twice the one before. Shopify does not publish the times.
  shopify: { scheme: 'shopify', timeoutMs: 5_000, delays: [56, 112, 224, 448, 896, 1_792, 3_584, 7_168] },
  svix: {
    scheme: 'svix',
    timeoutMs: LONGEST_MS,
    delays: [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  },
  'standard-webhooks': { ...STANDARD, scheme: 'standard-webhooks' },
  mailcap: { ...STANDARD, scheme: 'standard-webhooks' },
};

/** Returns how a service delivers; like the example of Standard Webhooks if there is no such service. */
export function senderNamed(name: SenderName | null): RequestSender {
  return SENDERS[name ?? 'standard-webhooks'];
}

/** Tells whether the status of an answer is a success. Every one of these services takes 2xx alone. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The longest time that a `Retry-After` puts the next try off, in seconds. */
const LONGEST_ASKED_SECONDS = 24 * HOUR;

/**
 * Returns the delay before the next try in milliseconds; null if there is none. `number` is that of the try that failed,
 * 1 for the first.
 */
export function delayAfter(
  sender: RequestSender,
  number: number,
  answer: SenderAnswer,
  retries: number,
): number | null {
  const delay = sender.delays[number - 1];
  if (number > retries || delay === undefined || answer.isRefused || sender.ends?.(answer)) return null;
  const asked = answer.headers['retry-after'] ?? '';
  const asks = sender.scheme === 'standard-webhooks' && /^\d{1,9}$/.test(asked);
  return Math.max(delay, asks ? Math.min(LONGEST_ASKED_SECONDS, Number(asked)) : 0) * 1_000;
}

function reasonOf({ status, isLate }: SenderAnswer): string {
  if (isLate) return 'http_timeout';
  return status === null ? 'connection_failed' : 'http_error';
}
