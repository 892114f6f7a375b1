import type { MailboxId, MessageId, SendId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';

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
