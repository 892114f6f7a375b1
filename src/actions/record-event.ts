import type { Context } from '../context.ts';
import type { EventData, RecordedEvent } from '../domain/event.ts';
import type { EventId, WorkspaceId } from '../domain/ids.ts';
import type { Tx } from '../ports/store.ts';

/** Records what the feed is to tell of a transaction, in it. `workspaceId` is null where it concerns all of them. */
export async function recordEvent<Type extends keyof EventData>(
  ctx: Context,
  tx: Tx,
  type: Type,
  workspaceId: WorkspaceId | null,
  data: EventData[Type],
): Promise<void> {
  const at = ctx.clock.now();
  const id = ctx.ids.next<EventId>(at, await tx.events.lastId());
  // The pair of type and data is one of the union's.
  await tx.events.insert({ id, type, at, workspaceId, data } as RecordedEvent);
}
