import { LocalOnlyError, MailcapError, OptionError, RefusedError } from '../errors.ts';
import {
  CALL,
  checkOptions,
  flag,
  listOfTexts,
  number,
  shown,
  text,
  time,
  count as wholeNumber,
} from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { replyText, type Transport } from '../transport/transport.ts';
import { type Caller, timeOf } from './caller.ts';
import type * as local from './local-resources.ts';
import { OPERATIONS } from './operations.ts';
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
  /** Computes the current code of a secret or a URI, by the clock of the workspace or else the server's. It stores nothing. */
  computeTotpCode(fields: local.TotpFields, options?: CallOptions): Promise<TotpCodeResponse>;

  /** Changes the settings of a mailbox that are given. */
  updateMailbox(id: string, fields: local.MailboxFields, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Claims addresses for a mailbox, in place of those it claimed before. Mail to a claimed address comes to this
   * mailbox. An address may be of any domain; `*@domain` claims all addresses of a domain. Throws a RefusedError with
   * the code `address_taken` if another mailbox claims one, after `wait` seconds; its `extra` names the holder.
   */
  claimAddresses(
    id: string,
    addresses: readonly string[],
    options?: local.ClaimOptions,
  ): Promise<local.MailboxSettings>;
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
  deleteFoundMessages(search: local.DoomedMessages, options?: CallOptions): Promise<local.DeletedCount>;
  /** Adds a raw RFC 5322 message to a mailbox, as if it came by SMTP. */
  putMessage(mailboxId: string, raw: string | Uint8Array, options?: CallOptions): Promise<MessageSummaryResponse>;
  /** Deletes every message of a mailbox. */
  clearMessages(mailboxId: string, options?: CallOptions): Promise<void>;

  /**
   * Waits for the newest message that matches. Resolves with the whole message, its codes and its links, or with null
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

  /** Explains why no message matched a wait: mail elsewhere, SMTP refusals, and the last SMTP connection. */
  diagnose(mailboxId: string, query?: local.DiagnosisQuery, options?: CallOptions): Promise<local.Diagnosis>;

  /** Returns the facts of a message without its raw bytes: envelope, TLS, SMTP transcript, codes and links. */
  getMessage(id: string, options?: CallOptions): Promise<local.MessageFacts>;
  /**
   * Sends the message through the server's relay. `to` is an RFC 5322 address list. The answer holds the relay's reply.
   */
  releaseMessage(id: string, fields: { readonly to: string }, options?: CallOptions): Promise<local.Release>;
  /** Opens a URL on the server where the message can be viewed safely. The URL expires after some minutes. */
  openView(id: string, fields?: local.ViewFields, options?: CallOptions): Promise<local.MessageView>;
  /** Like {@link openView}, for a mail that is attached to the message. */
  openAttachedView(
    messageId: string,
    attachmentId: string,
    fields?: local.ViewFields,
    options?: CallOptions,
  ): Promise<local.MessageView>;
  /** Returns the message as an HTML page that runs no script and loads nothing. */
  viewMessage(id: string, options?: CallOptions): Promise<string>;
  /** Checks a message for faults that its readers would notice. docs/checks.md lists the rules. */
  checkMessage(id: string, options?: local.CheckOptions, callOptions?: CallOptions): Promise<local.Checks>;
  /** Deletes a message. */
  deleteMessage(id: string, options?: CallOptions): Promise<void>;
  /** Returns the raw message, byte for byte. */
  getRawMessage(id: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the decoded content of an attachment, byte for byte. */
  getAttachment(messageId: string, attachmentId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns an attached mail as a mail of its own. The call fails with `not_found` if the attachment is no mail. */
  getAttachedMail(messageId: string, attachmentId: string, options?: CallOptions): Promise<local.AttachedMail>;

  /** Returns a webhook with its URL and its counts. */
  getWebhook(id: string, options?: CallOptions): Promise<local.WebhookFacts>;
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

  /** Returns the newest captured requests, 100 by default, as a recording: JSON without secrets that you can commit. */
  getRecording(
    webhookId: string,
    query?: { readonly limit?: number | undefined },
    options?: CallOptions,
  ): Promise<local.Recording>;
  /** Lists the sample events that can be sent. */
  listSamples(options?: CallOptions): Promise<local.WebhookSample[]>;
  /** Sends a webhook from the server. `client.sendWebhook()` sends it from this process instead. */
  sendWebhook(fields: local.ServerDeliveryFields, options?: CallOptions): Promise<local.ServerDelivery>;
  /** Sends the requests of a recording from the server. */
  playRecording(fields: local.PlaybackFields, options?: CallOptions): Promise<local.Playback>;

  /** Lists the last SMTP sessions, newest first, refused ones included. */
  listSmtpSessions(
    query?: { readonly limit?: number | undefined },
    options?: CallOptions,
  ): Promise<local.SmtpSession[]>;
  /** Returns the server's time and its offset from real time. */
  getClock(options?: CallOptions): Promise<local.Clock>;
  /** Waits until the server's clock reaches a time. Resolves with null if it does not within `timeout` seconds (30). */
  awaitClock(
    until: Date | string,
    query?: { readonly timeout?: number | undefined },
    options?: CallOptions,
  ): Promise<local.Clock | null>;
  /**
   * Sets the server's clock, which every workspace without a clock of its own follows: all tests of the server share it.
   * `client.setClock()` sets the clock of the client's workspace alone. Null sets it back to real time.
   */
  setClock(setting: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  /** Returns the time in a workspace and its offset from real time. */
  getWorkspaceClock(workspaceId: string, options?: CallOptions): Promise<local.Clock>;
  /** Waits until a workspace's clock reaches a time. Resolves with null if it does not within `timeout` seconds (30). */
  awaitWorkspaceClock(
    workspaceId: string,
    until: Date | string,
    query?: { readonly timeout?: number | undefined },
    options?: CallOptions,
  ): Promise<local.Clock | null>;
  /**
   * Sets the clock of a workspace, which its codes, retention, counters and rate limits follow. Null takes it away: the
   * workspace follows the server's clock again.
   */
  setWorkspaceClock(workspaceId: string, setting: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  /** Lists the fault rules in force, with the number of times each applied. */
  getFaults(options?: CallOptions): Promise<local.Fault[]>;
  /** Adds a fault rule after the others. `client.addFault()` returns a handle that removes it. */
  addFault(rule: local.FaultRule, options?: CallOptions): Promise<local.Fault>;
  /** Removes one fault rule and returns it with its counts. The others stay. */
  removeFault(id: string, options?: CallOptions): Promise<local.Fault>;
  /**
   * Replaces all fault rules of the server, those of other tests too. A test that runs in parallel with others uses
   * `addFault`.
   */
  setFaults(rules: readonly local.FaultRule[], options?: CallOptions): Promise<local.Fault[]>;
  /** Returns the metrics in the Prometheus text format. */
  metrics(options?: CallOptions): Promise<string>;
}

// These options have checks here, because the client changes them before it calls the operation.
const CHECKS = { clients: listOfTexts, allow: listOfTexts, deny: listOfTexts, reach: flag };
const DOOMED = { query: text, mailboxId: text, workspaceId: text };
/** A diagnosis takes the filters of the wait that it explains. */
const DIAGNOSIS = {
  ...{ subject: text, from: text, to: text, body: text, header: text, code: flag, link: text, query: text },
  since: time,
};
const WHOLE_AWAIT = { ...DIAGNOSIS, timeout: number };

function wholeAwait(name: string, query: local.WholeAwaitQuery, count?: number) {
  checkOptions(name, query, WHOLE_AWAIT);
  if (count !== undefined) wholeNumber('count', count);
  const { code, since, timeout = 30, ...rest } = query;
  const asked = { ...rest, count, code: code === true ? 1 : undefined, since: timeOf(since), timeout };
  return { query: asked, heldMs: timeout * 1_000 };
}

/** Returns the milliseconds for which the server may hold a delivery. The last try may take ten seconds more. */
function heldMsOf(fields: { readonly timeout?: number | undefined }): number {
  // Anything but an object with a number goes to the server, which refuses it.
  const timeout: unknown = Object(fields).timeout;
  return (typeof timeout === 'number' ? timeout : 30) * 1_000 + 10_000;
}

const CLAIM = { ...CALL, wait: OPERATIONS.claimAddresses.query.timeout };

/** Creates the calls of the local API. */
export function createLocalApi(call: Caller): LocalApi {
  return {
    health: (options) => call.ask('local.health', 'getHealth', [], {}, options),
    info: (options) => call.ask('local.info', 'getInfo', [], {}, options),
    reset: (options) => call.ask('local.reset', 'reset', [], {}, options),

    listWorkspaces: (options) => call.ask('local.listWorkspaces', 'listWorkspaces', [], {}, options),
    createWorkspace: (fields = {}, options) =>
      call.ask('local.createWorkspace', 'createWorkspace', [], { json: fields }, options),
    updateWorkspace: (id, fields, options) =>
      call.ask('local.updateWorkspace', 'updateWorkspace', [id], { json: fields }, options),
    deleteWorkspace: (id, options) => call.ask('local.deleteWorkspace', 'deleteWorkspace', [id], {}, options),

    listKeys: (id, options) => call.ask('local.listKeys', 'listKeys', [id], {}, options),
    createKey: (id, fields = {}, options) => call.ask('local.createKey', 'createKey', [id], { json: fields }, options),
    revokeKey: (id, options) => call.ask('local.revokeKey', 'revokeKey', [id], {}, options),

    listGroups: (id, options) => call.ask('local.listGroups', 'listGroups', [id], {}, options),
    createGroup: (id, fields, options) => call.ask('local.createGroup', 'createGroup', [id], { json: fields }, options),
    deleteGroup: (id, options) => call.ask('local.deleteGroup', 'deleteGroup', [id], {}, options),

    listIdentities: (id, options) => call.ask('local.listIdentities', 'listIdentities', [id], {}, options),
    createIdentity: (id, fields, options) =>
      call.ask('local.createIdentity', 'createIdentity', [id], { json: fields }, options),
    deleteIdentity: (id, options) => call.ask('local.deleteIdentity', 'deleteIdentity', [id], {}, options),
    addSuppression: (id, fields, options) =>
      call.ask('local.addSuppression', 'addSuppression', [id], { json: fields }, options),
    listSends: async (query = {}, options) => {
      checkOptions('local.listSends', query, OPERATIONS.listSends.query);
      return call.ask('local.listSends', 'listSends', [], { query: { ...query } }, options);
    },
    getSend: (id, options) => call.ask('local.getSend', 'getSend', [id], {}, options),

    listAuthenticators: (id, options) => call.ask('local.listAuthenticators', 'listAuthenticators', [id], {}, options),
    createAuthenticator: (id, fields, options) =>
      call.ask('local.createAuthenticator', 'createAuthenticator', [id], { json: fields }, options),
    deleteAuthenticator: (id, options) =>
      call.ask('local.deleteAuthenticator', 'deleteAuthenticator', [id], {}, options),

    computeTotpCode: (fields, options) =>
      call.ask('local.computeTotpCode', 'computeTotp', [], { json: fields }, options),

    updateMailbox: (id, fields, options) =>
      call.ask('local.updateMailbox', 'updateMailbox', [id], { json: fields }, options),
    claimAddresses: async (id, addresses, given = {}) => {
      checkOptions('The last argument of local.claimAddresses', given, CLAIM);
      const { wait, ...options } = given;
      const rest = wait === undefined ? {} : { query: { timeout: wait }, heldMs: wait * 1_000 };
      return call.ask('local.claimAddresses', 'claimAddresses', [id], { json: addresses, ...rest }, options);
    },
    listMailboxes: (options) => call.ask('local.listMailboxes', 'listAllMailboxes', [], {}, options),
    getMailbox: (id, options) => call.ask('local.getMailbox', 'getMailbox', [id], {}, options),
    deleteMailbox: (id, options) => call.ask('local.deleteMailbox', 'deleteMailbox', [id], {}, options),
    searchMessages: async (id, search = {}, options) => {
      checkOptions('local.searchMessages', search, OPERATIONS.searchMessages.query);
      return call.ask('local.searchMessages', 'searchMessages', [id], { query: { ...search } }, options);
    },
    searchAllMessages: async (search = {}, options) => {
      checkOptions('local.searchAllMessages', search, OPERATIONS.searchAllMessages.query);
      return call.ask('local.searchAllMessages', 'searchAllMessages', [], { query: { ...search } }, options);
    },
    deleteFoundMessages: async (search, options) => {
      checkOptions('local.deleteFoundMessages', search, DOOMED);
      const { query, mailboxId, workspaceId } = search;
      const name = 'local.deleteFoundMessages';
      // Without its query this call would delete every message.
      if (typeof query !== 'string' || query.trim() === '')
        throw new OptionError(`The query of ${name} must be a non-empty string; it is ${shown(query)}.`);
      return mailboxId === undefined
        ? call.ask(name, 'deleteFoundMessages', [], { query: { query, workspaceId } }, options)
        : call.askFor('json', name, 'clearMailbox', [mailboxId], { query: { query } }, options);
    },
    putMessage: async (id, raw, options) => {
      if (typeof raw !== 'string' && !ArrayBuffer.isView(raw))
        throw new OptionError(`The message of local.putMessage must be a string or bytes; it is ${shown(raw)}.`);
      return call.ask('local.putMessage', 'putMessage', [id], { body: raw }, options);
    },
    clearMessages: async (id, options) => {
      await call.ask('local.clearMessages', 'clearMailbox', [id], {}, options);
    },

    awaitMessage: async (id, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessage', query);
      return call.askFor('jsonOrNull', 'local.awaitMessage', 'awaitWholeMessage', [id], rest, options);
    },
    awaitMessages: async (id, count, query = {}, options) => {
      const rest = wholeAwait('local.awaitMessages', query, count);
      return call.askFor('jsonOrNull', 'local.awaitMessages', 'awaitWholeMessage', [id], rest, options);
    },
    diagnose: async (id, query = {}, options) => {
      checkOptions('local.diagnose', query, DIAGNOSIS);
      const { code, since, ...rest } = query;
      const asked = { ...rest, code: code === true ? 1 : undefined, since: timeOf(since) };
      return call.ask('local.diagnose', 'diagnoseMailbox', [id], { query: asked }, options);
    },

    getMessage: (id, options) => call.ask('local.getMessage', 'getMessageFacts', [id], {}, options),
    releaseMessage: (id, fields, options) =>
      call.ask('local.releaseMessage', 'releaseMessage', [id], { json: fields }, options),
    openView: (id, fields = {}, options) => call.ask('local.openView', 'openView', [id], { json: fields }, options),
    openAttachedView: (messageId, id, fields = {}, options) =>
      call.ask('local.openAttachedView', 'openAttachedView', [messageId, id], { json: fields }, options),
    viewMessage: (id, options) => call.ask('local.viewMessage', 'viewMessage', [id], {}, options),
    checkMessage: async (id, given = {}, options) => {
      checkOptions('local.checkMessage', given, CHECKS);
      const { clients, allow, deny, reach } = given;
      const query = {
        clients: clients?.join(','),
        allow: allow?.join(','),
        deny: deny?.join(','),
        reach: reach === true ? '1' : undefined,
      };
      // A spam filter may take fifteen seconds. With `reach` each link may take ten, and the server asks eight at a
      // time.
      const heldMs = reach === true ? 70_000 : 20_000;
      return call.ask('local.checkMessage', 'checkMessage', [id], { query, heldMs }, options);
    },
    deleteMessage: (id, options) => call.ask('local.deleteMessage', 'deleteMessage', [id], {}, options),
    getRawMessage: (id, options) => call.ask('local.getRawMessage', 'getRawMessage', [id], {}, options),
    getAttachedMail: (messageId, id, options) =>
      call.ask('local.getAttachedMail', 'getAttachedMail', [messageId, id], {}, options),
    getAttachment: (messageId, id, options) =>
      call.ask('local.getAttachment', 'getAttachment', [messageId, id], {}, options),

    getWebhook: (id, options) => call.ask('local.getWebhook', 'getWebhookOf', [id], {}, options),
    awaitWebhookRequest: async (id, query = {}, options) => {
      checkOptions('local.awaitWebhookRequest', query, OPERATIONS.awaitRequest.query);
      const heldMs = (query.timeout ?? 30) * 1_000;
      return call.ask('local.awaitWebhookRequest', 'awaitRequest', [id], { query: { ...query }, heldMs }, options);
    },
    getWebhookRequest: (id, options) => call.ask('local.getWebhookRequest', 'getRequestAsSent', [id], {}, options),
    getWebhookRequestBody: (id, options) =>
      call.ask('local.getWebhookRequestBody', 'getRequestBody', [id], {}, options),
    getResponses: (id, options) => call.ask('local.getResponses', 'getResponses', [id], {}, options),
    setResponses: (id, responses, options) =>
      call.ask('local.setResponses', 'setResponses', [id], { json: responses }, options),

    getRecording: async (id, query = {}, options) => {
      checkOptions('local.getRecording', query, OPERATIONS.getRecording.query);
      return call.ask('local.getRecording', 'getRecording', [id], { query: { ...query } }, options);
    },
    listSamples: (options) => call.ask('local.listSamples', 'listSamples', [], {}, options),
    sendWebhook: (fields, options) =>
      call.ask('local.sendWebhook', 'sendWebhook', [], { json: fields, heldMs: heldMsOf(fields) }, options),
    playRecording: (fields, options) =>
      call.ask('local.playRecording', 'playRecording', [], { json: fields, heldMs: heldMsOf(fields) }, options),

    listSmtpSessions: async (query = {}, options) => {
      checkOptions('local.listSmtpSessions', query, OPERATIONS.listSmtpSessions.query);
      return call.ask('local.listSmtpSessions', 'listSmtpSessions', [], { query: { ...query } }, options);
    },
    getClock: (options) => call.ask('local.getClock', 'getClock', [], {}, options),
    awaitClock: async (until, asked = {}, options = {}) => {
      time('until', until);
      checkOptions('local.awaitClock', asked, { timeout: OPERATIONS.awaitClock.query.timeout });
      const { timeout = 30 } = asked;
      const query = { until: timeOf(until), timeout };
      return call.ask('local.awaitClock', 'awaitClock', [], { query, heldMs: timeout * 1_000 }, options);
    },
    setClock: (setting, options) => call.ask('local.setClock', 'setClock', [], { json: setting }, options),
    getWorkspaceClock: (id, options) => call.ask('local.getWorkspaceClock', 'getWorkspaceClock', [id], {}, options),
    awaitWorkspaceClock: async (id, until, asked = {}, options = {}) => {
      time('until', until);
      checkOptions('local.awaitWorkspaceClock', asked, { timeout: OPERATIONS.awaitWorkspaceClock.query.timeout });
      const { timeout = 30 } = asked;
      const sent = { query: { until: timeOf(until), timeout }, heldMs: timeout * 1_000 };
      return call.ask('local.awaitWorkspaceClock', 'awaitWorkspaceClock', [id], sent, options);
    },
    setWorkspaceClock: (id, setting, options) =>
      call.ask('local.setWorkspaceClock', 'setWorkspaceClock', [id], { json: setting }, options),
    getFaults: (options) => call.ask('local.getFaults', 'listFaults', [], {}, options),
    addFault: (rule, options) => call.ask('local.addFault', 'addFault', [], { json: rule }, options),
    removeFault: (id, options) => call.ask('local.removeFault', 'removeFault', [id], {}, options),
    setFaults: (rules, options) => call.ask('local.setFaults', 'setFaults', [], { json: rules }, options),
    metrics: (options) => call.ask('local.metrics', 'getMetrics', [], {}, options),
  };
}

/**
 * Finds out whether the server has a local API, and asks only once. Throws a NoServerError if the server can't be
 * reached.
 */
export class LocalPresence {
  readonly #transport: Transport;
  #answer: Promise<boolean> | null = null;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  isThere(options?: CallOptions): Promise<boolean> {
    this.#answer ??= this.#ask(options).catch((error: unknown) => {
      this.#answer = null;
      throw error;
    });
    return this.#answer;
  }

  /**
   * Wraps the calls of the local API. A wrapped call throws a LocalOnlyError if the server has no local API, even if
   * its arguments are invalid.
   */
  guard(api: LocalApi): LocalApi {
    const calls = Object.entries(api).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) => {
        if (!(await this.isThere())) throw new LocalOnlyError(`local.${name}`);
        return call(...args);
      },
    ]);
    // Each entry keeps its name and its type.
    return Object.fromEntries(calls) as LocalApi;
  }

  async #ask(options?: CallOptions): Promise<boolean> {
    try {
      const reply = await this.#transport.send({
        name: 'local.health',
        method: 'GET',
        path: '/_mailcap/health',
        options,
      });
      return isHealth(replyText(reply));
    } catch (error) {
      if (!(error instanceof MailcapError) || error.status === null) throw error;
      // The local API is there, but the server is starting, fails its health check or refuses this caller. The calls
      // report that.
      return (
        error.code === 'starting' ||
        error.code === 'forbidden' ||
        (error instanceof RefusedError && tellsHealth(error.extra))
      );
    }
  }
}

function isHealth(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && tellsHealth(value);
  } catch {
    return false;
  }
}

function tellsHealth(body: object): boolean {
  return 'status' in body && 'version' in body;
}
