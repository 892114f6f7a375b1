import type { MessageId } from '../domain/ids.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';

/** A message that may be looked at by whoever has the token. */
export interface View {
  readonly messageId: MessageId;
  readonly allowed: AllowedHosts;
  /** Milliseconds of real time, which no clock setting moves. */
  readonly expiresAt: number;
}

/** The views given out: capabilities for minutes, kept in memory alone. */
export interface Views {
  /** The token of a new view, which can't be guessed. */
  open(view: View): string;
  /** Null for a token that is unknown or over at `realNow`. */
  get(token: string, realNow: number): View | null;
}
