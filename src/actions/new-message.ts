import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { BlobRef, Message } from '../domain/message.ts';
import { type Moment, timeOf } from '../domain/moment.ts';
import type { Scan } from '../mail/scan.ts';
import type { Tx } from '../ports/store.ts';

/** The part of a scan that the summary of a message needs. */
export type Scanned = Omit<Scan, 'parts' | 'limit'>;

/** A mail whose bytes are already in the store. */
export interface KeptMail {
  readonly raw: BlobRef;
  readonly facts: BlobRef;
  readonly scanned: Scanned;
  readonly mailFrom: string;
  /** The envelope recipients whose mail goes to this mailbox. */
  readonly rcptTo: readonly string[];
}

/** Builds the mailbox's next message. The caller inserts it in the same transaction. */
export async function newMessage(
  ctx: Context,
  tx: Tx,
  mailbox: Mailbox,
  { raw, facts, scanned, mailFrom, rcptTo }: KeptMail,
  now: Moment,
): Promise<Message> {
  const workspace = await tx.workspaces.get(mailbox.workspaceId);
  return {
    id: ctx.ids.next<MessageId>(now.realNow, await tx.events.lastId()),
    workspaceId: mailbox.workspaceId,
    mailboxId: mailbox.id,
    // The id has real time and this has the time of the workspace (src/domain/clock-steps.ts).
    receivedAt: timeOf(workspace, now),
    sizeBytes: scanned.sizeBytes,
    attachmentCount: scanned.attachmentCount,
    from: scanned.from ?? (mailFrom || null),
    to: scanned.to ?? (rcptTo.join(', ') || null),
    cc: scanned.cc,
    subject: scanned.subject,
    mailFrom,
    rcptTo,
    raw,
    facts,
  };
}
