import { applyFault } from '../actions/faults.ts';
import type { Context } from '../context.ts';
import type { FaultEvent } from '../domain/fault.ts';
import type { SmtpStage } from '../domain/smtp.ts';
import type { Session } from './journal.ts';
import { REPLIES, ReplyError, replyTo } from './reply.ts';

/**
 * Applies a fault rule (docs/faults.md): it waits, then throws the {@link ReplyError} of the rule. Returns
 * undefined if no rule exists for the stage. If the client leaves meanwhile, it throws too, so that no further work is
 * done.
 */
export function applySmtpFault(
  ctx: Context,
  stage: SmtpStage,
  session: Session,
  user = session.user?.name ?? null,
): Promise<void> | undefined {
  return ctx.faults.has(stage) ? meet(ctx, eventOf(stage, session, user), session) : undefined;
}

async function meet(ctx: Context, event: FaultEvent<SmtpStage>, session: Session): Promise<void> {
  const action = await applyFault(ctx, event, session).catch((error: unknown) => {
    throw new ReplyError(replyTo(error, ctx.log));
  });
  if (session.isCancelled) throw new ReplyError(REPLIES.dropped);
  if (action === null || (action.reply === null && !action.drop)) return;
  session.refuseByFault(true);
  if (action.drop) session.drop();
  throw new ReplyError(action.reply ?? REPLIES.dropped);
}

function eventOf(stage: SmtpStage, session: Session, user: string | null): FaultEvent<SmtpStage> {
  const { clientAddress, helo, mailFrom, rcptTo, asked, concerns, mailboxIds } = session;
  return {
    stage,
    texts: {
      clientAddress,
      helo,
      user,
      // The null sender is written as `<>`, because an empty pattern would mean none.
      from: mailFrom === '' ? '<>' : mailFrom,
      to: stage === 'rcpt' ? asked : rcptTo,
    },
    mailboxIds: stage === 'data' || stage === 'end' ? [...mailboxIds] : concerns === null ? [] : [concerns.id],
  };
}
