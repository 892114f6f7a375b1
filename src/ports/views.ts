import type { MessageId } from '../domain/ids.ts';
import type { AllowedHosts } from '../extract/remote-hosts.ts';
import type { Random } from './random.ts';

/** Read access to one message, or to a mail that is attached to it, for anyone who has the token. */
export interface View {
  readonly messageId: MessageId;
  /** The id of the attached mail that the view shows. Without it, the view shows the message. */
  readonly attachedId?: string;
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

/** The number of open views. A new one beyond it replaces the oldest. */
export const MAX_VIEWS = 1_000;

const TOKEN_BYTES = 32;

/** Returns a new unguessable token of a view. */
export function createViewToken(random: Random): string {
  return Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
}
