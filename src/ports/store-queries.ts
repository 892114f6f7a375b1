import type { EventType } from '../domain/event.ts';
import type { EventId, MailboxId, MessageId, SendId, WorkspaceId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { Moment } from '../domain/moment.ts';

// The questions to a store that have more than one part (src/ports/store.ts).

/** The query for a page of a mailbox, newest first. It leaves out messages past their retention at `now`. */
export interface PageQuery {
  /** Selects messages older than this position. The message need not exist. */
  readonly before?: MessageId | undefined;
  /** Selects messages received at or after this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly now: Moment;
}

/** The query for one step of a walk, newest first. Without mailbox and workspace it covers all messages. */
export interface WalkQuery {
  readonly mailboxId?: MailboxId | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  /** The position at which the last step ended. The message need not exist. */
  readonly before?: MessageId | undefined;
  /** The number of rows to examine, which bounds the cost of the step. */
  readonly rows: number;
  /** Selects the rows to return. It must not keep the row, which may change after the call. */
  readonly wanted: (row: Message) => boolean;
  readonly now: Moment;
}

export interface WalkStep {
  /** The selected messages within their retention. It may be empty before the end. */
  readonly messages: readonly Message[];
  /** The position for the next step. Null at the end. */
  readonly next: MessageId | null;
}

/** The query for a page of an interceptor's captured requests, newest first. */
export interface RequestPageQuery {
  /** The page number, from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly now: Moment;
}

export interface SendQuery {
  readonly workspaceId?: WorkspaceId | undefined;
  readonly mailboxId?: MailboxId | undefined;
  /** Selects sends older than this position. */
  readonly before?: SendId | undefined;
  readonly limit: number;
}

/** The query for the feed. An absent filter admits every event. */
export interface FeedQuery {
  /** Selects events after this position, which need not exist. Null starts at the first event. */
  readonly after: EventId | null;
  readonly types?: ReadonlySet<EventType> | undefined;
  /** Selects events that concern this mailbox. */
  readonly mailboxId?: MailboxId | undefined;
  readonly limit: number;
  readonly now: Moment;
}
