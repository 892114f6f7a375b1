import type { Context } from '../context.ts';
import type { CountedFault, FaultRule, NamedFault } from '../domain/fault.ts';
import { checkMailboxes, MAX_FAULTS, parseFaults, parseOneFault, tooManyFaults } from '../domain/fault-parse.ts';
import type { FaultId } from '../domain/ids.ts';
import { realTime } from '../ports/clock.ts';

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

/** Replaces all fault rules, whoever added them. Throws `invalid_faults`, and then none changes. */
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
