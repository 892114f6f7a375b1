import { type ApiKey, canReadAuthenticator, canReadMailbox, canUseWebhooks } from '../domain/api-key.ts';
import type { Authenticator } from '../domain/authenticator.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import {
  type AuthenticatorId,
  type CapturedRequestId,
  type GroupId,
  type IdentityId,
  type KeyId,
  type MailboxId,
  type MessageId,
  parseUlid,
  type SendId,
  type SuppressionId,
  type Ulid,
  type WebhookId,
  type WorkspaceId,
} from '../domain/ids.ts';
import type { Mailbox, MailboxGroup } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import type { Identity, SuppressionEntry } from '../domain/outbound.ts';
import type { Send } from '../domain/send.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import { momentNow } from '../ports/system.ts';
import type { Anyone, ApiCaller, Resolver } from './route.ts';

// An invalid id is unknown, and an object out of the key's scope is missing: both are a 404
// (docs/contract.md#ids-and-times).

/** Finds the key's own workspace, by `workspaceId`. */
export const workspaceOfKey: Resolver<ApiCaller, Workspace> = async ({ key, reader, params }) => {
  if (parseUlid(params['workspaceId'] ?? '') !== key.workspaceId) throw refuse('not_found');
  return there(await reader.workspaces.get(key.workspaceId));
};

/** Finds a mailbox that the key can read, by `mailboxId`. */
export const mailboxInScope: Resolver<ApiCaller, Mailbox> = async ({ key, reader, params }) => {
  const mailbox = await byId<MailboxId, Mailbox>(params['mailboxId'], (id) => reader.mailboxes.get(id));
  if (!canReadMailbox(key, mailbox)) throw refuse('not_found');
  return mailbox;
};

/** Finds a message of a mailbox that the key can read, by `mailboxId` and `id`. */
export const messageInScope: Resolver<ApiCaller, Message> = async (call) => {
  const mailbox = await mailboxInScope(call);
  const message = await anyMessage(call);
  if (message.mailboxId !== mailbox.id) throw refuse('not_found');
  return message;
};

/** Finds the key's own workspace. Throws `outbound_disabled` if its plan has no outbound mail. */
export const workspaceWithOutbound: Resolver<ApiCaller, Workspace> = async (call) => {
  const workspace = await workspaceOfKey(call);
  if (!call.ctx.plans[workspace.plan].outbound) throw refuse('outbound_disabled');
  return workspace;
};

/** Finds an entry of the suppression list of the key's workspace, by `workspaceId` and `id`. */
export const suppressionEntryOfKey: Resolver<ApiCaller, SuppressionEntry> = async (call) => {
  const workspace = await workspaceWithOutbound(call);
  const { reader, params } = call;
  const entry = await byId<SuppressionId, SuppressionEntry>(params['id'], (id) => reader.suppression.get(id));
  if (entry.workspaceId !== workspace.id) throw refuse('not_found');
  return entry;
};

/** Finds an authenticator that the key can read, by `totpId`. */
export const authenticatorInScope: Resolver<ApiCaller, Authenticator> = async ({ key, reader, params }) => {
  const authenticator = await byId<AuthenticatorId, Authenticator>(params['totpId'], (id) =>
    reader.authenticators.get(id),
  );
  if (!canReadAuthenticator(key, authenticator)) throw refuse('not_found');
  return authenticator;
};

/** Finds a webhook of the key's workspace, by `webhookId`. */
export const webhookInScope: Resolver<ApiCaller, Webhook> = async ({ key, reader, params }) => {
  const webhook = await byId<WebhookId, Webhook>(params['webhookId'], (id) => reader.webhooks.get(id));
  if (webhook.workspaceId !== key.workspaceId) throw refuse('not_found');
  return webhook;
};

/** Finds a captured request of the key's workspace, by `requestId`. */
export const requestInScope: Resolver<ApiCaller, CapturedRequest> = async ({ ctx, key, reader, params }) => {
  const request = await byId<CapturedRequestId, CapturedRequest>(params['requestId'], (id) =>
    reader.requests.get(id, momentNow(ctx.clock)),
  );
  if (request.workspaceId !== key.workspaceId) throw refuse('not_found');
  return request;
};

export const anyWorkspace: Resolver<Anyone, Workspace> = ({ reader, params }) =>
  byId<WorkspaceId, Workspace>(params['id'], (id) => reader.workspaces.get(id));

export const anyKey: Resolver<Anyone, ApiKey> = ({ reader, params }) =>
  byId<KeyId, ApiKey>(params['id'], (id) => reader.keys.get(id));

export const anyGroup: Resolver<Anyone, MailboxGroup> = ({ reader, params }) =>
  byId<GroupId, MailboxGroup>(params['id'], (id) => reader.groups.get(id));

export const anyAuthenticator: Resolver<Anyone, Authenticator> = ({ reader, params }) =>
  byId<AuthenticatorId, Authenticator>(params['id'], (id) => reader.authenticators.get(id));

export const anyIdentity: Resolver<Anyone, Identity> = ({ reader, params }) =>
  byId<IdentityId, Identity>(params['id'], (id) => reader.identities.get(id));

export const anySuppressionEntry: Resolver<Anyone, SuppressionEntry> = ({ reader, params }) =>
  byId<SuppressionId, SuppressionEntry>(params['id'], (id) => reader.suppression.get(id));

export const anySend: Resolver<Anyone, Send> = ({ reader, params }) =>
  byId<SendId, Send>(params['id'], (id) => reader.sends.get(id));

export const anyMailbox: Resolver<Anyone, Mailbox> = ({ reader, params }) =>
  byId<MailboxId, Mailbox>(params['id'], (id) => reader.mailboxes.get(id));

export const anyMessage: Resolver<Anyone, Message> = ({ ctx, reader, params }) =>
  byId<MessageId, Message>(params['id'], (id) => reader.messages.get(id, momentNow(ctx.clock)));

export const anyWebhook: Resolver<Anyone, Webhook> = ({ reader, params }) =>
  byId<WebhookId, Webhook>(params['id'], (id) => reader.webhooks.get(id));

export const anyRequest: Resolver<Anyone, CapturedRequest> = ({ ctx, reader, params }) =>
  byId<CapturedRequestId, CapturedRequest>(params['id'], (id) => reader.requests.get(id, momentNow(ctx.clock)));

async function byId<Id extends Ulid, Row>(
  text: string | undefined,
  get: (id: Id) => Promise<Row | null>,
): Promise<Row> {
  const id = parseUlid<Id>(text ?? '');
  return there(id === null ? null : await get(id));
}

function there<Row>(row: Row | null): Row {
  if (row === null) throw refuse('not_found');
  return row;
}

/**
 * Throws `not_found` for a mailbox that the key's explicit scope does not name, whether it exists or not, and for every
 * path of webhooks if the key has none.
 */
export function checkScope({ key }: ApiCaller, path: string, params: Readonly<Record<string, string>>): void {
  if (isOfWebhooks(path) && !canUseWebhooks(key)) throw refuse('not_found');
  const { mailboxId } = params;
  const { mailboxes } = key.scopes;
  if (mailboxId === undefined || mailboxes === 'all') return;
  const id = parseUlid<MailboxId>(mailboxId);
  if (id === null || !mailboxes.includes(id)) throw refuse('not_found');
}

function isOfWebhooks(path: string): boolean {
  return path === '/v1/webhooks' || path.startsWith('/v1/webhooks/');
}
