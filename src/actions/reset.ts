import type { Context } from '../context.ts';
import { hashKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import { recordEvent } from './record-event.ts';
import { seededInbox, seededKey, seededWorkspace } from './seed.ts';

/**
 * Returns the server to its seeded state. The seeded workspace, mailbox and key keep their ids and everything else is
 * deleted. It also clears the clock offset, the rate limits, the fault rules and the SMTP journal.
 */
export async function reset(ctx: Context): Promise<void> {
  const { ready } = ctx.runtime;
  if (ready === null) throw refuse('starting');
  await ctx.store.transaction(async (tx) => {
    const inbox = await tx.mailboxes.inbox();
    const seeded = (await tx.workspaces.list()).find((workspace) => workspace.seeded);
    const key = await tx.keys.byHash(hashKey(ready.apiKey));
    if (inbox === null || seeded === undefined || key === null) throw new Error('the store was never seeded');
    // Replaces the workspaces instead of emptying them, so that nothing they own can be missed.
    for (const { id } of await tx.workspaces.list()) await tx.workspaces.remove(id);
    const workspace = seededWorkspace(ctx, seeded.id, seeded.createdAt);
    await tx.workspaces.insert(workspace);
    await tx.mailboxes.insert(seededInbox(ctx, workspace, inbox.id, inbox.createdAt), Number.POSITIVE_INFINITY);
    await tx.keys.insert(seededKey(workspace, ready.apiKey, key.id, key.createdAt), Number.POSITIVE_INFINITY);
    await tx.idempotency.removeExpired(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    await tx.settings.setClockOffsetMs(0);
    await tx.events.trim(0, Number.POSITIVE_INFINITY);
    await recordEvent(ctx, tx, 'reset', null, {});
  });
  ctx.clock.setOffsetMs(0);
  await ctx.limiter.reset();
  await ctx.faults.replaceAll([]);
  await ctx.journal.clear();
}
