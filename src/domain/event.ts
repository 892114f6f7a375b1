import type { CapturedRequest } from './captured-request.ts';
import type { FaultStage } from './fault.ts';
import type {
  AuthenticatorId,
  CapturedRequestId,
  EventId,
  FaultId,
  KeyId,
  MailboxId,
  MessageId,
  SendId,
  TestId,
  TestRunId,
  WebhookId,
  WorkspaceId,
} from './ids.ts';
import type { Message } from './message.ts';
import type { SuppressionEntry } from './outbound.ts';
import type { SendRecipient, SendState } from './send.ts';
import type { SmtpRefusalFacts } from './smtp.ts';
import type { TestOutcome } from './test-run.ts';

// The events of the feed (docs/feed.md). Their ids increase in the order in which the changes became durable,
// over all workspaces. The row of a message or captured request is itself the event of its arrival, under the same id,
// so receiving one records nothing more.

/** The payload of each recorded event type. */
export interface EventData {
  'message.deleted': {
    readonly mailboxId: MailboxId;
    /** The deleted messages. Null if the mailbox was cleared: then all messages up to `upTo` were deleted. */
    readonly ids: readonly MessageId[] | null;
    readonly upTo: MessageId | null;
    readonly count: number;
    readonly reason: 'deleted' | 'cleared' | 'expired';
  };
  /** Marks of messages of one mailbox changed. `messages` has their marks after the change. */
  'message.updated': {
    readonly mailboxId: MailboxId;
    readonly messages: readonly {
      readonly id: MessageId;
      readonly read: boolean;
      readonly starred: boolean;
      readonly tags: readonly string[];
    }[];
  };
  'mailbox.created': { readonly mailboxId: MailboxId; readonly subdomain: string; readonly name: string };
  /** Settings of a mailbox changed. It has the name after the change, like `webhook.updated`. */
  'mailbox.updated': { readonly mailboxId: MailboxId; readonly subdomain: string; readonly name: string };
  'mailbox.deleted': { readonly mailboxId: MailboxId; readonly subdomain: string; readonly name: string };
  'webhook.created': { readonly webhookId: WebhookId; readonly name: string | null };
  'webhook.updated': { readonly webhookId: WebhookId; readonly name: string | null };
  'webhook.deleted': { readonly webhookId: WebhookId; readonly name: string | null };
  /** All captured requests of a webhook were deleted. */
  'webhook.cleared': { readonly webhookId: WebhookId; readonly count: number };
  'webhook.forwarded': {
    readonly webhookId: WebhookId;
    readonly requestId: CapturedRequestId;
    readonly forwardStatus: CapturedRequest['forwardStatus'];
    readonly forwardHttpStatus: number | null;
    readonly forwardAttempts: number;
  };
  /** The oldest captured requests of a webhook went, because of a quota (docs/webhooks.md#how-much-is-kept). */
  'webhook.trimmed': {
    readonly webhookId: WebhookId;
    readonly count: number;
    /** The newest request that went. All older ones went too. */
    readonly upTo: CapturedRequestId;
    readonly reason: 'quota';
  };
  'send.updated': {
    readonly sendId: SendId;
    readonly mailboxId: MailboxId;
    readonly messageId: MessageId;
    readonly state: SendState;
    readonly recipients: readonly Pick<SendRecipient, 'address' | 'state'>[];
  };
  /** SMTP refused a command or a mail. */
  'smtp.refused': SmtpRefusalFacts & {
    /** The mailbox concerned. Absent if none is known. */
    readonly mailboxId?: MailboxId;
  };
  /** A fault rule was applied. */
  'fault.applied': {
    /** The mailbox concerned. Absent if there is none or more than one. */
    readonly mailboxId?: MailboxId;
    readonly faultId: FaultId;
    /** The index of the rule, from 0. */
    readonly index: number;
    readonly stage: FaultStage;
    readonly reply: string | null;
    readonly delayMs: number;
    readonly drop: boolean;
    readonly applied: number;
    /** The remaining number of applications. Null means no limit. */
    readonly remaining: number | null;
  };
  /** The code of an authenticator was read. The event does not contain the code. */
  'totp.read': { readonly authenticatorId: AuthenticatorId; readonly name: string; readonly keyId: KeyId };
  'suppression.added': Pick<SuppressionEntry, 'id' | 'recipient' | 'reason'>;
  /** The fixtures reported an attempt at a test. `testId` is null if the run was deleted. */
  'run.updated': {
    readonly runId: TestRunId;
    readonly testId: TestId | null;
    readonly outcome: TestOutcome | null;
  };
  /** The clock of the workspace was set, or that of the server. Mail may have gone from the answers or come back. */
  'clock.set': {
    /** How far it is from real time. Null if the workspace follows the clock of the server again. */
    readonly offsetSeconds: number | null;
  };
  reset: Record<never, never>;
}

/** An event that is stored in the transaction that causes it. */
export type RecordedEvent = {
  readonly [Type in keyof EventData]: {
    readonly id: EventId;
    readonly type: Type;
    readonly at: number;
    /** The workspace. Null if the event concerns all of them. */
    readonly workspaceId: WorkspaceId | null;
    readonly data: EventData[Type];
  };
}[keyof EventData];

/** An event in its stored form: a recorded event, or the row that stands for it. */
export type FeedItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'request'; readonly request: CapturedRequest };

export function feedIdOf(item: FeedItem): EventId {
  switch (item.kind) {
    case 'event':
      return item.event.id;
    case 'message':
      // The id of the row is also the id of its arrival event.
      return item.message.id as unknown as EventId;
    case 'request':
      return item.request.id as unknown as EventId;
  }
}

export const EVENT_TYPES = [
  'message.received',
  'message.updated',
  'message.deleted',
  'mailbox.created',
  'mailbox.updated',
  'mailbox.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.cleared',
  'webhook.captured',
  'webhook.forwarded',
  'webhook.trimmed',
  'send.updated',
  'suppression.added',
  'smtp.refused',
  'fault.applied',
  'totp.read',
  'run.updated',
  'clock.set',
  'reset',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Parses event types separated by commas. An empty text means all. Returns null if one is unknown. */
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
