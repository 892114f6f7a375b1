import type { Context } from '../context.ts';
import type { FaultAction, FaultEvent, HttpReply } from '../domain/fault.ts';
import type { SmtpReply, SmtpStage } from '../domain/smtp-stage.ts';
import type { Ending } from '../ports/ending.ts';
import { pause } from './pause.ts';

type Rest<Reply> = Pick<FaultAction<Reply>, 'reply' | 'drop'>;

/** What a fault rule does to what happens, its delay waited out, or cut short at the ending. Null where none applies. */
export async function meetSmtpFault(
  ctx: Context,
  event: FaultEvent<SmtpStage>,
  ending: Ending,
): Promise<Rest<SmtpReply> | null> {
  return delayed(ctx, ctx.faults.meet(event), ending);
}

export async function meetHttpFault(
  ctx: Context,
  event: FaultEvent<'http'>,
  ending: Ending,
): Promise<Rest<HttpReply> | null> {
  return delayed(ctx, ctx.faults.meet(event), ending);
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
