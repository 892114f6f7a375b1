import type { CapturedRequestId, WebhookId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';

export type ForwardStatus = 'none' | 'pending' | 'delivered' | 'failed';

/** A request to a capture URL, stored as received. */
export interface CapturedRequest {
  readonly id: CapturedRequestId;
  readonly workspaceId: WorkspaceId;
  readonly webhookId: WebhookId;
  readonly receivedAt: number;
  readonly method: string;
  /** The path after the capture key, still percent-encoded. It is at least `/`. */
  readonly path: string;
  /** The query without `?`. Null if there was none. */
  readonly query: string | null;
  readonly contentType: string | null;
  /** The size of the body in bytes. */
  readonly sizeBytes: number;
  /** The size of the stored header fields in bytes. Rows of earlier versions do not have it. */
  readonly headerBytes?: number;
  /** The size of the stored answer of the forward target in bytes. Absent without one, as in rows of earlier versions. */
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
