import type { EventType } from '../domain/event.ts';
import type { EventId, MailboxId } from '../domain/ids.ts';

/** What of the feed a subscriber wants; an absent filter lets everything pass. */
export interface FeedFilter {
  readonly types?: ReadonlySet<EventType> | undefined;
  readonly mailboxId?: MailboxId | undefined;
}

/** Where a subscriber's events go. */
export interface Outlet {
  /** Takes some events, each as it goes over the wire. False where it takes no more until the subscription is resumed. */
  write(events: Buffer): boolean;
}

export interface Subscription {
  /** The outlet takes more again. */
  resume(): void;
  end(): void;
}

export interface Feed {
  /** Hands on what comes after a position, null for the beginning: committed first, in order, nothing left out or told twice. */
  subscribe(filter: FeedFilter, after: EventId | null, outlet: Outlet): Subscription;
  /** Subscribers there are. */
  readonly size: number;
  close(): void;
}
