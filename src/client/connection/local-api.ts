import type { CallOptions } from '../transport/deadline.ts';
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
  deleteFoundMessages(search: local.DoomedMessages, options?: CallOptions): Promise<local.Deleted>;
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

  /** Returns a webhook with its capture URL and its counts. */
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
