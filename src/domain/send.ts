import type { MailboxId, MessageId, SendId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';

/** `captured`: neither local nor relayed, for a local tool never mails a stranger (docs/contract.md#delivery). */
export type SendState = 'queued' | 'delivered' | 'captured' | 'bounced' | 'complained' | 'failed';

/** An email accepted for delivery: one message to its recipients. */
export interface Send {
  readonly id: SendId;
  readonly workspaceId: WorkspaceId;
  readonly mailboxId: MailboxId;
  /** The message as it stands in the sending mailbox. */
  readonly messageId: MessageId;
  readonly from: string;
  readonly recipients: readonly SendRecipient[];
  readonly state: SendState;
  /** The message's bytes, kept here as long as a recipient waits for them. */
  readonly raw: BlobRef | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SendRecipient {
  readonly address: string;
  readonly state: SendState;
  readonly attempts: number;
  /** When the next attempt is due; null where none is. */
  readonly nextAttemptAt: number | null;
  /** The relay was given the whole message and may have accepted it: it is never given it again. */
  readonly handedOver: boolean;
  /** What was last answered for this recipient. */
  readonly reply: string | null;
}

/** Whether anything of it is still to be delivered. */
export function isPending(send: Send): boolean {
  return send.recipients.some(({ state }) => state === 'queued');
}

/** Whether this recipient of it is still to be delivered to. */
export function isWaiting(send: Send, address: string): boolean {
  return send.recipients.some((recipient) => recipient.address === address && recipient.state === 'queued');
}

/** What a send came to as a whole: queued while a recipient is, else the worst that any of them came to. */
export function stateOf(recipients: readonly Pick<SendRecipient, 'state'>[]): SendState {
  const states = new Set(recipients.map(({ state }) => state));
  return WORST_FIRST.find((state) => states.has(state)) ?? 'delivered';
}

const WORST_FIRST: readonly SendState[] = ['queued', 'failed', 'bounced', 'complained', 'captured', 'delivered'];

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10 * 60_000;
/** Seventeen minutes of doubling, and then every ten: a day. */
export const MAX_ATTEMPTS = 152;

/** Milliseconds to wait after so many attempts that may be repeated; null when it is time to give up. */
export function retryDelayMs(attempts: number): number | null {
  return attempts >= MAX_ATTEMPTS ? null : Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
}
