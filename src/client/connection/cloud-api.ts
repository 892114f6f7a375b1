import { asServerSays, checkOptions, each, number, text, time } from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { type Caller, pathOf, timeOf } from './caller.ts';
import type * as api from './resources.ts';

/** The paging of a list of messages. */
export interface MessageListQuery {
  /** The number of messages on a page, from 1 to 200; 50 if left out. */
  readonly limit?: number | undefined;
  /** A message id. The page has only messages that are older. */
  readonly before?: string | undefined;
}

/** The filters of an await. A message must match every filter that is given. */
export interface AwaitQuery {
  /** A part of the subject, in any case. */
  readonly subject?: string | undefined;
  /** A part of the sender, in any case. */
  readonly from?: string | undefined;
  /** A part of a recipient, in any case. */
  readonly to?: string | undefined;
  /** The earliest time of receipt; five seconds before the request if left out. */
  readonly since?: string | Date | undefined;
  /** The time the server waits, in seconds, from 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

/** The paging of a list of captured requests. */
export interface RequestListQuery {
  /** The number of the page; the first is 1. */
  readonly page?: number | undefined;
  /** The number of requests on a page; 50 if left out. */
  readonly pageSize?: number | undefined;
}

/**
 * Every operation of the API document, by its name. Each takes `timeout` and `signal` last, and may throw a
 * MailcapError.
 */
export interface CloudApi {
  /** Lists every mailbox that the key can read. */
  listMailboxes(options?: CallOptions): Promise<api.MailboxResponse[]>;
  /** Creates a mailbox in the key's workspace. */
  createMailbox(request: api.CreateMailboxRequest, options?: CallOptions): Promise<api.MailboxResponse>;
  /** Lists the messages of a mailbox, newest first, without their bodies. */
  listMessages(
    mailboxId: string,
    query?: MessageListQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse[]>;
  /** Waits for the newest message that matches every filter. Resolves with null if none came in time. */
  awaitMessage(
    mailboxId: string,
    query?: AwaitQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse | null>;
  /**
   * Returns a message with its bodies, headers and attachments. Throws a RefusedError with the code `not_found` if
   * there is none.
   */
  getMessage(mailboxId: string, id: string, options?: CallOptions): Promise<api.MessageDetailResponse>;
  /**
   * Sends an email from a mailbox. Throws a RefusedError if it is not sent, for example with the code
   * `recipients_not_allowed`.
   */
  sendEmail(mailboxId: string, request: api.SendRequest, options?: CallOptions): Promise<api.SendResponse>;
  /** Lists the recipients that the workspace can't send to, after a bounce or a complaint. */
  listSuppression(options?: CallOptions): Promise<api.SuppressionEntryResponse[]>;
  /** Removes an entry from the suppression list. */
  deleteSuppression(id: string, options?: CallOptions): Promise<void>;
  /** Returns the current TOTP code (RFC 6238) of a stored authenticator. */
  getTotpCode(totpId: string, options?: CallOptions): Promise<api.TotpCodeResponse>;
  /** Lists the webhooks of the key's workspace. */
  listWebhooks(options?: CallOptions): Promise<api.WebhookView[]>;
  /** Creates a webhook with a capture URL of its own. */
  createWebhook(request?: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  /** Returns a webhook with its settings and figures. */
  getWebhook(webhookId: string, options?: CallOptions): Promise<api.WebhookView>;
  /** Changes the settings of a webhook. */
  updateWebhook(webhookId: string, request: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  /** Deletes a webhook with its captured requests. */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
  /** Lists the captured requests of a webhook, newest first, without headers and bodies. */
  listWebhookRequests(
    webhookId: string,
    query?: RequestListQuery,
    options?: CallOptions,
  ): Promise<api.WebhookRequestPage>;
  /** Deletes all captured requests of a webhook. */
  clearWebhookRequests(webhookId: string, options?: CallOptions): Promise<void>;
  /** Returns a captured request with its headers and, if it is text, its body. */
  getWebhookRequest(requestId: string, options?: CallOptions): Promise<api.WebhookRequestView>;
  /** Sends a captured request again to the forward URL of its webhook. */
  replayWebhookRequest(requestId: string, options?: CallOptions): Promise<void>;
}

/** The time the server holds an await that names no timeout. The call's own timeout is extended by the time held. */
const AWAIT_SECONDS = 30;

// The client checks only the names of these fields. The server has rules for their values, and each value may be null.
const MAILBOX = each(['name', 'subdomain', 'retentionDays', 'groupId'], asServerSays);
/** The fields of a send. */
export const SEND = each(['from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'textBody', 'htmlBody'], asServerSays);
const WEBHOOK = each(
  ['name', 'responseStatus', 'responseContentType', 'responseBody', 'forwardMode', 'forwardUrl', 'retentionDays'],
  asServerSays,
);
const AWAIT = { subject: text, from: text, to: text, since: time, timeout: number };

/** Creates the calls of the cloud API. `workspaceId` finds the workspace of the key. */
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
