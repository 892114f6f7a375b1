import type { Context } from '../context.ts';
import {
  type AppliedFault,
  type CountedFault,
  checkMailboxes,
  type FaultAction,
  type FaultEvent,
  type FaultRule,
  type FaultStage,
  MAX_FAULTS,
  type NamedFault,
  parseFaults,
  parseOneFault,
  type ReplyAt,
  tooManyFaults,
} from '../domain/fault.ts';
import type { FaultId } from '../domain/ids.ts';
import { realTime } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { pauseUntil } from './time.ts';

/** Adds a fault rule and leaves the rules of others alone. Throws `invalid_faults`. */
export async function addFault(ctx: Context, given: unknown): Promise<CountedFault> {
  const rule = parseOneFault(given);
  await checkBinding(ctx, [rule]);
  const fault = named(ctx, rule);
  if (!(await ctx.faults.add(fault, MAX_FAULTS))) throw tooManyFaults();
  return { ...fault, applied: 0 };
}

/** Removes a fault rule and returns it with its count. Returns null if there is none with this id. */
export async function removeFault(ctx: Context, id: FaultId): Promise<CountedFault | null> {
  return ctx.faults.remove(id);
}

/** Replaces the fault rules of all callers. Throws `invalid_faults`, and then none changes. */
export async function replaceFaults(ctx: Context, given: readonly unknown[]): Promise<void> {
  const rules = parseFaults(given);
  await checkBinding(ctx, rules);
  await ctx.faults.replaceAll(rules.map((rule) => named(ctx, rule)));
}

function checkBinding({ store }: Context, rules: readonly FaultRule[]): Promise<void> {
  return checkMailboxes(rules, async (id) => (await store.read.mailboxes.get(id)) !== null);
}

function named({ ids, clock }: Context, rule: FaultRule): NamedFault {
  return { id: ids.next<FaultId>(realTime(clock)), rule };
}

/**
 * Applies the first fault rule that fits the event and waits out its delay, or until `cancelSignal`. Returns what else the
 * rule does, or null if no rule fits.
 */
export async function applyFault<Stage extends FaultStage>(
  ctx: Context,
  event: FaultEvent<Stage>,
  cancelSignal: CancelSignal,
): Promise<Pick<FaultAction<ReplyAt<Stage>>, 'reply' | 'drop'> | null> {
  const fault = await ctx.faults.apply(event);
  if (fault === null) return null;
  const { action } = fault;
  await tell(ctx, event, fault);
  if (action.delayMs > 0) await pauseUntil(ctx.clock, action.delayMs, cancelSignal);
  return action;
}

/** Records in the feed that a fault rule was applied. */
async function tell(
  { notes, store }: Context,
  { stage, mailboxIds }: FaultEvent,
  { id, index, action: { reply, delayMs, drop }, applied, remaining }: AppliedFault,
): Promise<void> {
  const told = reply && ('code' in reply ? `${reply.code} ${reply.text}` : String(reply.status));
  const [mailboxId, ...others] = mailboxIds;
  const only = mailboxId === undefined || others.length > 0 ? null : await store.read.mailboxes.get(mailboxId);
  notes.tell('fault.applied', only?.workspaceId ?? null, {
    ...(only !== null && { mailboxId: only.id }),
    ...{ faultId: id, index, stage, reply: told, delayMs, drop },
    ...{ applied, remaining },
  });
}
