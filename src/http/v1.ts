import { z } from 'zod';
import { createMailbox } from '../actions/mailboxes.ts';
import { readFactsInScope, readParsed, readVerdicts } from '../actions/read-message.ts';
import { timeIn } from '../actions/time.ts';
import { createWebhook } from '../actions/webhooks.ts';
import { canReadMailbox } from '../domain/api-key.ts';
import type { MessageId } from '../domain/ids.ts';
import { momentNow } from '../ports/system.ts';
import { inPieces } from './large-json.ts';
import {
  authenticatorInScope,
  mailboxInScope,
  messageInScope,
  requestInScope,
  route,
  suppressionEntryOfKey,
  ulid,
  webhookInScope,
  whole,
  workspaceOfKey,
  workspaceWithOutbound,
} from './route.ts';
import {
  CreateMailboxRequest,
  MAILBOX_REFUSALS,
  MailboxResponse,
  MessageDetailResponse,
  MessageSummaryResponse,
  SuppressionEntryResponse,
  TotpCodeResponse,
  toMailboxResponse,
  toMessageDetailResponse,
  toMessageSummaryResponse,
  toSuppressionEntryResponse,
  toTotpCodeResponse,
} from './schemas.ts';
import { LIFTING, SENDING } from './sending.ts';
import {
  readRequestView,
  UpsertWebhookDto,
  WEBHOOK_BODY_LIMIT,
  WEBHOOK_REFUSALS,
  WebhookRequestView,
  WebhookView,
  webhookRoutes,
  webhookView,
} from './webhooks.ts';

// docs/api.md#mailboxes

export const mailboxes = [
  route('GET', '/v1/mailboxes', {
    id: 'listMailboxes',
    summary: 'List the mailboxes the key can read',
    returns: { 200: z.array(MailboxResponse) },
    handle: async ({ ctx, key }) => {
      const read = await ctx.store.readNow();
      const now = await timeIn(ctx, read, key.workspaceId);
      const readable = (await read.mailboxes.list(key.workspaceId)).filter((mailbox) => canReadMailbox(key, mailbox));
      return Promise.all(
        readable.map(async (mailbox) => toMailboxResponse(mailbox, await read.mailboxes.inboundUsed(mailbox.id, now))),
      );
    },
  }),

  route('POST', '/v1/workspaces/:workspaceId/mailboxes', {
    id: 'createMailbox',
    summary: 'Create a mailbox',
    description: 'Its subdomain takes mail as soon as the request is answered.',
    example: { name: 'Sign up' },
    resolve: workspaceOfKey,
    body: CreateMailboxRequest,
    returns: { 201: MailboxResponse },
    fails: MAILBOX_REFUSALS,
    transact: async ({ ctx, tx, found, body }) => toMailboxResponse(await createMailbox(ctx, tx, found, body), 0),
  }),
];

// docs/api.md#messages

/** The routes of messages, but for the wait, which is in waits.ts. */
export const messageRoutes = {
  list: route('GET', '/v1/mailboxes/:mailboxId/messages', {
    id: 'listMessages',
    summary: 'List messages, newest first',
    description:
      'Returns summaries without bodies. For the next page, before is the id of the last message of this page.',
    resolve: mailboxInScope,
    query: {
      limit: whole(1, 200, 50, 'invalid_limit', 'The most messages to return'),
      before: ulid<MessageId>('invalid_before', 'Only messages older than this one, which need not exist'),
    },
    returns: { 200: z.array(MessageSummaryResponse) },
    handle: async ({ ctx, read, found, query }) => {
      const page = await read.messages.page(found.id, { ...query, kind: 'email', now: momentNow(ctx.clock) });
      return inPieces(page.map(toMessageSummaryResponse));
    },
  }),

  get: route('GET', '/v1/mailboxes/:mailboxId/messages/:id', {
    id: 'getMessage',
    summary: 'Get a message with its bodies, headers and attachments',
    resolve: messageInScope,
    returns: { 200: MessageDetailResponse },
    handle: async ({ ctx, key, found }) => {
      const facts = await readFactsInScope(ctx, key, found);
      const parsed = await readParsed(ctx, found);
      return inPieces(toMessageDetailResponse(found, facts, parsed, await readVerdicts(ctx, found, facts, parsed)));
    },
  }),
};

// docs/api.md#outbound

export const outbound = [
  route('POST', '/v1/mailboxes/:mailboxId/send', {
    id: 'sendEmail',
    summary: 'Send an email',
    description:
      'It answers once the mail is queued; the delivery follows. Bounces and complaints arrive as mail in the same mailbox. A refused send costs, counts and stores nothing.',
    example: {
      from: 'app@mailcap.example.com',
      to: 'ada@inbox.mailcap.example.com',
      subject: 'Hello',
      textBody: 'Hello, Ada.',
    },
    resolve: mailboxInScope,
    ...SENDING,
  }),

  route('GET', '/v1/workspaces/:workspaceId/suppression', {
    id: 'listSuppression',
    summary: 'List the suppressed addresses',
    resolve: workspaceWithOutbound,
    returns: { 200: z.array(SuppressionEntryResponse) },
    fails: ['outbound_disabled'],
    handle: async ({ read, found }) => (await read.suppression.list(found.id)).map(toSuppressionEntryResponse),
  }),

  route('DELETE', '/v1/workspaces/:workspaceId/suppression/:id', {
    id: 'deleteSuppression',
    summary: 'Remove an address from the suppression list',
    resolve: suppressionEntryOfKey,
    ...LIFTING,
    fails: ['outbound_disabled'],
  }),
];

// docs/api.md#webhooks

const { ofWebhook, replay } = webhookRoutes(route, {
  paths: { webhook: '/v1/webhooks/:webhookId', request: '/v1/webhooks/requests/:requestId' },
  ids: {
    get: 'getWebhook',
    update: 'updateWebhook',
    remove: 'deleteWebhook',
    listRequests: 'listWebhookRequests',
    clearRequests: 'clearWebhookRequests',
    replay: 'replayWebhookRequest',
  },
  resolveWebhook: webhookInScope,
  resolveRequest: requestInScope,
  view: WebhookView,
  toView: webhookView,
});

export const webhooks = [
  route('GET', '/v1/webhooks', {
    id: 'listWebhooks',
    summary: 'List the webhooks',
    returns: { 200: z.array(WebhookView) },
    handle: async ({ ctx, workspace }) => {
      const read = await ctx.store.readNow();
      const list = await read.webhooks.list(workspace.id);
      return Promise.all(list.map((webhook) => webhookView(ctx, read, workspace, webhook)));
    },
  }),

  route('POST', '/v1/webhooks', {
    id: 'createWebhook',
    summary: 'Create a webhook',
    example: { name: 'Payments', responseStatus: 202 },
    body: UpsertWebhookDto,
    bodyIsOptional: true,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 201: WebhookView },
    fails: [...WEBHOOK_REFUSALS, 'hook_limit_reached'],
    transact: async ({ ctx, tx, workspace, body }) =>
      webhookView(ctx, tx, workspace, await createWebhook(ctx, tx, workspace, body)),
  }),

  ...ofWebhook,

  route('GET', '/v1/webhooks/requests/:requestId', {
    id: 'getCapturedRequest',
    summary: 'Get a captured request',
    resolve: requestInScope,
    returns: { 200: WebhookRequestView },
    handle: ({ ctx, found }) => readRequestView(ctx, found),
  }),

  replay,
];

// docs/api.md#totp

export const totp = [
  route('GET', '/v1/totp/:totpId/code', {
    id: 'getTotpCode',
    summary: 'Get the current code of an authenticator',
    resolve: authenticatorInScope,
    returns: { 200: TotpCodeResponse },
    handle: async ({ ctx, key, found }) => {
      // The module is loaded by the first code, to keep the start of the server short.
      const { codeAt } = await import('../otp/totp.ts');
      const code = codeAt(found, await timeIn(ctx, ctx.store.read, key.workspaceId));
      const { id: authenticatorId, name, workspaceId } = found;
      ctx.notes.tell('totp.read', workspaceId, { authenticatorId, name, keyId: key.id });
      return toTotpCodeResponse(code);
    },
  }),
];
