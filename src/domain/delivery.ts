import { parseEnvelopeAddress } from './address.ts';
import { retryDelayMs, type SendRecipient } from './send.ts';
import { isSimulator } from './simulator.ts';

/** The way to a recipient: within this server, or over the relay. */
export type Lane = 'here' | 'relay';

export function isLocalRecipient(address: string, mailDomain: string): boolean {
  const domain = parseEnvelopeAddress(address)?.domain ?? '';
  return domain === mailDomain || domain.endsWith(`.${mailDomain}`);
}

/**
 * Chooses the lane of a recipient (docs/contract.md#delivery). Addresses under the mail domain and claimed addresses
 * are delivered here (docs/claimed-addresses.md). Others go to the relay, or are captured here if there is
 * none.
 */
export function laneOf(
  address: string,
  { mailDomain, hasRelay, isClaimed }: { mailDomain: string; hasRelay: boolean; isClaimed: boolean },
): Lane {
  const isHere = isClaimed || isLocalRecipient(address, mailDomain) || isSimulator(address, mailDomain);
  return hasRelay && !isHere ? 'relay' : 'here';
}

/** The outcome of an attempt for one recipient. `queued` means that the attempt may be repeated. */
export interface DeliveryOutcome {
  readonly state: SendRecipient['state'];
  /** The reply, or the reason why there was none. */
  readonly reply: string;
  /** The host that answered, if it was not this server. */
  readonly remote?: string;
}

/** Returns the recipient after an attempt at `realNow`, in milliseconds without the clock offset. */
export function recipientAfterAttempt(
  recipient: SendRecipient,
  { state, reply }: DeliveryOutcome,
  realNow: number,
): SendRecipient {
  const attempts = recipient.attempts + 1;
  const delayMs = state === 'queued' ? retryDelayMs(attempts) : null;
  const reached = { ...recipient, attempts, reply };
  if (state !== 'queued') return { ...reached, state, nextAttemptAt: null };
  if (delayMs === null) return { ...reached, state: 'failed', nextAttemptAt: null, handedOver: false };
  return { ...reached, nextAttemptAt: realNow + delayMs, handedOver: false };
}
