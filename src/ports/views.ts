import type { MessageId } from '../domain/ids.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';

/** Read access to one message for anyone who has the token. */
export interface View {
  readonly messageId: MessageId;
  readonly allowed: AllowedHosts;
  /** The expiry in milliseconds since 1970. The clock offset does not move it. */
  readonly expiresAt: number;
}

/** The open views. They expire after minutes and may be forgotten earlier. */
export interface Views {
  /** Opens a view and returns its unguessable token. */
  open(view: View): Promise<string>;
  /** Returns the view, or null if the token is unknown or expired at `realNow`. */
  get(token: string, realNow: number): Promise<View | null>;
}
