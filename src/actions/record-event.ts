import type { Context } from '../context.ts';
import type { EventData, RecordedEvent } from '../domain/event.ts';
import { traceId, withoutDetails } from '../domain/idempotency.ts';
import type { EventId, MailboxId, MessageId, WebhookId, WorkspaceId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { Send } from '../domain/send.ts';
import type { Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import { getOrCreate } from '../text/maps.ts';
import { timeIn } from './time.ts';

/**
 * Records an event for the feed in the transaction that causes it. `workspaceId` is null for an event that concerns
 * every workspace.
 */
export async function recordEvent<Type extends keyof EventData>(
  ctx: Pick<Context, 'clock' | 'ids'>,
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

/** Records that messages of a mailbox were deleted. */
export async function recordDeleted(
  ctx: Context,
  tx: Tx,
  { mailboxId, workspaceId }: Pick<Message, 'mailboxId' | 'workspaceId'>,
  ids: readonly MessageId[],
  reason: 'deleted' | 'expired' = 'deleted',
): Promise<void> {
  const data = { mailboxId, ids, upTo: null, count: ids.length, reason };
  await recordEvent(ctx, tx, 'message.deleted', workspaceId, data);
}

/** Divides messages by their mailboxes, because an event is about one of them. */
export function byMailbox(
  messages: readonly Message[],
): Iterable<Pick<Message, 'mailboxId' | 'workspaceId'> & { readonly messages: readonly Message[] }> {
  const groups = new Map<MailboxId, Pick<Message, 'mailboxId' | 'workspaceId'> & { readonly messages: Message[] }>();
  for (const message of messages) {
    const { mailboxId, workspaceId } = message;
    getOrCreate(groups, mailboxId, () => ({ mailboxId, workspaceId, messages: [] })).messages.push(message);
  }
  return groups.values();
}

/** Records an event with the state of a send and of each recipient. */
export async function recordSendUpdated(ctx: Context, tx: Tx, send: Send): Promise<void> {
  const { id: sendId, mailboxId, messageId, state } = send;
  const recipients = send.recipients.map(({ address, state: reached }) => ({ address, state: reached }));
  await recordEvent(ctx, tx, 'send.updated', send.workspaceId, { sendId, mailboxId, messageId, state, recipients });
}

/**
 * Empties the texts of the stored answer that tells of a created resource. Whoever deletes a resource calls this, so that
 * what a client wrote does not stay, and so that creating and deleting does not fill the memory.
 */
export async function forgetAnswer(tx: Tx, resourceId: MailboxId | WebhookId): Promise<void> {
  const trace = await tx.idempotency.get(traceId(resourceId));
  const record = trace?.body == null ? null : await tx.idempotency.get(trace.body);
  // After its 24 hours the same key may have created something else.
  if (record?.resourceId === resourceId) await tx.idempotency.put(withoutDetails(record));
}
