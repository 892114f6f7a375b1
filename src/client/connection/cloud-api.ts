import { asServerSays, checkOptions, each, number, text, time } from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { type Caller, pathOf, timeOf } from './caller.ts';
import type * as api from './resources.ts';

export interface MessageListQuery {
  /** 1 to 200; 50 if left out. */
  readonly limit?: number | undefined;
  /** Only messages older than the one of this id. */
  readonly before?: string | undefined;
}

export interface AwaitQuery {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only messages received at or after it; five seconds before the request if left out. */
  readonly since?: string | Date | undefined;
  /** Seconds the server waits, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

export interface RequestListQuery {
  /** From 1. */
  readonly page?: number | undefined;
  /** 50 if left out. */
  readonly pageSize?: number | undefined;
}

/** Every operation of the API document, by its name. Each may throw a MailcapError, and takes `timeout` and `signal` last. */
export interface CloudApi {
  /** Every mailbox the key can read. */
  listMailboxes(options?: CallOptions): Promise<api.MailboxResponse[]>;
  createMailbox(request: api.CreateMailboxRequest, options?: CallOptions): Promise<api.MailboxResponse>;
  /** Newest first, without bodies. */
  listMessages(
    mailboxId: string,
    query?: MessageListQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse[]>;
  /** The newest message that matches every filter, null where none came in time. */
  awaitMessage(
    mailboxId: string,
    query?: AwaitQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse | null>;
  getMessage(mailboxId: string, id: string, options?: CallOptions): Promise<api.MessageDetailResponse>;
  sendEmail(mailboxId: string, request: api.SendRequest, options?: CallOptions): Promise<api.SendResponse>;
  listSuppression(options?: CallOptions): Promise<api.SuppressionEntryResponse[]>;
  deleteSuppression(id: string, options?: CallOptions): Promise<void>;
  getTotpCode(totpId: string, options?: CallOptions): Promise<api.TotpCodeResponse>;
  listWebhooks(options?: CallOptions): Promise<api.WebhookView[]>;
  createWebhook(request?: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  getWebhook(webhookId: string, options?: CallOptions): Promise<api.WebhookView>;
  updateWebhook(webhookId: string, request: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
  /** Newest first, without headers and bodies. */
  listWebhookRequests(
    webhookId: string,
    query?: RequestListQuery,
    options?: CallOptions,
  ): Promise<api.WebhookRequestPage>;
  clearWebhookRequests(webhookId: string, options?: CallOptions): Promise<void>;
  getWebhookRequest(requestId: string, options?: CallOptions): Promise<api.WebhookRequestView>;
  replayWebhookRequest(requestId: string, options?: CallOptions): Promise<void>;
}

/** Of what an await is given longer than the server holds it, the call's own timeout is made. */
const AWAIT_SECONDS = 30;

// Every field of a body may be null, and has rules of the server's own.
const MAILBOX = each(['name', 'subdomain', 'retentionDays', 'groupId'], asServerSays);
export const SEND = each(['from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'textBody', 'htmlBody'], asServerSays);
const WEBHOOK = each(
  ['name', 'responseStatus', 'responseContentType', 'responseBody', 'forwardMode', 'forwardUrl', 'retentionDays'],
  asServerSays,
);
const AWAIT = { subject: text, from: text, to: text, since: time, timeout: number };

/** `workspaceId` finds the key's workspace. */
export function createCloudApi(call: Caller, workspaceId: (options?: CallOptions) => Promise<string>): CloudApi {
  return {
    listMailboxes: (options) => call.json('listMailboxes', 'GET', '/v1/mailboxes', {}, options),
    createMailbox: async (request, options) => {
      checkOptions('createMailbox', request, MAILBOX);
      const path = pathOf`/v1/workspaces/${await workspaceId(options)}/mailboxes`;
      return call.json('createMailbox', 'POST', path, { json: request }, options);
    },

    listMessages: async (mailboxId, query = {}, options) => {
      checkOptions('listMessages', query, { limit: number, before: text });
      return call.json(
        'listMessages',
        'GET',
        pathOf`/v1/mailboxes/${mailboxId}/messages`,
        { query: { ...query } },
        options,
      );
    },
    awaitMessage: async (mailboxId, query = {}, options) => {
      checkOptions('awaitMessage', query, AWAIT);
      const path = pathOf`/v1/mailboxes/${mailboxId}/messages/await`;
      const heldMs = (query.timeout ?? AWAIT_SECONDS) * 1_000;
      const sent = { ...query, since: timeOf(query.since) };
      return call.jsonOrNull('awaitMessage', 'GET', path, { query: sent, heldMs }, options);
    },
    getMessage: (mailboxId, id, options) =>
      call.json('getMessage', 'GET', pathOf`/v1/mailboxes/${mailboxId}/messages/${id}`, {}, options),

    sendEmail: async (mailboxId, request, options) => {
      checkOptions('sendEmail', request, SEND);
      return call.json('sendEmail', 'POST', pathOf`/v1/mailboxes/${mailboxId}/send`, { json: request }, options);
    },
    listSuppression: async (options) => {
      const path = pathOf`/v1/workspaces/${await workspaceId(options)}/suppression`;
      return call.json('listSuppression', 'GET', path, {}, options);
    },
    deleteSuppression: async (id, options) => {
      const path = pathOf`/v1/workspaces/${await workspaceId(options)}/suppression/${id}`;
      return call.nothing('deleteSuppression', 'DELETE', path, {}, options);
    },

    getTotpCode: (totpId, options) => call.json('getTotpCode', 'GET', pathOf`/v1/totp/${totpId}/code`, {}, options),

    listWebhooks: (options) => call.json('listWebhooks', 'GET', '/v1/webhooks', {}, options),
    createWebhook: async (request = {}, options) => {
      checkOptions('createWebhook', request, WEBHOOK);
      return call.json('createWebhook', 'POST', '/v1/webhooks', { json: request }, options);
    },
    getWebhook: (id, options) => call.json('getWebhook', 'GET', pathOf`/v1/webhooks/${id}`, {}, options),
    updateWebhook: async (id, request, options) => {
      checkOptions('updateWebhook', request, WEBHOOK);
      return call.json('updateWebhook', 'PATCH', pathOf`/v1/webhooks/${id}`, { json: request }, options);
    },
    deleteWebhook: (id, options) => call.nothing('deleteWebhook', 'DELETE', pathOf`/v1/webhooks/${id}`, {}, options),
    listWebhookRequests: async (id, query = {}, options) => {
      checkOptions('listWebhookRequests', query, { page: number, pageSize: number });
      const path = pathOf`/v1/webhooks/${id}/requests`;
      return call.json('listWebhookRequests', 'GET', path, { query: { ...query } }, options);
    },
    clearWebhookRequests: (id, options) =>
      call.nothing('clearWebhookRequests', 'DELETE', pathOf`/v1/webhooks/${id}/requests`, {}, options),
    getWebhookRequest: (id, options) =>
      call.json('getWebhookRequest', 'GET', pathOf`/v1/webhooks/requests/${id}`, {}, options),
    replayWebhookRequest: (id, options) =>
      call.nothing('replayWebhookRequest', 'POST', pathOf`/v1/webhooks/requests/${id}/replay`, {}, options),
  };
}
