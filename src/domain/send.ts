import { parseEnvelopeAddress } from './address.ts';
import type { MailboxId, MessageId, SendId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';
import { isSimulator } from './outbound.ts';

/**
 * The state of a send. `captured` means neither delivered locally nor relayed: a local tool never mails strangers
 * (docs/contract.md#delivery).
 */
export type SendState = 'queued' | 'delivered' | 'captured' | 'bounced' | 'complained' | 'failed';

/** An email accepted for delivery to its recipients. */
export interface Send {
  readonly id: SendId;
  readonly workspaceId: WorkspaceId;
  readonly mailboxId: MailboxId;
  /** The message in the sending mailbox. */
  readonly messageId: MessageId;
  readonly from: string;
  readonly recipients: readonly SendRecipient[];
  readonly state: SendState;
  /** The bytes of the message. They are kept as long as a recipient waits for delivery. */
  readonly raw: BlobRef | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How mail that came leaves again by itself. Absent for an email that a mailbox sends. */
  readonly onward?: Onward;
}

/** The facts that only mail that leaves by itself has (docs/drop-in.md#mail-that-leaves-by-itself). */
export interface Onward {
  /** The host and port of the server that gets it. Null means the relay. */
  readonly server: string | null;
  /** The address that replaces the From field. Null leaves it as it is. */
  readonly from: string | null;
  /** The field of this server that stands at the top of the mail. */
  readonly trace: string;
}

export interface SendRecipient {
  readonly address: string;
  readonly state: SendState;
  readonly attempts: number;
  /** The time of the next attempt. Null if none is due. */
  readonly nextAttemptAt: number | null;
  /** Tells whether the relay got the whole message and may have accepted it. It is then never sent again. */
  readonly handedOver: boolean;
  /** The last reply for this recipient. */
  readonly reply: string | null;
}

/** Returns the recipient of a new send. */
export function queuedFor(address: string): SendRecipient {
  return { address, state: 'queued', attempts: 0, nextAttemptAt: null, handedOver: false, reply: null };
}

/** Tells whether a recipient of the send is still queued. */
export function isPending(send: Send): boolean {
  return send.recipients.some(({ state }) => state === 'queued');
}

/** Tells whether this recipient is still queued. */
export function isWaiting(send: Send, address: string): boolean {
  return send.recipients.some((recipient) => recipient.address === address && recipient.state === 'queued');
}

/** Returns the state of a send: `queued` while any recipient is, or else the worst state of its recipients. */
export function stateOf(recipients: readonly Pick<SendRecipient, 'state'>[]): SendState {
  const states = new Set(recipients.map(({ state }) => state));
  return WORST_FIRST.find((state) => states.has(state)) ?? 'delivered';
}

const WORST_FIRST: readonly SendState[] = ['queued', 'failed', 'bounced', 'complained', 'captured', 'delivered'];

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10 * 60_000;
/** The number of attempts. The delay doubles for 17 minutes and then stays at 10 minutes, one day in total. */
export const MAX_ATTEMPTS = 152;

/** Returns the delay in milliseconds after this many attempts. Null means to give up. */
export function retryDelayMs(attempts: number): number | null {
  return attempts >= MAX_ATTEMPTS ? null : Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
}

/** The way to a recipient: within this server, over the relay, or over a server to which mail leaves by itself. */
export type Lane = 'here' | 'relay' | `by itself ${string}`;

/** Returns the way to a server to which mail leaves by itself. Null means the relay. */
export function laneTo(server: Onward['server']): Lane {
  return server === null ? 'relay' : `by itself ${server}`;
}

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
