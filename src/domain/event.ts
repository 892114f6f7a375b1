import type { CapturedRequest } from './captured-request.ts';
import type { FaultStage } from './fault.ts';
import type {
  AuthenticatorId,
  CapturedRequestId,
  EventId,
  KeyId,
  MailboxId,
  MessageId,
  SendId,
  WebhookId,
  WorkspaceId,
} from './ids.ts';
import type { Message } from './message.ts';
import type { SendRecipient, SendState } from './send.ts';
import type { SmtpStage } from './smtp-stage.ts';
import type { SuppressionEntry } from './suppression.ts';

// What the feed tells (docs/contract.md#feed). Ids increase in the order in which what they tell became durable, over all workspaces.
// That a message or a captured request came is told by its own row, under its own id: taking one in records nothing more.

/** What an event of each recorded type carries. */
export interface EventData {
  'message.deleted': {
    readonly mailboxId: MailboxId;
    /** Null where the mailbox was cleared: every message up to `upTo` then. */
    readonly ids: readonly MessageId[] | null;
    readonly upTo: MessageId | null;
    readonly count: number;
    readonly reason: 'deleted' | 'cleared' | 'expired';
  };
  'mailbox.created': { readonly mailboxId: MailboxId; readonly subdomain: string; readonly name: string };
  'mailbox.deleted': { readonly mailboxId: MailboxId };
  'webhook.forwarded': {
    readonly webhookId: WebhookId;
    readonly requestId: CapturedRequestId;
    readonly forwardStatus: CapturedRequest['forwardStatus'];
    readonly forwardHttpStatus: number | null;
    readonly forwardAttempts: number;
  };
  'send.updated': {
    readonly sendId: SendId;
    readonly mailboxId: MailboxId;
    readonly messageId: MessageId;
    readonly state: SendState;
    readonly recipients: readonly Pick<SendRecipient, 'address' | 'state'>[];
  };
  /** A command or a mail that SMTP refused. */
  'smtp.refused': {
    /** Left out where none is known. */
    readonly mailboxId?: MailboxId;
    readonly stage: SmtpStage;
    readonly reply: string;
    readonly reason: string;
    readonly mailFrom: string | null;
    readonly recipient: string | null;
    readonly recipientCount: number;
    readonly clientAddress: string;
  };
  /** A fault rule did what it says. */
  'fault.applied': {
    /** Left out where it is of none, or of several. */
    readonly mailboxId?: MailboxId;
    /** Where the rule stands, from 0. */
    readonly index: number;
    readonly stage: FaultStage;
    readonly reply: string | null;
    readonly delayMs: number;
    readonly drop: boolean;
    readonly applied: number;
    /** Null: without end. */
    readonly remaining: number | null;
  };
  /** The code of an authenticator was read; the code itself is not told. */
  'totp.read': { readonly authenticatorId: AuthenticatorId; readonly name: string; readonly keyId: KeyId };
  'suppression.added': Pick<SuppressionEntry, 'id' | 'recipient' | 'reason'>;
  reset: Record<never, never>;
}

/** An event that is recorded, in the transaction that causes it. */
export type RecordedEvent = {
  readonly [Type in keyof EventData]: {
    readonly id: EventId;
    readonly type: Type;
    readonly at: number;
    /** Null where it concerns all of them. */
    readonly workspaceId: WorkspaceId | null;
    readonly data: EventData[Type];
  };
}[keyof EventData];

/** An event as it is stored: recorded, or the row it is told by. */
export type FeedItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'request'; readonly request: CapturedRequest };

/** The id under which the feed tells it. */
export function feedIdOf(item: FeedItem): EventId {
  switch (item.kind) {
    case 'event':
      return item.event.id;
    case 'message':
      // A row's own id stands for the event that it came.
      return item.message.id as unknown as EventId;
    case 'request':
      return item.request.id as unknown as EventId;
  }
}

export const EVENT_TYPES = [
  'message.received',
  'message.deleted',
  'mailbox.created',
  'mailbox.deleted',
  'webhook.captured',
  'webhook.forwarded',
  'send.updated',
  'suppression.added',
  'smtp.refused',
  'fault.applied',
  'totp.read',
  'reset',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Event types with commas between them, every one where none is named; null where one is no type. */
export function parseEventTypes(text: string): ReadonlySet<EventType> | null {
  if (text === '') return new Set(EVENT_TYPES);
  const types = new Set<EventType>();
  for (const name of text.split(',')) {
    const type = EVENT_TYPES.find((known) => known === name.trim());
    if (type === undefined) return null;
    types.add(type);
  }
  return types;
}
