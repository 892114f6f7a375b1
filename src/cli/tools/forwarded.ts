import type { WebhookRequestSummary } from '../../client/index.ts';

const FORWARD = ['', 'pending', 'delivered', 'failed'] as const;

/** What became of a forward: `delivered 200`; empty where there was none. */
export function forwarded({ forwardStatus, forwardHttpStatus }: WebhookRequestSummary): string {
  return [FORWARD[forwardStatus], forwardHttpStatus ?? ''].join(' ').trim();
}
