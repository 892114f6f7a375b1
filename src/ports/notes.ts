import type { EventData } from '../domain/event.ts';
import type { WorkspaceId } from '../domain/ids.ts';

/** The types of events that record something without changing stored state. */
export type NotedType = 'smtp.refused' | 'fault.applied' | 'totp.read';

/**
 * Records events that no caller waits for. It writes them soon after, and drops them when there are too many or the
 * disk is full.
 */
export interface Notes {
  /** Records an event and never throws. `workspaceId` is null if none is known. */
  tell<Type extends NotedType>(type: Type, workspaceId: WorkspaceId | null, data: EventData[Type]): void;
  /** Settles once all events are recorded. */
  close(): Promise<void>;
}
