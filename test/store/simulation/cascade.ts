import type { Message } from '../../../src/domain/message.ts';
import { utcDay } from '../../../src/domain/time.ts';
import type { Model, ModelChange, ModelTable } from './model.ts';

// The changes to the model for calls of a transaction that concern more than one row.

export function removalOf(name: ModelTable, ids: readonly { readonly id: string }[]): ModelChange[] {
  return ids.map(({ id }) => [name, id, null]);
}

export function insertionOf(model: Model, message: Message, received: 0 | 1): ModelChange[] {
  const { id, mailboxId, receivedAt } = message;
  const used = countedOn(model.get('inbound', mailboxId)?.used, receivedAt, received);
  return [
    ['messages', id, message],
    ['inbound', mailboxId, { id: mailboxId, used, lastId: id }],
  ];
}

export function countedOn(
  used: Readonly<Record<string, number>> | undefined,
  now: number,
  more: number,
): Record<string, number> {
  const day = utcDay(now);
  return { ...used, [day]: (used?.[day] ?? 0) + more };
}

export function mailboxRemoval(model: Model, id: string): ModelChange[] {
  return [
    ...removalOf('messages', messagesOf(model, id)),
    ...removalOf(
      'sends',
      model.all('sends').filter(({ mailboxId }) => mailboxId === id),
    ),
    ['inbound', id, null],
    ['claims', id, null],
    ['mailboxes', id, null],
  ];
}

export function webhookRemoval(model: Model, id: string): ModelChange[] {
  return [
    ...removalOf('requests', requestsOf(model, id)),
    ['scripts', id, null],
    ['captured', id, null],
    ['webhooks', id, null],
  ];
}

export function workspaceRemoval(model: Model, id: string): ModelChange[] {
  const owned = (
    ['groups', 'authenticators', 'keys', 'identities', 'suppression', 'sends', 'providerRecords'] as const
  ).flatMap((name) =>
    removalOf(
      name,
      [...model.all(name)].filter(({ workspaceId }) => workspaceId === id),
    ),
  );
  const mailboxes = model.all('mailboxes').filter(({ workspaceId }) => workspaceId === id);
  const webhooks = model.all('webhooks').filter(({ workspaceId }) => workspaceId === id);
  return [
    ...mailboxes.flatMap((mailbox) => mailboxRemoval(model, mailbox.id)),
    ...webhooks.flatMap((webhook) => webhookRemoval(model, webhook.id)),
    ...owned,
    ['outbound', id, null],
    ['workspaces', id, null],
  ];
}

export function messagesOf(model: Model, id: string): Message[] {
  return model.all('messages').filter(({ mailboxId }) => mailboxId === id);
}

export function requestsOf(model: Model, id: string): { readonly id: string; readonly receivedAt: number }[] {
  return model.all('requests').filter(({ webhookId }) => webhookId === id);
}
