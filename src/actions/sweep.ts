import type { Context } from '../context.ts';

/** Rows in one transaction: others queue behind it. */
const BATCH = 500;

/** Removes what is past its retention, and gives its space back. How many rows went. */
export async function sweep(ctx: Context): Promise<number> {
  let removed = 0;
  for (let batch = BATCH; batch >= BATCH; removed += batch) batch = await sweepBatch(ctx);
  await ctx.store.reclaim();
  return removed;
}

function sweepBatch(ctx: Context): Promise<number> {
  return ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now();
    let removed = await tx.idempotency.removeExpired(now, BATCH);
    for (const workspace of await tx.workspaces.list()) {
      for (const mailbox of await tx.mailboxes.list(workspace.id)) {
        if (removed >= BATCH) return removed;
        removed += await tx.messages.removeExpired(mailbox.id, now, BATCH - removed);
      }
    }
    return removed;
  });
}
