/** What became of one recipient in one SMTP transaction. `reply` is what was answered, or why there was no answer. */
export type RelayOutcome =
  /** The relay has taken the message for it. */
  | { readonly kind: 'accepted'; readonly reply: string }
  /** 5xx: it never will. */
  | { readonly kind: 'refused'; readonly reply: string }
  /** 4xx, or no connection: it certainly has not taken it, and may later. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /** This message can't be given to this relay at all. */
  | { readonly kind: 'impossible'; readonly reply: string }
  /** The message was given over and no answer came: it may have taken it. */
  | { readonly kind: 'unknown'; readonly reply: string };

export interface RelayMessage {
  readonly from: string;
  readonly recipients: readonly string[];
  /** Exact bytes, read only when the relay wants them. */
  readonly raw: () => AsyncIterable<Uint8Array>;
  /** Called once all bytes are under way, before the end of the message is told: a rejection keeps it back. */
  readonly handOver: (accepted: readonly string[]) => Promise<void>;
}

/** Where outbound mail goes that is for nobody here. */
export interface Relay {
  /** What it is called in reports. */
  readonly name: string;
  /** How many transactions it has at a time. */
  readonly places: number;
  /** Never rejects; an outcome for each recipient. When `signal` aborts, what is under way is cut off. */
  send(message: RelayMessage, signal: AbortSignal): Promise<ReadonlyMap<string, RelayOutcome>>;
  close(): void;
}
