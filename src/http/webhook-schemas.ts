import type { CapturedRequest, ForwardStatus } from '../domain/captured-request.ts';
import { writeTime } from '../domain/time.ts';

const FORWARD_STATUSES = { none: 0, pending: 1, delivered: 2, failed: 3 } as const satisfies Record<
  ForwardStatus,
  number
>;

export function toForwardStatus(status: ForwardStatus): 0 | 1 | 2 | 3 {
  return FORWARD_STATUSES[status];
}

export function toWebhookRequestSummary(request: CapturedRequest): object {
  return {
    id: request.id,
    method: request.method,
    path: request.path,
    contentType: request.contentType,
    sizeBytes: request.sizeBytes,
    sourceIp: request.sourceIp,
    receivedAt: writeTime(request.receivedAt),
    responseStatus: request.responseStatus,
    forwardStatus: FORWARD_STATUSES[request.forwardStatus],
    forwardHttpStatus: request.forwardHttpStatus,
  };
}
