import type { WebhookRequestSummary } from '../../client/index.ts';

const FORWARD = ['', 'pending', 'delivered', 'failed'] as const;

/** Formats the result of a forward: `delivered 200`; empty if the request was not forwarded. */
export function forwarded({ forwardStatus, forwardHttpStatus }: WebhookRequestSummary): string {
  return [FORWARD[forwardStatus], forwardHttpStatus ?? ''].join(' ').trim();
}
