import type { EventData, EventType, FeedItem } from '../domain/event.ts';
import type { EventId, MailboxId, WorkspaceId } from '../domain/ids.ts';

/** Selects the events a subscriber gets. An absent field admits every event. */
export interface FeedFilter {
  readonly types?: ReadonlySet<EventType> | undefined;
  readonly mailboxId?: MailboxId | undefined;
}

/** The destination of a subscriber's events. */
export interface EventSink {
  /** Takes encoded events. Returns false if it accepts no more until the subscription is resumed. */
  write(events: Buffer): boolean;
}

/** Writes events for the wire. */
export interface Encoder {
  encode(item: FeedItem): Buffer;
  /** Joins the encoded events of a batch. Default: it concatenates them. */
  pack?(events: readonly Buffer[]): Buffer;
}

export interface Subscription {
  /** Tells the feed that the outlet accepts events again. */
  resume(): void;
  end(): void;
}

export interface Feed {
  /**
   * Sends the events after a position to `outlet`. Null starts at the first event. Events arrive after their commit, in
   * order, each exactly once.
   */
  subscribe(filter: FeedFilter, after: EventId | null, outlet: EventSink): Subscription;
  /** The number of subscribers. */
  readonly size: number;
  close(): void;
}

/** The types of events that record something without changing stored state. */
type NotedType = 'smtp.refused' | 'fault.applied' | 'totp.read';

/**
 * Records events that no caller waits for. It writes them soon after, and drops them when there are too many or the
 * disk is full.
 */
export interface BestEffortEvents {
  /** Records an event and never throws. `workspaceId` is null if none is known. */
  tell<Type extends NotedType>(type: Type, workspaceId: WorkspaceId | null, data: EventData[Type]): void;
  /** Settles once all events are recorded. */
  close(): Promise<void>;
}
