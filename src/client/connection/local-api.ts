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
 * The local API: what a dashboard does, and what only a local server can do. Where the server has none, each call throws a
 * LocalOnlyError that names it.
 */
export interface LocalApi {
  health(options?: CallOptions): Promise<local.Health>;
  info(options?: CallOptions): Promise<local.Info>;
  /** Back to the seeded state. */
  reset(options?: CallOptions): Promise<void>;

  listWorkspaces(options?: CallOptions): Promise<local.Workspace[]>;
  /** An empty one: no mailbox, no key. */
  createWorkspace(fields?: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  updateWorkspace(id: string, fields: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  /** With all it owns. */
  deleteWorkspace(id: string, options?: CallOptions): Promise<void>;

  listKeys(workspaceId: string, options?: CallOptions): Promise<local.Key[]>;
  /** Its `key` is told this once. */
  createKey(workspaceId: string, fields?: local.KeyFields, options?: CallOptions): Promise<local.IssuedKey>;
  revokeKey(id: string, options?: CallOptions): Promise<void>;

  listGroups(workspaceId: string, options?: CallOptions): Promise<local.Group[]>;
  createGroup(workspaceId: string, fields: { readonly name: string }, options?: CallOptions): Promise<local.Group>;
  deleteGroup(id: string, options?: CallOptions): Promise<void>;

  /** Verified sending domains. */
  listIdentities(workspaceId: string, options?: CallOptions): Promise<local.Identity[]>;
  createIdentity(
    workspaceId: string,
    fields: { readonly domain: string },
    options?: CallOptions,
  ): Promise<local.Identity>;
  deleteIdentity(id: string, options?: CallOptions): Promise<void>;
  addSuppression(
    workspaceId: string,
    fields: local.SuppressionFields,
    options?: CallOptions,
  ): Promise<SuppressionEntryResponse>;
  listSends(query?: local.SendQuery, options?: CallOptions): Promise<local.SendState[]>;
  getSend(id: string, options?: CallOptions): Promise<local.SendState>;

  listAuthenticators(workspaceId: string, options?: CallOptions): Promise<local.StoredAuthenticator[]>;
  createAuthenticator(
    workspaceId: string,
    fields: local.AuthenticatorFields,
    options?: CallOptions,
  ): Promise<local.StoredAuthenticator>;
  deleteAuthenticator(id: string, options?: CallOptions): Promise<void>;
  /** The code of a secret or a URI at this moment, by the server's clock. Nothing is stored. */
  computeTotpCode(fields: local.TotpFields, options?: CallOptions): Promise<TotpCodeResponse>;

  updateMailbox(id: string, fields: local.MailboxFields, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Makes mail to these addresses the mailbox's, in place of those it claimed before: addresses of any domain, and `*@domain`
   * for all of one. An address that another mailbox claims is refused: `address_taken`, with who holds it in the error's `extra`.
   */
  claimAddresses(id: string, addresses: readonly string[], options?: CallOptions): Promise<local.MailboxSettings>;
  /** Of all workspaces. */
  listMailboxes(options?: CallOptions): Promise<local.MailboxSettings[]>;
  getMailbox(id: string, options?: CallOptions): Promise<local.MailboxSettings>;
  /** With its mail. */
  deleteMailbox(id: string, options?: CallOptions): Promise<void>;
  /** Newest first, with how many there are. */
  searchMessages(mailboxId: string, search?: local.MessageSearch, options?: CallOptions): Promise<local.SearchPage>;
  /** As `searchMessages`, in all mailboxes of a workspace or of all. */
  searchAllMessages(search?: local.WideSearch, options?: CallOptions): Promise<local.SearchPage>;
  /** Deletes what a search finds. */
  deleteFoundMessages(search: local.DoomedMessages, options?: CallOptions): Promise<local.Deleted>;
  /** Puts a raw RFC 5322 message in, as if by SMTP. */
  putMessage(mailboxId: string, raw: string | Uint8Array, options?: CallOptions): Promise<MessageSummaryResponse>;
  /** Deletes every message of a mailbox. */
  clearMessages(mailboxId: string, options?: CallOptions): Promise<void>;

  /** The newest message that matches, whole, with its codes and links; null where none came in time. */
  awaitMessage(
    mailboxId: string,
    query?: local.WholeAwaitQuery,
    options?: CallOptions,
  ): Promise<local.WholeMessage | null>;
  /** The newest so many, in the order they came; null where there were fewer in time. */
  awaitMessages(
    mailboxId: string,
    count: number,
    query?: local.WholeAwaitQuery,
    options?: CallOptions,
  ): Promise<local.WholeMessage[] | null>;

  /** Why nothing matched. */
  diagnose(mailboxId: string, query?: local.DiagnosisQuery, options?: CallOptions): Promise<local.Diagnosis>;

  /** What stands beside the bytes: envelope, TLS, transcript, codes and links. */
  getMessage(id: string, options?: CallOptions): Promise<local.MessageFacts>;
  /** Hands the message to the server's relay, for these recipients: an RFC 5322 address list. What became of it is in the answer. */
  releaseMessage(id: string, fields: { readonly to: string }, options?: CallOptions): Promise<local.Release>;
  /** An address, below the server's, where the message can be looked at for minutes, safely. */
  openView(id: string, fields?: local.ViewFields, options?: CallOptions): Promise<local.MessageView>;
  /** The message as its reader sees it, a page of HTML that runs nothing and loads nothing. */
  viewMessage(id: string, options?: CallOptions): Promise<string>;
  deleteMessage(id: string, options?: CallOptions): Promise<void>;
  /** Exact bytes. */
  getRawMessage(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Exact bytes, decoded. */
  getAttachment(messageId: string, attachmentId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;

  /** The newest captured request after a position, null where none came in time. */
  awaitWebhookRequest(
    webhookId: string,
    query?: local.RequestAwaitQuery,
    options?: CallOptions,
  ): Promise<WebhookRequestSummary | null>;
  getWebhookRequest(id: string, options?: CallOptions): Promise<local.RequestFacts>;
  /** Exact bytes. */
  getWebhookRequestBody(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  getResponses(webhookId: string, options?: CallOptions): Promise<local.ScriptedResponses>;
  /** What the next requests are answered, one each; then the configured answer again. */
  setResponses(
    webhookId: string,
    responses: readonly local.ScriptedResponse[],
    options?: CallOptions,
  ): Promise<local.ScriptedResponses>;

  /** The last SMTP sessions, newest first, refused ones too. */
  listSmtpSessions(
    query?: { readonly limit?: number | undefined },
    options?: CallOptions,
  ): Promise<local.SmtpSession[]>;
  getClock(options?: CallOptions): Promise<local.Clock>;
  setClock(setting: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  getFaults(options?: CallOptions): Promise<local.Fault[]>;
  /** Replaces all rules. */
  setFaults(rules: readonly local.FaultRule[], options?: CallOptions): Promise<local.Fault[]>;
  /** Prometheus text. */
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
      // Without its query it would be the call that deletes all.
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
