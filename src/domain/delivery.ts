import { parseEnvelopeAddress } from './address.ts';
import { retryDelayMs, type SendRecipient } from './send.ts';
import { isSimulator } from './simulator.ts';

/** How a recipient is reached: within this server, or over the relay. */
export type Lane = 'here' | 'relay';

export function isLocal(address: string, mailDomain: string): boolean {
  const domain = parseEnvelopeAddress(address)?.domain ?? '';
  return domain === mailDomain || domain.endsWith(`.${mailDomain}`);
}

/**
 * Contract 3, Outbound: under the mail domain it is delivered here; elsewhere it goes to the relay, or is captured. What a
 * mailbox claims is that mailbox's (contract 6), and leaves no less than the mail domain does.
 */
export function laneOf(
  address: string,
  { mailDomain, hasRelay, isClaimed }: { mailDomain: string; hasRelay: boolean; isClaimed: boolean },
): Lane {
  const isHere = isClaimed || isLocal(address, mailDomain) || isSimulator(address, mailDomain);
  return hasRelay && !isHere ? 'relay' : 'here';
}

/** What an attempt came to for one recipient. `queued`: not yet, it may be repeated. */
export interface Outcome {
  readonly state: SendRecipient['state'];
  /** What was answered, or why nothing was. */
  readonly reply: string;
  /** Who answered, where it was not this server. */
  readonly remote?: string;
}

/** The recipient after an attempt made at `realNow`, milliseconds without the clock's offset. */
export function afterAttempt(recipient: SendRecipient, { state, reply }: Outcome, realNow: number): SendRecipient {
  const attempts = recipient.attempts + 1;
  const delayMs = state === 'queued' ? retryDelayMs(attempts) : null;
  const reached = { ...recipient, attempts, reply };
  if (state !== 'queued') return { ...reached, state, nextAttemptAt: null };
  if (delayMs === null) return { ...reached, state: 'failed', nextAttemptAt: null, handedOver: false };
  return { ...reached, nextAttemptAt: realNow + delayMs, handedOver: false };
}
