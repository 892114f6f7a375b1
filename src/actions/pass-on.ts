import type { Context } from '../context.ts';
import { leavingTo, serverOf } from '../domain/auto-relay.ts';
import type { SendId } from '../domain/ids.ts';
import type { Message, ReceiptMetadata } from '../domain/message.ts';
import { queuedFor, type Send } from '../domain/send.ts';
import type { Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import { mailDate } from '../text/mail-date.ts';
import { recordSendUpdated } from './record-event.ts';
import { timeIn } from './time.ts';

// Mail that comes leaves again by the rules of the configuration (docs/drop-in.md#mail-that-leaves-by-itself). It is a
// send, so that its tries outlive the process.

/**
 * Puts mail that came by SMTP, or by an API of other catchers as if by SMTP, on its way to other servers. The transaction
 * is the one that stores it, so that a server that stops loses nothing that it took.
 */
export async function passOn(
  ctx: Context,
  tx: Tx,
  { source }: ReceiptMetadata,
  messages: readonly Message[],
): Promise<void> {
  if (source !== 'smtp' && source !== 'api') return;
  for (const { rule } of ctx.autoRelays)
    for (const [at, message] of messages.entries()) {
      // The copies of a mail in several mailboxes have recipients of their own, unless the rule replaces these.
      if (at > 0 && rule.to !== null) continue;
      const recipients = message.rcptTo.length === 0 ? [] : leavingTo(rule, message.rcptTo);
      if (recipients.length === 0) continue;
      const now = await timeIn(ctx, tx, message.workspaceId);
      const send: Send = {
        id: ctx.ids.next<SendId>(realTime(ctx.clock), message.id),
        workspaceId: message.workspaceId,
        mailboxId: message.mailboxId,
        messageId: message.id,
        from: rule.from ?? rule.sender ?? message.mailFrom,
        recipients: recipients.map(queuedFor),
        state: 'queued',
        raw: message.raw,
        createdAt: now,
        updatedAt: now,
        onward: { server: serverOf(rule), from: rule.from, trace: trace(ctx, message) },
      };
      await tx.sends.insert(send);
      await recordSendUpdated(ctx, tx, send);
    }
}

/** The field that every server on the way writes (RFC 5321 4.4). It also ends circles. */
function trace({ clock, config }: Context, { id }: Message): string {
  return `Received: by ${config.mailDomain} (mailcap) id ${id}; ${mailDate(realTime(clock))}\r\n`;
}
