import type { MailboxId, MessageId, SendId, WorkspaceId } from './ids.ts';
import type { BlobRef } from './message.ts';

/** `captured`: neither local nor relayed, for a local tool never mails a stranger (contract 3, Outbound). */
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
