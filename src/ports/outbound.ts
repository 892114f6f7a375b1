import type { ForwardOutcome, Headers } from '../domain/captured-request.ts';
import type { HttpTarget } from '../webhooks/exchange.ts';

/** The outcome for one recipient of one SMTP transaction. */
export interface RelayOutcome {
  /**
   * `accepted`: the relay accepted the message. `refused`: it refused the recipient permanently with a 5xx reply.
   * `deferred`: it gave a 4xx reply or no connection was possible, so that it certainly did not accept the message, but a
   * later attempt may succeed. `impossible`: the message cannot be sent to this relay at all. `unknown`: the whole message
   * was sent but no reply came, so that the relay may have accepted it.
   */
  readonly kind: 'accepted' | 'refused' | 'deferred' | 'impossible' | 'unknown';
  /** The relay's reply, or the reason why there was none. */
  readonly reply: string;
}

export interface RelayMessage {
  readonly from: string;
  readonly recipients: readonly string[];
  /** The exact bytes of the message. They are read only when the relay is ready for them. */
  readonly raw: () => AsyncIterable<Uint8Array>;
  /** Called after the last byte and before the end of data is sent. If it rejects, the message is not completed. */
  readonly handOver: (accepted: readonly string[]) => Promise<void>;
}

/** The relay for mail to recipients outside this server. */
export interface Relay {
  /** The relay's name in reports. */
  readonly name: string;
  /** The maximum number of concurrent transactions. */
  readonly places: number;
  /**
   * Sends a message and returns an outcome for each recipient. It never rejects. An abort of `signal` cuts the
   * transaction off.
   */
  send(message: RelayMessage, signal: AbortSignal): Promise<ReadonlyMap<string, RelayOutcome>>;
  close(): void;
}

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
