import type { Context } from '../context.ts';
import type { EventData, RecordedEvent } from '../domain/event.ts';
import type { EventId, WorkspaceId } from '../domain/ids.ts';
import { realTime } from '../ports/clock.ts';
import type { Tx } from '../ports/store.ts';
import { timeIn } from './workspace-time.ts';

/**
 * Records an event for the feed in the transaction that causes it. `workspaceId` is null for an event that concerns
 * every workspace.
 */
export async function recordEvent<Type extends keyof EventData>(
  ctx: Context,
  tx: Tx,
  type: Type,
  workspaceId: WorkspaceId | null,
  data: EventData[Type],
): Promise<void> {
  const at = await timeIn(ctx, tx, workspaceId);
  const id = ctx.ids.next<EventId>(realTime(ctx.clock), await tx.events.lastId());
  // `type` and `data` fit together by the signature, so they form one member of the union.
  await tx.events.insert({ id, type, at, workspaceId, data } as RecordedEvent);
}
