import type { Context } from '../context.ts';
import type { FaultAction, FaultEvent, HttpReply, MetFault } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';
import type { Ending } from '../ports/ending.ts';
import { pauseUntil } from './pause.ts';

type Rest<Reply> = Pick<FaultAction<Reply>, 'reply' | 'drop'>;

/**
 * Applies the first fault rule that fits the event and waits out its delay, or until `ending`. Returns what else the
 * rule does, or null if no rule fits.
 */
export async function meetSmtpFault(
  ctx: Context,
  event: FaultEvent<SmtpStage>,
  ending: Ending,
): Promise<Rest<SmtpReply> | null> {
  const met = await ctx.faults.meet(event);
  if (met === null) return null;
  const { reply } = met.action;
  await tell(ctx, event, met, reply && `${reply.code} ${reply.text}`);
  return delayed(ctx, met.action, ending);
}

export async function meetHttpFault(
  ctx: Context,
  event: FaultEvent<'http'>,
  ending: Ending,
): Promise<Rest<HttpReply> | null> {
  const met = await ctx.faults.meet(event);
  if (met === null) return null;
  await tell(ctx, event, met, met.action.reply && String(met.action.reply.status));
  return delayed(ctx, met.action, ending);
}

/** Records in the feed that a fault rule was applied. */
async function tell(
  { notes, store }: Context,
  { stage, mailboxIds }: FaultEvent,
  { id, index, action, applied, remaining }: MetFault,
  reply: string | null,
): Promise<void> {
  const [mailboxId, ...others] = mailboxIds;
  const only = mailboxId === undefined || others.length > 0 ? null : await store.read.mailboxes.get(mailboxId);
  notes.tell('fault.applied', only?.workspaceId ?? null, {
    ...(only !== null && { mailboxId: only.id }),
    ...{ faultId: id, index, stage, reply, delayMs: action.delayMs, drop: action.drop },
    ...{ applied, remaining },
  });
}

async function delayed<Reply>({ clock }: Context, action: FaultAction<Reply>, ending: Ending): Promise<Rest<Reply>> {
  if (action.delayMs > 0) await pauseUntil(clock, action.delayMs, ending);
  return action;
}
