import type { CapturedRequestId, WebhookId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';

export type ForwardStatus = 'none' | 'pending' | 'delivered' | 'failed';

/** A request that came to a capture URL, as it came. */
export interface CapturedRequest {
  readonly id: CapturedRequestId;
  readonly workspaceId: WorkspaceId;
  readonly webhookId: WebhookId;
  readonly receivedAt: number;
  readonly method: string;
  /** What follows the capture key, still percent-encoded, `/` at least. */
  readonly path: string;
  /** Without `?`; null where there was none. */
  readonly query: string | null;
  readonly contentType: string | null;
  readonly sizeBytes: number;
  readonly sourceIp: string | null;
  /** What the caller was answered. */
  readonly responseStatus: number;
  readonly forwardStatus: ForwardStatus;
  readonly forwardAttempts: number;
  /** The last attempt. */
  readonly forwardedAt: number | null;
  readonly forwardHttpStatus: number | null;
  readonly forwardError: string | null;
  /** The first 64 KiB of the target's answer, as text. */
  readonly forwardResponse: BlobRef | null;
  /** When the next attempt is due; null where none is. */
  readonly nextForwardAt: number | null;
  /** `[[name, value], ...]` as JSON: in order, in the case sent, repeats kept. */
  readonly headers: BlobRef;
  /** Null where the request had no body, which is another thing than an empty one. */
  readonly body: BlobRef | null;
}
