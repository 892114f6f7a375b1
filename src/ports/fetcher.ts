import type { Headers, Outcome, Target } from '../domain/forwarding.ts';

export interface OutgoingRequest {
  readonly target: Target;
  readonly method: string;
  /** Sent as they are, beside Host and what frames the body. */
  readonly headers: Headers;
  /** Exact bytes, in hand or to be read as they are sent; null where there are none. */
  readonly body: Uint8Array | { readonly sizeBytes: number; open(): AsyncIterable<Uint8Array> } | null;
  /** Ends it early; it is then `unreachable`. */
  readonly signal?: AbortSignal;
}

/** Sends captured requests on. */
export interface Fetcher {
  /**
   * One attempt: follows no redirect, decodes nothing, and takes no longer than `ATTEMPT_MS`. Of the answer no more than
   * `KEPT_BYTES` are read. Rejects only where the body can't be read.
   */
  send(request: OutgoingRequest): Promise<Outcome>;
  close(): Promise<void>;
}
