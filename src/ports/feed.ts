import type { EventType } from '../domain/event.ts';
import type { EventId, MailboxId } from '../domain/ids.ts';

/** Selects the events a subscriber gets. An absent field admits every event. */
export interface FeedFilter {
  readonly types?: ReadonlySet<EventType> | undefined;
  readonly mailboxId?: MailboxId | undefined;
}

/** The destination of a subscriber's events. */
export interface Outlet {
  /** Takes encoded events. Returns false if it accepts no more until the subscription is resumed. */
  write(events: Buffer): boolean;
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
  subscribe(filter: FeedFilter, after: EventId | null, outlet: Outlet): Subscription;
  /** The number of subscribers. */
  readonly size: number;
  close(): void;
}
