import { checkRoom, MailRefused, takerOf } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import { momentNow } from '../ports/clock.ts';
import { applySmtpFault } from './faults.ts';
import { REPLIES, ReplyError } from './reply.ts';
import type { Session } from './session.ts';

const MAX_RECIPIENTS = 1_000;

/**
 * Checks a recipient of RCPT and adds it to the session. Throws if it is refused. The transaction that stores the mail
 * checks again.
 */
export async function takeRecipient(ctx: Context, session: Session, recipient: string): Promise<void> {
  session.ask(recipient);
  if (session.rcptTo.length >= MAX_RECIPIENTS) throw new ReplyError(REPLIES.too_many_recipients);
  const read = await ctx.store.readNow();
  const into = session.user?.mailbox?.id ?? null;
  const mailbox = into === null ? await takerOf(ctx, read, recipient) : await read.mailboxes.get(into);
  session.concerns = mailbox;
  const fault = applySmtpFault(ctx, 'rcpt', session);
  if (fault !== undefined) await fault;
  if (mailbox === null) throw new MailRefused('no_such_mailbox');
  await checkRoom(ctx, read, mailbox, session.declaredBytes, momentNow(ctx.clock));
  session.rcptTo.push(recipient);
  session.mailboxIds.add(mailbox.id);
}
