import { OptionError } from '../errors.ts';
import { checkOptions, flag, number, text, time, count as wholeNumber } from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { type Caller, pathOf, timeOf } from './caller.ts';
import type * as local from './local-resources.ts';
import type {
  MessageSummaryResponse,
  SuppressionEntryResponse,
  TotpCodeResponse,
  WebhookRequestSummary,
} from './resources.ts';

/**
 * The local API: what a dashboard does in the cloud, and what only a local server can do. Each call throws a
 * LocalOnlyError with its name if the server has no local API.
 */
export interface LocalApi {
  /** Returns the health of the server. Throws a RefusedError while it starts or if its storage fails. */
  health(options?: CallOptions): Promise<local.Health>;
  /** Returns the addresses, version, plan and counts of the server. */
  info(options?: CallOptions): Promise<local.Info>;
  /** Returns the server to its seeded state. */
  reset(options?: CallOptions): Promise<void>;

  /** Lists all workspaces. */
  listWorkspaces(options?: CallOptions): Promise<local.Workspace[]>;
  /** Creates an empty workspace, without a mailbox or a key. */
  createWorkspace(fields?: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  /** Changes the fields of a workspace that are given. */
  updateWorkspace(id: string, fields: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  /** Deletes a workspace with everything it owns. */
  deleteWorkspace(id: string, options?: CallOptions): Promise<void>;

  /** Lists the keys of a workspace, revoked ones included, without the keys themselves. */
  listKeys(workspaceId: string, options?: CallOptions): Promise<local.Key[]>;
  /** Creates a key. Only this answer holds the `key` itself. */
  createKey(workspaceId: string, fields?: local.KeyFields, options?: CallOptions): Promise<local.IssuedKey>;
  /** Revokes a key. From then on it gets a 401. */
  revokeKey(id: string, options?: CallOptions): Promise<void>;

  /** Lists the mailbox groups of a workspace. */
  listGroups(workspaceId: string, options?: CallOptions): Promise<local.Group[]>;
  /** Creates a mailbox group. */
  createGroup(workspaceId: string, fields: { readonly name: string }, options?: CallOptions): Promise<local.Group>;
  /** Deletes a mailbox group. */
  deleteGroup(id: string, options?: CallOptions): Promise<void>;

  /** Lists the verified sending domains. */
  listIdentities(workspaceId: string, options?: CallOptions): Promise<local.Identity[]>;
  /** Verifies a domain, so that the workspace may send from it and from all domains below it. */
  createIdentity(
    workspaceId: string,
    fields: { readonly domain: string },
    options?: CallOptions,
  ): Promise<local.Identity>;
  /** Removes a verified sending domain. */
  deleteIdentity(id: string, options?: CallOptions): Promise<void>;
  /** Adds a recipient to the suppression list of a workspace. */
  addSuppression(
    workspaceId: string,
    fields: local.SuppressionFields,
    options?: CallOptions,
  ): Promise<SuppressionEntryResponse>;
  /** Lists the sent messages with their delivery states, newest first. */
  listSends(query?: local.SendQuery, options?: CallOptions): Promise<local.SendState[]>;
  /** Returns the delivery state of a sent message. */
  getSend(id: string, options?: CallOptions): Promise<local.SendState>;

  /** Lists the stored authenticators of a workspace, without their secrets. */
  listAuthenticators(workspaceId: string, options?: CallOptions): Promise<local.StoredAuthenticator[]>;
  /** Stores an authenticator. Its secret is never returned. */
  createAuthenticator(
    workspaceId: string,
    fields: local.AuthenticatorFields,
    options?: CallOptions,
  ): Promise<local.StoredAuthenticator>;
  /** Deletes a stored authenticator. */
  deleteAuthenticator(id: string, options?: CallOptions): Promise<void>;
  /** Computes the current code of a secret or a URI, by the server's clock. It stores nothing. */
  computeTotpCode(fields: local.TotpFields, options?: CallOptions): Promise<TotpCodeResponse>;

  /** Changes the settings of a mailbox that are given. */
  updateMailbox(id: string, fields: local.MailboxFields, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Claims addresses for a mailbox, in place of those it claimed before. Mail to a claimed address comes to this
   * mailbox. An address may be of any domain; `*@domain` claims all addresses of a domain. Throws a RefusedError with
   * the code `address_taken` if another mailbox claims one; its `extra` names the holder.
   */
  claimAddresses(id: string, addresses: readonly string[], options?: CallOptions): Promise<local.MailboxSettings>;
  /** Lists the mailboxes of all workspaces. */
  listMailboxes(options?: CallOptions): Promise<local.MailboxSettings[]>;
  /** Returns a mailbox with its settings. */
  getMailbox(id: string, options?: CallOptions): Promise<local.MailboxSettings>;
  /** Deletes a mailbox with its messages. */
  deleteMailbox(id: string, options?: CallOptions): Promise<void>;
  /** Searches a mailbox. The answer has the messages, newest first, and their total number. */
  searchMessages(mailboxId: string, search?: local.MessageSearch, options?: CallOptions): Promise<local.SearchPage>;
  /** Searches all mailboxes of one workspace, or of all workspaces; otherwise like `searchMessages`. */
  searchAllMessages(search?: local.WideSearch, options?: CallOptions): Promise<local.SearchPage>;
  /** Deletes the messages that a search finds. */
  deleteFoundMessages(search: local.DoomedMessages, options?: CallOptions): Promise<local.Deleted>;
  /** Adds a raw RFC 5322 message to a mailbox, as if it came by SMTP. */
  putMessage(mailboxId: string, raw: string | Uint8Array, options?: CallOptions): Promise<MessageSummaryResponse>;
  /** Deletes every message of a mailbox. */
  clearMessages(mailboxId: string, options?: CallOptions): Promise<void>;

  /**
   * Waits for the newest message that matches, and resolves with all of it, codes and links included, or with null
   * after the timeout.
   */
  awaitMessage(
    mailboxId: string,
    query?: local.WholeAwaitQuery,
    options?: CallOptions,
  ): Promise<local.WholeMessage | null>;
  /** Waits for the newest `count` messages, in the order they came. Resolves with null if there were fewer in time. */
  awaitMessages(
    mailboxId: string,
    count: number,
    query?: local.WholeAwaitQuery,
    options?: CallOptions,
  ): Promise<local.WholeMessage[] | null>;

  /** Explains why nothing matched. */
  diagnose(mailboxId: string, query?: local.DiagnosisQuery, options?: CallOptions): Promise<local.Diagnosis>;

  /** Returns the facts of a message beside its raw bytes: envelope, TLS, SMTP transcript, codes and links. */
  getMessage(id: string, options?: CallOptions): Promise<local.MessageFacts>;
  /**
   * Hands the message to the server's relay. `to` is an RFC 5322 address list. The answer tells what the relay said.
   */
  releaseMessage(id: string, fields: { readonly to: string }, options?: CallOptions): Promise<local.Release>;
  /** Opens a URL on the server where the message can be viewed safely. The URL expires after some minutes. */
  openView(id: string, fields?: local.ViewFields, options?: CallOptions): Promise<local.MessageView>;
  /** Returns the message as an HTML page that runs no script and loads nothing. */
  viewMessage(id: string, options?: CallOptions): Promise<string>;
  /** Deletes a message. */
  deleteMessage(id: string, options?: CallOptions): Promise<void>;
  /** Returns the raw message, byte for byte. */
  getRawMessage(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the decoded content of an attachment, byte for byte. */
  getAttachment(messageId: string, attachmentId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;

  /** Waits for the newest captured request after a position. Resolves with null if none came in time. */
  awaitWebhookRequest(
    webhookId: string,
    query?: local.RequestAwaitQuery,
    options?: CallOptions,
  ): Promise<WebhookRequestSummary | null>;
  /** Returns a captured request with its headers in their order and case. */
  getWebhookRequest(id: string, options?: CallOptions): Promise<local.RequestFacts>;
  /** Returns the body of a captured request, byte for byte. */
  getWebhookRequestBody(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the scripted answers that are not used yet. */
  getResponses(webhookId: string, options?: CallOptions): Promise<local.ScriptedResponses>;
  /** Sets the answers to the next requests, one each. After them the configured answer is used again. */
  setResponses(
    webhookId: string,
    responses: readonly local.ScriptedResponse[],
    options?: CallOptions,
  ): Promise<local.ScriptedResponses>;

  /** Lists the last SMTP sessions, newest first, refused ones included. */
  listSmtpSessions(
    query?: { readonly limit?: number | undefined },
    options?: CallOptions,
  ): Promise<local.SmtpSession[]>;
  /** Returns the server's time and its offset from real time. */
  getClock(options?: CallOptions): Promise<local.Clock>;
  /** Sets the server's clock, which codes, retention and rate limits follow. Null sets it back to real time. */
  setClock(setting: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  /** Lists the fault rules in force, with the number of times each applied. */
  getFaults(options?: CallOptions): Promise<local.Fault[]>;
  /** Replaces all fault rules. */
  setFaults(rules: readonly local.FaultRule[], options?: CallOptions): Promise<local.Fault[]>;
  /** Returns the metrics in the Prometheus text format. */
  metrics(options?: CallOptions): Promise<string>;
}

const SENDS = { workspaceId: text, mailboxId: text, limit: number, before: text };
const SEARCH = { query: text, limit: number, before: text };
const DOOMED = { query: text, mailboxId: text, workspaceId: text };
const DIAGNOSIS = { subject: text, from: text, to: text, since: time };

const WHOLE_AWAIT = {
  ...{ subject: text, from: text, to: text, body: text, header: text, code: flag, link: text, query: text },
  ...{ since: time, timeout: number },
};

function wholeAwait(name: string, query: local.WholeAwaitQuery, count?: number) {
  checkOptions(name, query, WHOLE_AWAIT);
  if (count !== undefined) wholeNumber('count', count);
  const { code, since, timeout = 30, ...rest } = query;
  const asked = { ...rest, count, code: code === true ? 1 : undefined, since: timeOf(since), timeout };
  return { query: asked, heldMs: timeout * 1_000 };
}

/** Creates the calls of the local API. */
export function createLocalApi(call: Caller): LocalApi {
  return {
    health: (options) => call.json('local.health', 'GET', '/_mailcap/health', {}, options),
    info: (options) => call.json('local.info', 'GET', '/_mailcap/info', {}, options),
    reset: (options) => call.nothing('local.reset', 'POST', '/_mailcap/reset', {}, options),

    listWorkspaces: (options) => call.json('local.listWorkspaces', 'GET', '/_mailcap/workspaces', {}, options),
    createWorkspace: (fields = {}, options) =>
      call.json('local.createWorkspace', 'POST', '/_mailcap/workspaces', { json: fields }, options),
    updateWorkspace: (id, fields, options) =>
      call.json('local.updateWorkspace', 'PATCH', pathOf`/_mailcap/workspaces/${id}`, { json: fields }, options),
    deleteWorkspace: (id, options) =>
      call.nothing('local.deleteWorkspace', 'DELETE', pathOf`/_mailcap/workspaces/${id}`, {}, options),

    listKeys: (id, options) => call.json('local.listKeys', 'GET', pathOf`/_mailcap/workspaces/${id}/keys`, {}, options),
    createKey: (id, fields = {}, options) =>
      call.json('local.createKey', 'POST', pathOf`/_mailcap/workspaces/${id}/keys`, { json: fields }, options),
    revokeKey: (id, options) => call.nothing('local.revokeKey', 'DELETE', pathOf`/_mailcap/keys/${id}`, {}, options),

    listGroups: (id, options) =>
      call.json('local.listGroups', 'GET', pathOf`/_mailcap/workspaces/${id}/groups`, {}, options),
    createGroup: (id, fields, options) =>
      call.json('local.createGroup', 'POST', pathOf`/_mailcap/workspaces/${id}/groups`, { json: fields }, options),
    deleteGroup: (id, options) =>
      call.nothing('local.deleteGroup', 'DELETE', pathOf`/_mailcap/groups/${id}`, {}, options),

    listIdentities: (id, options) =>
      call.json('local.listIdentities', 'GET', pathOf`/_mailcap/workspaces/${id}/identities`, {}, options),
    createIdentity: (id, fields, options) =>
      call.json(
        'local.createIdentity',
        'POST',
        pathOf`/_mailcap/workspaces/${id}/identities`,
        { json: fields },
        options,
      ),
    deleteIdentity: (id, options) =>
      call.nothing('local.deleteIdentity', 'DELETE', pathOf`/_mailcap/identities/${id}`, {}, options),
    addSuppression: (id, fields, options) =>
      call.json(
        'local.addSuppression',
        'POST',
        pathOf`/_mailcap/workspaces/${id}/suppression`,
        { json: fields },
        options,
      ),
    listSends: async (query = {}, options) => {
      checkOptions('local.listSends', query, SENDS);
      return call.json('local.listSends', 'GET', '/_mailcap/sends', { query: { ...query } }, options);
    },
    getSend: (id, options) => call.json('local.getSend', 'GET', pathOf`/_mailcap/sends/${id}`, {}, options),

    listAuthenticators: (id, options) =>
      call.json('local.listAuthenticators', 'GET', pathOf`/_mailcap/workspaces/${id}/authenticators`, {}, options),
    createAuthenticator: (id, fields, options) => {
      const path = pathOf`/_mailcap/workspaces/${id}/authenticators`;
      return call.json('local.createAuthenticator', 'POST', path, { json: fields }, options);
    },
    deleteAuthenticator: (id, options) =>
      call.nothing('local.deleteAuthenticator', 'DELETE', pathOf`/_mailcap/authenticators/${id}`, {}, options),

    computeTotpCode: (fields, options) =>
      call.json('local.computeTotpCode', 'POST', '/_mailcap/totp', { json: fields }, options),

    updateMailbox: (id, fields, options) =>
      call.json('local.updateMailbox', 'PATCH', pathOf`/_mailcap/mailboxes/${id}`, { json: fields }, options),
    claimAddresses: (id, addresses, options) =>
      call.json(
        'local.claimAddresses',
        'PUT',
        pathOf`/_mailcap/mailboxes/${id}/addresses`,
        { json: addresses },
        options,
      ),
    listMailboxes: (options) => call.json('local.listMailboxes', 'GET', '/_mailcap/mailboxes', {}, options),
    getMailbox: (id, options) => call.json('local.getMailbox', 'GET', pathOf`/_mailcap/mailboxes/${id}`, {}, options),
    deleteMailbox: (id, options) =>
      call.nothing('local.deleteMailbox', 'DELETE', pathOf`/_mailcap/mailboxes/${id}`, {}, options),
    searchMessages: async (id, search = {}, options) => {
      checkOptions('local.searchMessages', search, SEARCH);
      const path = pathOf`/_mailcap/mailboxes/${id}/messages`;
      return call.json('local.searchMessages', 'GET', path, { query: { ...search } }, options);
    },
    searchAllMessages: async (search = {}, options) => {
      checkOptions('local.searchAllMessages', search, { ...SEARCH, workspaceId: text });
      return call.json('local.searchAllMessages', 'GET', '/_mailcap/messages', { query: { ...search } }, options);
    },
    deleteFoundMessages: async (search, options) => {
      checkOptions('local.deleteFoundMessages', search, DOOMED);
      const { query, mailboxId, workspaceId } = search;
      const name = 'local.deleteFoundMessages';
      // Without its query this call would delete every message.
      if (typeof query !== 'string' || query.trim() === '')
        throw new OptionError(`${name} must be given a query that is not empty; it is ${shown(query)}.`);
      return mailboxId === undefined
        ? call.json(name, 'DELETE', '/_mailcap/messages', { query: { query, workspaceId } }, options)
        : call.json(name, 'DELETE', pathOf`/_mailcap/mailboxes/${mailboxId}/messages`, { query: { query } }, options);
    },
    putMessage: async (id, raw, options) => {
      if (typeof raw !== 'string' && !ArrayBuffer.isView(raw))
        throw new OptionError(`local.putMessage must be given a message as text or bytes; it is ${shown(raw)}.`);
      const path = pathOf`/_mailcap/mailboxes/${id}/messages`;
      return call.json('local.putMessage', 'POST', path, { body: raw }, options);
    },
    clearMessages: (id, options) =>
      call.nothing('local.clearMessages', 'DELETE', pathOf`/_mailcap/mailboxes/${id}/messages`, {}, options),

    awaitMessage: async (id, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessage', query);
      return call.jsonOrNull('local.awaitMessage', 'GET', pathOf`/_mailcap/mailboxes/${id}/await`, rest, options);
    },
    awaitMessages: async (id, count, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessages', query, count);
      return call.jsonOrNull('local.awaitMessages', 'GET', pathOf`/_mailcap/mailboxes/${id}/await`, rest, options);
    },
    diagnose: async (id, query = {}, options) => {
      checkOptions('local.diagnose', query, DIAGNOSIS);
      const path = pathOf`/_mailcap/mailboxes/${id}/diagnosis`;
      return call.json('local.diagnose', 'GET', path, { query: { ...query, since: timeOf(query.since) } }, options);
    },

    getMessage: (id, options) => call.json('local.getMessage', 'GET', pathOf`/_mailcap/messages/${id}`, {}, options),
    releaseMessage: (id, fields, options) =>
      call.json('local.releaseMessage', 'POST', pathOf`/_mailcap/messages/${id}/release`, { json: fields }, options),
    openView: (id, fields = {}, options) =>
      call.json('local.openView', 'POST', pathOf`/_mailcap/messages/${id}/view`, { json: fields }, options),
    viewMessage: (id, options) => call.text('local.viewMessage', pathOf`/_mailcap/messages/${id}/view`, options),
    deleteMessage: (id, options) =>
      call.nothing('local.deleteMessage', 'DELETE', pathOf`/_mailcap/messages/${id}`, {}, options),
    getRawMessage: (id, options) => call.bytes('local.getRawMessage', pathOf`/_mailcap/messages/${id}/raw`, options),
    getAttachment: (messageId, id, options) =>
      call.bytes('local.getAttachment', pathOf`/_mailcap/messages/${messageId}/attachments/${id}`, options),

    awaitWebhookRequest: async (id, query = {}, options) => {
      checkOptions('local.awaitWebhookRequest', query, { after: text, timeout: number });
      const path = pathOf`/_mailcap/webhooks/${id}/requests/await`;
      const heldMs = (query.timeout ?? 30) * 1_000;
      return call.jsonOrNull('local.awaitWebhookRequest', 'GET', path, { query: { ...query }, heldMs }, options);
    },
    getWebhookRequest: (id, options) =>
      call.json('local.getWebhookRequest', 'GET', pathOf`/_mailcap/webhooks/requests/${id}`, {}, options),
    getWebhookRequestBody: (id, options) =>
      call.bytes('local.getWebhookRequestBody', pathOf`/_mailcap/webhooks/requests/${id}/body`, options),
    getResponses: (id, options) =>
      call.json('local.getResponses', 'GET', pathOf`/_mailcap/webhooks/${id}/responses`, {}, options),
    setResponses: (id, responses, options) =>
      call.json('local.setResponses', 'PUT', pathOf`/_mailcap/webhooks/${id}/responses`, { json: responses }, options),

    listSmtpSessions: async (query = {}, options) => {
      checkOptions('local.listSmtpSessions', query, { limit: number });
      return call.json('local.listSmtpSessions', 'GET', '/_mailcap/smtp/sessions', { query: { ...query } }, options);
    },
    getClock: (options) => call.json('local.getClock', 'GET', '/_mailcap/clock', {}, options),
    setClock: (setting, options) => call.json('local.setClock', 'PUT', '/_mailcap/clock', { json: setting }, options),
    getFaults: (options) => call.json('local.getFaults', 'GET', '/_mailcap/faults', {}, options),
    setFaults: (rules, options) => call.json('local.setFaults', 'PUT', '/_mailcap/faults', { json: rules }, options),
    metrics: (options) => call.text('local.metrics', '/_mailcap/metrics', options),
  };
}
