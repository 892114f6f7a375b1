import type { ForwardOutcome, Headers } from '../domain/forwarding.ts';
import type { HttpTarget } from '../webhooks/target.ts';

export interface OutgoingRequest {
  readonly target: HttpTarget;
  readonly method: string;
  /** The header fields to send unchanged. The fetcher adds Host and the framing of the body. */
  readonly headers: Headers;
  /** The exact bytes of the body, as a buffer or as a stream. Null means no body. */
  readonly body: Uint8Array | { readonly sizeBytes: number; open(): AsyncIterable<Uint8Array> } | null;
  /** Cancels the attempt. The outcome is then `unreachable`. */
  readonly signal?: AbortSignal;
}

/** Forwards captured requests. */
export interface Fetcher {
  /**
   * Makes one attempt. It follows no redirect and takes at most `ATTEMPT_MS`. It reads at most `KEPT_BYTES` of the
   * answer, undoes its Content-Encoding, and returns at most `KEPT_BYTES` of the result. It rejects only if the body cannot be read.
   */
  send(request: OutgoingRequest): Promise<ForwardOutcome>;
  close(): Promise<void>;
}
