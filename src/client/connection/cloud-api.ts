import { MailcapError, RefusedError } from '../errors.ts';
import { asServerSays, checkOptions, each } from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { type Caller, timeOf } from './caller.ts';
import { OPERATIONS } from './operations.ts';
import type * as api from './resources.ts';
import type { Server } from './server.ts';

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
 * Every operation of the cloud API (docs/api.md), by its name. Each takes `timeout` and `signal` last, and may throw a
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
  /** Creates a webhook with a URL of its own. */
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
const MAILBOX = each(OPERATIONS.createMailbox.body, asServerSays);
/** The fields of a send. */
export const SEND = each(OPERATIONS.sendEmail.body, asServerSays);
const WEBHOOK = each(OPERATIONS.createWebhook.body, asServerSays);

/** The calls of the cloud API, as the handles make them. */
export interface NotedApi extends CloudApi {
  /** Does the same as {@link CloudApi.awaitMessage}. `note` tells a local server what the wait is for. */
  awaitMessage(
    mailboxId: string,
    query?: AwaitQuery,
    options?: CallOptions,
    note?: string | null,
  ): Promise<api.MessageSummaryResponse | null>;
}

/** Creates the calls of the cloud API. `workspaceId` finds the workspace of the key. */
export function createCloudApi(call: Caller, workspaceId: (options?: CallOptions) => Promise<string>): NotedApi {
  return {
    listMailboxes: (options) => call.ask('listMailboxes', 'listMailboxes', [], {}, options),
    createMailbox: async (request, options) => {
      checkOptions('createMailbox', request, MAILBOX);
      return call.ask('createMailbox', 'createMailbox', [await workspaceId(options)], { json: request }, options);
    },

    listMessages: async (mailboxId, query = {}, options) => {
      checkOptions('listMessages', query, OPERATIONS.listMessages.query);
      return call.ask('listMessages', 'listMessages', [mailboxId], { query: { ...query } }, options);
    },
    awaitMessage: async (mailboxId, query = {}, options, note) => {
      checkOptions('awaitMessage', query, OPERATIONS.awaitMessage.query);
      const heldMs = (query.timeout ?? AWAIT_SECONDS) * 1_000;
      const sent = { ...query, since: timeOf(query.since) };
      return call.ask('awaitMessage', 'awaitMessage', [mailboxId], { query: sent, heldMs, note }, options);
    },
    getMessage: (mailboxId, id, options) => call.ask('getMessage', 'getMessage', [mailboxId, id], {}, options),

    sendEmail: async (mailboxId, request, options) => {
      checkOptions('sendEmail', request, SEND);
      return call.ask('sendEmail', 'sendEmail', [mailboxId], { json: request }, options);
    },
    listSuppression: async (options) => {
      return call.ask('listSuppression', 'listSuppression', [await workspaceId(options)], {}, options);
    },
    deleteSuppression: async (id, options) => {
      return call.ask('deleteSuppression', 'deleteSuppression', [await workspaceId(options), id], {}, options);
    },

    getTotpCode: (totpId, options) => call.ask('getTotpCode', 'getTotpCode', [totpId], {}, options),

    listWebhooks: (options) => call.ask('listWebhooks', 'listWebhooks', [], {}, options),
    createWebhook: async (request = {}, options) => {
      checkOptions('createWebhook', request, WEBHOOK);
      return call.ask('createWebhook', 'createWebhook', [], { json: request }, options);
    },
    getWebhook: (id, options) => call.ask('getWebhook', 'getWebhook', [id], {}, options),
    updateWebhook: async (id, request, options) => {
      checkOptions('updateWebhook', request, WEBHOOK);
      return call.ask('updateWebhook', 'updateWebhook', [id], { json: request }, options);
    },
    deleteWebhook: (id, options) => call.ask('deleteWebhook', 'deleteWebhook', [id], {}, options),
    listWebhookRequests: async (id, query = {}, options) => {
      checkOptions('listWebhookRequests', query, OPERATIONS.listWebhookRequests.query);
      return call.ask('listWebhookRequests', 'listWebhookRequests', [id], { query: { ...query } }, options);
    },
    clearWebhookRequests: (id, options) => call.ask('clearWebhookRequests', 'clearWebhookRequests', [id], {}, options),
    getWebhookRequest: (id, options) => call.ask('getWebhookRequest', 'getCapturedRequest', [id], {}, options),
    replayWebhookRequest: (id, options) => call.ask('replayWebhookRequest', 'replayWebhookRequest', [id], {}, options),
  };
}

/**
 * Creates a function that finds the key's workspace, from the settings or from what the key can read. It asks only
 * once.
 */
export function workspaceFinder(
  call: Caller,
  locate: () => Promise<Server>,
): (options?: CallOptions) => Promise<string> {
  let found: string | null = null;
  return async (options) => {
    found ??= (await locate()).workspaceId ?? (await ofWhatIsRead(call, options));
    return found;
  };
}

async function ofWhatIsRead(call: Caller, options?: CallOptions): Promise<string> {
  const [mailbox] = await call.ask('listMailboxes', 'listMailboxes', [], {}, options);
  if (mailbox?.workspaceId) return mailbox.workspaceId;
  const [webhook] = await call.ask('listWebhooks', 'listWebhooks', [], {}, options).catch(noneIfOutOfScope);
  if (webhook !== undefined) return webhook.workspaceId;
  throw new MailcapError(
    'unknown_workspace',
    'The workspace of the API key is unknown: the key can read no mailbox and no webhook.',
    {
      hint: 'Set MAILCAP_WORKSPACE_ID, or give createClient a workspaceId.',
    },
  );
}

/** A key without webhooks gets 404. */
function noneIfOutOfScope(error: unknown): never[] {
  if (error instanceof RefusedError && error.status === 404) return [];
  throw error;
}
