import type { Context } from '../context.ts';
import { hashKey } from '../domain/api-key.ts';
import { refuse } from '../domain/errors.ts';
import { recordEvent } from './record-event.ts';
import { seededInbox, seededKey, seededWorkspace } from './seed.ts';

/** Back to the seeded state: its workspace, mailbox and key keep their ids, everything else is gone, time is real again and nothing fails on purpose. */
export async function reset(ctx: Context): Promise<void> {
  const { ready } = ctx.runtime;
  if (ready === null) throw refuse('starting');
  await ctx.store.transaction(async (tx) => {
    const inbox = await tx.mailboxes.inbox();
    const seeded = (await tx.workspaces.list()).find((workspace) => workspace.seeded);
    const key = await tx.keys.byHash(hashKey(ready.apiKey));
    if (inbox === null || seeded === undefined || key === null) throw new Error('the store was never seeded');
    // Made anew rather than cleaned: nothing that hangs on a workspace can be forgotten.
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
  ctx.limiter.reset();
  ctx.faults.set([]);
  ctx.journal.clear();
}
