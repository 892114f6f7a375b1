import { FORWARDS, saidForward } from '../../../ui/model/words.ts';
import type { WebhookRequestSummary } from '../../client/index.ts';

/** Formats the result of a forward: `delivered 200`; empty if the request was not forwarded. */
export function forwarded({ forwardStatus, forwardHttpStatus }: WebhookRequestSummary): string {
  return saidForward(FORWARDS[forwardStatus] ?? 'none', forwardHttpStatus);
}
