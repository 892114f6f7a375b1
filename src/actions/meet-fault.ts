import type { Context } from '../context.ts';
import { type FaultAction, type FaultEvent, type HttpReply, remaining } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';
import type { Ending } from '../ports/ending.ts';
import { pause } from './pause.ts';

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
  const action = ctx.faults.meet(event);
  if (action !== null) await tell(ctx, event, action, action.reply && `${action.reply.code} ${action.reply.text}`);
  return delayed(ctx, action, ending);
}

export async function meetHttpFault(
  ctx: Context,
  event: FaultEvent<'http'>,
  ending: Ending,
): Promise<Rest<HttpReply> | null> {
  const action = ctx.faults.meet(event);
  if (action !== null) await tell(ctx, event, action, action.reply && String(action.reply.status));
  return delayed(ctx, action, ending);
}

/** Records in the feed that a fault rule was applied. */
async function tell(
  { faults, notes, store }: Context,
  { stage, mailboxIds }: FaultEvent,
  action: FaultAction,
  reply: string | null,
): Promise<void> {
  const index = faults.list().findIndex(({ rule }) => rule.action === action);
  const fault = faults.list()[index];
  if (fault === undefined) return;
  const [mailboxId, ...others] = mailboxIds;
  const only = mailboxId === undefined || others.length > 0 ? null : await store.read.mailboxes.get(mailboxId);
  notes.tell('fault.applied', only?.workspaceId ?? null, {
    ...(only !== null && { mailboxId: only.id }),
    ...{ index, stage, reply, delayMs: action.delayMs, drop: action.drop },
    ...{ applied: fault.applied, remaining: remaining(fault) },
  });
}

async function delayed<Reply>(
  { clock }: Context,
  action: FaultAction<Reply> | null,
  ending: Ending,
): Promise<Rest<Reply> | null> {
  if (action === null || action.delayMs === 0) return action;
  await pause(clock, action.delayMs, ending);
  return action;
}
