import type { EventData } from '../domain/event.ts';
import type { WorkspaceId } from '../domain/ids.ts';

/** What happens without anything being stored for it. */
export type NotedType = 'smtp.refused' | 'fault.applied' | 'totp.read';

/** Tells the feed of what nobody waits for: it is recorded soon, and left out where there is too much of it or the disk is full. */
export interface Notes {
  /** Never throws. `workspaceId` is null where none is known. */
  tell<Type extends NotedType>(type: Type, workspaceId: WorkspaceId | null, data: EventData[Type]): void;
  /** Settles once what was told is recorded. */
  close(): Promise<void>;
}
