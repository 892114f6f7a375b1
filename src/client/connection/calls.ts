import type { Bytes, CallOptions } from '../transport/transport.ts';
import type * as local from './local-resources.ts';
import type * as api from './resources.ts';

// This module is generated from the operations of the server: npm run docs.

/**
 * Every operation of the cloud API (docs/api.md), by its name. A call takes the ids of its path, then its body, then its
 * query, then `timeout` and `signal`. It throws a RefusedError with the code of the refusal, such as `not_found`.
 */
export interface CloudApi {
  /**
   * List the mailboxes the key can read.
   *
   * `GET /v1/mailboxes`.
   */
  listMailboxes(options?: CallOptions): Promise<api.MailboxResponse[]>;
  /**
   * Create a mailbox. Its subdomain takes mail as soon as the request is answered.
   *
   * `POST /v1/workspaces/{workspaceId}/mailboxes` may be refused with `invalid_name`, `invalid_subdomain`,
   * `invalid_group_id`, `group_not_found`, `invalid_retention`, `subdomain_taken`, `subdomain_reserved`,
   * `plan_max_mailboxes_reached`.
   */
  createMailbox(body: api.CreateMailboxRequest, options?: CallOptions): Promise<api.MailboxResponse>;
  /**
   * List messages, newest first. Returns summaries without bodies. For the next page, before is the id of the last
   * message of this page.
   *
   * `GET /v1/mailboxes/{mailboxId}/messages` may be refused with `invalid_limit`, `invalid_before`.
   */
  listMessages(
    mailboxId: string,
    query?: ListMessagesQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse[]>;
  /**
   * Wait for a message. Holds the request until a message matches every given filter, and returns the newest match.
   * Null: none came in time.
   *
   * `GET /v1/mailboxes/{mailboxId}/messages/await` may be refused with `invalid_since`, `invalid_timeout`.
   */
  awaitMessage(
    mailboxId: string,
    query?: AwaitMessageQuery,
    options?: CallOptions,
  ): Promise<api.MessageSummaryResponse | null>;
  /**
   * Get a message with its bodies, headers and attachments.
   *
   * `GET /v1/mailboxes/{mailboxId}/messages/{id}`.
   */
  getMessage(mailboxId: string, id: string, options?: CallOptions): Promise<api.MessageDetailResponse>;
  /**
   * Send an email. It answers once the mail is queued; the delivery follows. Bounces and complaints arrive as mail
   * in the same mailbox. A refused send costs, counts and stores nothing.
   *
   * `POST /v1/mailboxes/{mailboxId}/send` may be refused with `invalid_body`, `outbound_disabled`,
   * `invalid_from_domain`, `recipients_not_allowed`, `suppressed_recipients`, `daily_outbound_limit_reached`,
   * `storage_limit_reached`, `insufficient_funds`.
   */
  sendEmail(mailboxId: string, body: api.SendRequest, options?: CallOptions): Promise<api.SendResponse>;
  /**
   * List the suppressed addresses.
   *
   * `GET /v1/workspaces/{workspaceId}/suppression` may be refused with `outbound_disabled`.
   */
  listSuppression(options?: CallOptions): Promise<api.SuppressionEntryResponse[]>;
  /**
   * Remove an address from the suppression list.
   *
   * `DELETE /v1/workspaces/{workspaceId}/suppression/{id}` may be refused with `outbound_disabled`.
   */
  deleteSuppression(id: string, options?: CallOptions): Promise<void>;
  /**
   * Get the current code of an authenticator.
   *
   * `GET /v1/totp/{totpId}/code`.
   */
  getTotpCode(totpId: string, options?: CallOptions): Promise<api.TotpCodeResponse>;
  /**
   * List the webhooks.
   *
   * `GET /v1/webhooks`.
   */
  listWebhooks(options?: CallOptions): Promise<api.WebhookView[]>;
  /**
   * Create a webhook.
   *
   * `POST /v1/webhooks` may be refused with `invalid_name`, `invalid_response_status`,
   * `invalid_response_content_type`, `invalid_response_body`, `invalid_forward_mode`, `invalid_forward_url`,
   * `invalid_retention`, `hook_limit_reached`.
   */
  createWebhook(body?: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  /**
   * Get a webhook.
   *
   * `GET /v1/webhooks/{webhookId}`.
   */
  getWebhook(webhookId: string, options?: CallOptions): Promise<api.WebhookView>;
  /**
   * Change the settings of a webhook. A field that is left out or null stays as it is.
   *
   * `PATCH /v1/webhooks/{webhookId}` may be refused with `invalid_name`, `invalid_response_status`,
   * `invalid_response_content_type`, `invalid_response_body`, `invalid_forward_mode`, `invalid_forward_url`,
   * `invalid_retention`.
   */
  updateWebhook(webhookId: string, body: api.UpsertWebhookDto, options?: CallOptions): Promise<api.WebhookView>;
  /**
   * Delete a webhook with its captured requests.
   *
   * `DELETE /v1/webhooks/{webhookId}`.
   */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
  /**
   * List the captured requests of a webhook, newest first.
   *
   * `GET /v1/webhooks/{webhookId}/requests` may be refused with `invalid_page`, `invalid_page_size`.
   */
  listWebhookRequests(
    webhookId: string,
    query?: ListWebhookRequestsQuery,
    options?: CallOptions,
  ): Promise<api.WebhookRequestPage>;
  /**
   * Delete the captured requests of a webhook.
   *
   * `DELETE /v1/webhooks/{webhookId}/requests`.
   */
  clearWebhookRequests(webhookId: string, options?: CallOptions): Promise<void>;
  /**
   * Get a captured request.
   *
   * `GET /v1/webhooks/requests/{requestId}`.
   */
  getCapturedRequest(requestId: string, options?: CallOptions): Promise<api.WebhookRequestView>;
  /**
   * Forward a captured request again, once.
   *
   * `POST /v1/webhooks/requests/{requestId}/replay` may be refused with `invalid_forward`.
   */
  replayWebhookRequest(requestId: string, options?: CallOptions): Promise<void>;
}

/**
 * Every operation of the local API (docs/api.md), by its name: what a dashboard does in the cloud, and what only a local
 * server can do. The calls are like those of the cloud API. Each throws a LocalOnlyError with its name if the server has
 * no local API.
 */
export interface LocalApi {
  /**
   * Check the health of the server. A 503 gives the reason in status. It needs no key, and it answers until the
   * server has stopped.
   *
   * `GET /_mailcap/health` may be refused with `starting`, `shutting_down`, `disk_full`, `storage_unavailable`.
   */
  getHealth(options?: CallOptions): Promise<local.Health>;
  /**
   * Get the addresses, version, plan and counts of the server.
   *
   * `GET /_mailcap/info` may be refused with `starting`.
   */
  getInfo(options?: CallOptions): Promise<local.Info>;
  /**
   * Reset the server to the seeded state. Deletes all messages, webhooks and sends, all mailboxes, workspaces and
   * keys that were not seeded, and the stored answers of Idempotency-Keys.
   *
   * `POST /_mailcap/reset`.
   */
  reset(options?: CallOptions): Promise<void>;
  /**
   * Get this description.
   *
   * `GET /_mailcap/openapi.json` may be refused with `starting`.
   */
  getLocalOpenApi(options?: CallOptions): Promise<unknown>;
  /**
   * List the workspaces.
   *
   * `GET /_mailcap/workspaces`.
   */
  listWorkspaces(options?: CallOptions): Promise<local.Workspace[]>;
  /**
   * Create a workspace. The new workspace has no mailbox and no key.
   *
   * `POST /_mailcap/workspaces` may be refused with `invalid_name`, `invalid_plan`, `invalid_limits`,
   * `invalid_wallet_cents`, `invalid_senders`.
   */
  createWorkspace(body?: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  /**
   * Get a workspace.
   *
   * `GET /_mailcap/workspaces/{id}`.
   */
  getWorkspace(id: string, options?: CallOptions): Promise<local.Workspace>;
  /**
   * Change the plan, wallet, limits, senders or name of a workspace.
   *
   * `PATCH /_mailcap/workspaces/{id}` may be refused with `invalid_name`, `invalid_plan`, `invalid_limits`,
   * `invalid_wallet_cents`, `invalid_senders`.
   */
  updateWorkspace(id: string, body: local.WorkspaceFields, options?: CallOptions): Promise<local.Workspace>;
  /**
   * Delete a workspace with all it owns.
   *
   * `DELETE /_mailcap/workspaces/{id}` may be refused with `seeded_workspace`.
   */
  deleteWorkspace(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the API keys, including revoked ones.
   *
   * `GET /_mailcap/workspaces/{id}/keys`.
   */
  listKeys(id: string, options?: CallOptions): Promise<local.Key[]>;
  /**
   * Create an API key. Only this answer holds the key. Scopes are fixed: a key with a list of ids does not see the
   * mailboxes that it creates. Webhooks, captured requests and the suppression list belong to the workspace: a key
   * reads and deletes all of them, whatever its mailboxes. With `webhooks: none` it has no webhooks.
   *
   * `POST /_mailcap/workspaces/{id}/keys` may be refused with `invalid_name`, `invalid_scope`,
   * `plan_max_keys_reached`.
   */
  createKey(id: string, body?: local.KeyFields, options?: CallOptions): Promise<local.IssuedKey>;
  /**
   * Revoke an API key.
   *
   * `DELETE /_mailcap/keys/{id}`.
   */
  revokeKey(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the groups.
   *
   * `GET /_mailcap/workspaces/{id}/groups`.
   */
  listGroups(id: string, options?: CallOptions): Promise<local.Group[]>;
  /**
   * Create a group.
   *
   * `POST /_mailcap/workspaces/{id}/groups` may be refused with `invalid_name`.
   */
  createGroup(id: string, body: local.GroupFields, options?: CallOptions): Promise<local.Group>;
  /**
   * Delete a group; its mailboxes stay.
   *
   * `DELETE /_mailcap/groups/{id}`.
   */
  deleteGroup(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the verified sending domains.
   *
   * `GET /_mailcap/workspaces/{id}/identities`.
   */
  listIdentities(id: string, options?: CallOptions): Promise<local.Identity[]>;
  /**
   * Verify a sending domain.
   *
   * `POST /_mailcap/workspaces/{id}/identities` may be refused with `invalid_domain`.
   */
  createIdentity(id: string, body: local.IdentityFields, options?: CallOptions): Promise<local.Identity>;
  /**
   * Remove a sending domain.
   *
   * `DELETE /_mailcap/identities/{id}`.
   */
  deleteIdentity(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the suppressed addresses.
   *
   * `GET /_mailcap/workspaces/{id}/suppression`.
   */
  listSuppressionOf(id: string, options?: CallOptions): Promise<api.SuppressionEntryResponse[]>;
  /**
   * Add an address to the suppression list.
   *
   * `POST /_mailcap/workspaces/{id}/suppression` may be refused with `invalid_recipient`, `invalid_reason`.
   */
  addSuppression(
    id: string,
    body: local.SuppressionFields,
    options?: CallOptions,
  ): Promise<api.SuppressionEntryResponse>;
  /**
   * Remove an address from the suppression list.
   *
   * `DELETE /_mailcap/suppression/{id}`.
   */
  removeSuppression(id: string, options?: CallOptions): Promise<void>;
  /**
   * Send from a mailbox. It has the same rules, costs and refusals as the send of the cloud API. Files and the
   * message that it answers are its own.
   *
   * `POST /_mailcap/mailboxes/{id}/send` may be refused with `invalid_body`, `outbound_disabled`,
   * `invalid_from_domain`, `recipients_not_allowed`, `suppressed_recipients`, `daily_outbound_limit_reached`,
   * `storage_limit_reached`, `insufficient_funds`.
   */
  sendFrom(id: string, body: local.SendFromFields, options?: CallOptions): Promise<api.SendResponse>;
  /**
   * List the sends, newest first.
   *
   * `GET /_mailcap/sends` may be refused with `invalid_workspace_id`, `invalid_mailbox_id`, `invalid_limit`,
   * `invalid_before`.
   */
  listSends(query?: ListSendsQuery, options?: CallOptions): Promise<local.SendState[]>;
  /**
   * Get a send with the state of each recipient.
   *
   * `GET /_mailcap/sends/{id}`.
   */
  getSend(id: string, options?: CallOptions): Promise<local.SendState>;
  /**
   * Send a text message to the app, as the phone. The app gets the request of the provider that has the number. What
   * it answers comes to the mailbox like any other text message.
   *
   * `POST /_mailcap/mailboxes/{id}/texts` may be refused with `invalid_text`, `number_without_app`.
   */
  sendText(id: string, body: local.TextFields, options?: CallOptions): Promise<local.SentText>;
  /**
   * List the authenticators.
   *
   * `GET /_mailcap/workspaces/{id}/authenticators`.
   */
  listAuthenticators(id: string, options?: CallOptions): Promise<local.StoredAuthenticator[]>;
  /**
   * Register an authenticator. Give its secret, or the URI of its QR code. The secret is never returned.
   *
   * `POST /_mailcap/workspaces/{id}/authenticators` may be refused with `invalid_name`, `invalid_secret`,
   * `invalid_uri`, `invalid_algorithm`, `invalid_digits`, `invalid_period`.
   */
  createAuthenticator(
    id: string,
    body: local.AuthenticatorFields,
    options?: CallOptions,
  ): Promise<local.StoredAuthenticator>;
  /**
   * Get the current code of an authenticator.
   *
   * `GET /_mailcap/authenticators/{id}/code`.
   */
  getCode(id: string, options?: CallOptions): Promise<api.TotpCodeResponse>;
  /**
   * Get the current code of a secret or a URI without storing it.
   *
   * `POST /_mailcap/totp` may be refused with `invalid_secret`, `invalid_uri`, `invalid_algorithm`,
   * `invalid_digits`, `invalid_period`, `invalid_workspace_id`.
   */
  computeTotp(body: local.TotpFields, options?: CallOptions): Promise<api.TotpCodeResponse>;
  /**
   * Delete an authenticator.
   *
   * `DELETE /_mailcap/authenticators/{id}`.
   */
  deleteAuthenticator(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the mailboxes of all workspaces.
   *
   * `GET /_mailcap/mailboxes`.
   */
  listAllMailboxes(options?: CallOptions): Promise<local.MailboxSettings[]>;
  /**
   * Create a mailbox in a workspace.
   *
   * `POST /_mailcap/workspaces/{id}/mailboxes` may be refused with `invalid_name`, `invalid_subdomain`,
   * `invalid_group_id`, `group_not_found`, `invalid_retention`, `subdomain_taken`, `subdomain_reserved`,
   * `plan_max_mailboxes_reached`.
   */
  createMailboxIn(id: string, body: api.CreateMailboxRequest, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Get a mailbox with its settings and counts.
   *
   * `GET /_mailcap/mailboxes/{id}`.
   */
  getMailbox(id: string, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Get the newest message; null if there is none.
   *
   * `GET /_mailcap/mailboxes/{id}/latest`.
   */
  getLatestMessage(id: string, options?: CallOptions): Promise<local.MarkedSummary | null>;
  /**
   * Change name, retention, outbound or allowlist of a mailbox.
   *
   * `PATCH /_mailcap/mailboxes/{id}` may be refused with `invalid_name`, `invalid_retention`,
   * `invalid_outbound_enabled`, `invalid_allowlist`.
   */
  updateMailbox(id: string, body: local.MailboxFields, options?: CallOptions): Promise<local.MailboxSettings>;
  /**
   * Claim addresses of any domain. Mail to them comes to this mailbox, whatever its subdomain. The list replaces the
   * earlier claims. The most specific claim wins: the address, the address without its plus tag, its domain. With
   * `timeout` the request waits while another mailbox claims one of them; those that wait get it in the order in
   * which they came.
   *
   * `PUT /_mailcap/mailboxes/{id}/addresses` may be refused with `invalid_addresses`, `address_taken`,
   * `invalid_timeout`.
   */
  claimAddresses(
    id: string,
    body: readonly string[],
    query?: ClaimAddressesQuery,
    options?: CallOptions,
  ): Promise<local.MailboxSettings>;
  /**
   * Delete a mailbox with its mail.
   *
   * `DELETE /_mailcap/mailboxes/{id}` may be refused with `seeded_mailbox`.
   */
  deleteMailbox(id: string, options?: CallOptions): Promise<void>;
  /**
   * Store a raw message as if it came by SMTP.
   *
   * `POST /_mailcap/mailboxes/{id}/messages` may be refused with `invalid_body`, `payload_too_large`,
   * `daily_inbound_limit_reached`, `storage_limit_reached`.
   */
  putMessage(id: string, body: string | Uint8Array, options?: CallOptions): Promise<local.MarkedSummary>;
  /**
   * Search the messages of a mailbox, newest first; without query, list all.
   *
   * `GET /_mailcap/mailboxes/{id}/messages` may be refused with `invalid_query`, `invalid_partial`,
   * `invalid_matches`, `invalid_total`, `invalid_limit`, `invalid_before`, `invalid_kind`.
   */
  searchMessages(id: string, query?: SearchMessagesQuery, options?: CallOptions): Promise<local.SearchPage>;
  /**
   * Delete all messages of a mailbox, or those that a search finds. Without query it deletes all and answers 204.
   * With query, which may not be empty, it answers 200 with the number of deleted messages.
   *
   * `DELETE /_mailcap/mailboxes/{id}/messages` may be refused with `invalid_query`.
   */
  clearMailbox(
    id: string,
    query: ClearMailboxQuery & { readonly query: string },
    options?: CallOptions,
  ): Promise<local.DeletedCount>;
  /**
   * Delete all messages of a mailbox, or those that a search finds. Without query it deletes all and answers 204.
   * With query, which may not be empty, it answers 200 with the number of deleted messages.
   *
   * `DELETE /_mailcap/mailboxes/{id}/messages` may be refused with `invalid_query`.
   */
  clearMailbox(id: string, query?: { readonly query?: undefined }, options?: CallOptions): Promise<null>;
  /**
   * Wait for a message, and get it with its codes and links. Holds the request until a message matches every given
   * filter, and returns the newest match; with count, it returns a list of that many. Null: they did not come in
   * time.
   *
   * `GET /_mailcap/mailboxes/{id}/await` may be refused with `invalid_header`, `invalid_code`, `invalid_link`,
   * `invalid_query`, `invalid_kind`, `invalid_count`, `invalid_since`, `invalid_timeout`, `invalid_mark_read`.
   */
  awaitWholeMessage(
    id: string,
    query: AwaitWholeMessageQuery & { readonly count: number },
    options?: CallOptions,
  ): Promise<local.WholeMessage[] | null>;
  /**
   * Wait for a message, and get it with its codes and links. Holds the request until a message matches every given
   * filter, and returns the newest match; with count, it returns a list of that many. Null: they did not come in
   * time.
   *
   * `GET /_mailcap/mailboxes/{id}/await` may be refused with `invalid_header`, `invalid_code`, `invalid_link`,
   * `invalid_query`, `invalid_kind`, `invalid_count`, `invalid_since`, `invalid_timeout`, `invalid_mark_read`.
   */
  awaitWholeMessage(
    id: string,
    query?: AwaitWholeMessageQuery & { readonly count?: undefined },
    options?: CallOptions,
  ): Promise<local.WholeMessage | null>;
  /**
   * Get why no message matched. Lists the messages and the filters that refused them, messages in other mailboxes,
   * SMTP refusals, and the last connection.
   *
   * `GET /_mailcap/mailboxes/{id}/diagnosis` may be refused with `invalid_header`, `invalid_code`, `invalid_link`,
   * `invalid_query`, `invalid_since`.
   */
  diagnoseMailbox(id: string, query?: DiagnoseMailboxQuery, options?: CallOptions): Promise<local.Diagnosis>;
  /**
   * Send a mail that meets the conditions of a wait. Composes a mail that meets all conditions, and stores it as if
   * it came by SMTP. It is refused if no mail that arrives now can meet one of them.
   *
   * `POST /_mailcap/mailboxes/{id}/matching-message` may be refused with `no_matching_mail`, `payload_too_large`,
   * `daily_inbound_limit_reached`, `storage_limit_reached`, `invalid_header`, `invalid_code`, `invalid_link`,
   * `invalid_query`.
   */
  sendMatchingMessage(
    id: string,
    query?: SendMatchingMessageQuery,
    options?: CallOptions,
  ): Promise<local.MarkedSummary>;
  /**
   * Search the messages of all workspaces, newest first.
   *
   * `GET /_mailcap/messages` may be refused with `invalid_query`, `invalid_partial`, `invalid_matches`,
   * `invalid_total`, `invalid_limit`, `invalid_before`, `invalid_workspace_id`.
   */
  searchAllMessages(query?: SearchAllMessagesQuery, options?: CallOptions): Promise<local.SearchPage>;
  /**
   * Delete the messages that a search finds, and return their number.
   *
   * `DELETE /_mailcap/messages` may be refused with `invalid_query`, `invalid_workspace_id`.
   */
  deleteFoundMessages(query: DeleteFoundMessagesQuery, options?: CallOptions): Promise<local.DeletedCount>;
  /**
   * Mark a message as read or starred, and tag it. Marks that are left out stay. `tags` comes first, then `addTags`,
   * then `removeTags`.
   *
   * `PATCH /_mailcap/messages/{id}` may be refused with `invalid_marks`, `invalid_tags`, `too_many_tags`.
   */
  markMessage(id: string, body: local.MarkFields, options?: CallOptions): Promise<local.MarkedSummary>;
  /**
   * Mark messages, by their ids or by a search. It marks a hundred messages at a time, so an error may come after
   * some of them are marked.
   *
   * `PATCH /_mailcap/messages` may be refused with `invalid_body`, `invalid_ids`, `invalid_query`,
   * `invalid_mailbox_id`, `invalid_workspace_id`, `invalid_marks`, `invalid_tags`, `too_many_tags`.
   */
  markMessages(body: local.MarkManyFields, options?: CallOptions): Promise<local.MarkedCount>;
  /**
   * Get the first words and the codes of messages. For lists of messages. Ids of messages that do not exist are left
   * out.
   *
   * `GET /_mailcap/messages/previews` may be refused with `invalid_ids`.
   */
  getMessagePreviews(query?: GetMessagePreviewsQuery, options?: CallOptions): Promise<local.MessagePreview[]>;
  /**
   * Get a message with its bodies, headers and attachments.
   *
   * `GET /_mailcap/messages/{id}/content`.
   */
  getMessageContent(id: string, options?: CallOptions): Promise<local.MessageContent>;
  /**
   * Get the envelope, TLS, transcript, codes and links of a message. why lists every candidate for the code and for
   * the link, with the decision and its reason.
   *
   * `GET /_mailcap/messages/{id}`.
   */
  getMessageFacts(id: string, options?: CallOptions): Promise<local.MessageFacts>;
  /**
   * Delete a message.
   *
   * `DELETE /_mailcap/messages/{id}`.
   */
  deleteMessage(id: string, options?: CallOptions): Promise<void>;
  /**
   * Get a message’s exact bytes.
   *
   * `GET /_mailcap/messages/{id}/raw`.
   */
  getRawMessage(id: string, options?: CallOptions): Promise<Bytes>;
  /**
   * Get an attachment’s exact bytes.
   *
   * `GET /_mailcap/messages/{id}/attachments/{attachmentId}`.
   */
  getAttachment(id: string, attachmentId: string, options?: CallOptions): Promise<Bytes>;
  /**
   * Get an attached mail as a mail of its own. An attachment that is no mail answers 404.
   *
   * `GET /_mailcap/messages/{id}/attachments/{attachmentId}/message`.
   */
  getAttachedMail(id: string, attachmentId: string, options?: CallOptions): Promise<local.AttachedMail>;
  /**
   * The conversation of a message: the messages of its mailbox that answer one another.
   *
   * `GET /_mailcap/messages/{id}/thread`.
   */
  getThread(id: string, options?: CallOptions): Promise<local.Thread>;
  /**
   * Check a message for problems that its readers would have. Clients, links, placeholders, unsubscribing,
   * accessibility, size, hygiene and authentication. Nothing is requested over the network unless reach is 1.
   *
   * `GET /_mailcap/messages/{id}/checks` may be refused with `too_many_names`, `invalid_clients`, `invalid_rules`,
   * `invalid_reach`.
   */
  checkMessage(id: string, query?: CheckMessageQuery, options?: CallOptions): Promise<local.Checks>;
  /**
   * Get how much of the HTML of a message mail clients support. The score is that of the HTML check of Mailpit.
   * Nothing is requested over the network.
   *
   * `GET /_mailcap/messages/{id}/html-support` may be refused with `too_many_names`, `check_failed`,
   * `invalid_clients`.
   */
  getHtmlSupport(id: string, query?: GetHtmlSupportQuery, options?: CallOptions): Promise<local.HtmlSupport>;
  /**
   * List the addresses of a message. Links, style sheets and pictures of the HTML, and the addresses of the text.
   * Nothing is requested.
   *
   * `GET /_mailcap/messages/{id}/links` may be refused with `check_failed`.
   */
  listLinks(id: string, options?: CallOptions): Promise<local.MailLinks>;
  /**
   * Request the addresses of a message, to see whether they work. The server sends HEAD, eight at a time, ten
   * seconds each, and follows up to three redirects. It requests only addresses of the mail.
   *
   * `POST /_mailcap/messages/{id}/links/check` may be refused with `invalid_body`, `check_failed`.
   */
  checkLinks(id: string, body?: local.LinkCheckFields, options?: CallOptions): Promise<local.LinkCheck>;
  /**
   * Get a URL that shows a message for some minutes. The URL is for a frame. It needs no token, and the mail can run
   * no script and load nothing. remote lists the hosts that the mail would load from; allow permits single hosts.
   *
   * `POST /_mailcap/messages/{id}/view` may be refused with `invalid_allow`.
   */
  openView(id: string, body?: local.ViewFields, options?: CallOptions): Promise<local.MessageView>;
  /**
   * Get a URL that shows an attached mail for some minutes. Like the view of a message. An attachment that is no
   * mail answers 404.
   *
   * `POST /_mailcap/messages/{id}/attachments/{attachmentId}/message/view` may be refused with `invalid_allow`.
   */
  openAttachedView(
    id: string,
    attachmentId: string,
    body?: local.ViewFields,
    options?: CallOptions,
  ): Promise<local.MessageView>;
  /**
   * Get a message as its reader sees it, as one page.
   *
   * `GET /_mailcap/messages/{id}/view`.
   */
  viewMessage(id: string, options?: CallOptions): Promise<string>;
  /**
   * Show the message of a view.
   *
   * `GET /_mailcap/view/{token}/` may be refused with `invalid_dark`, `invalid_inert`, `invalid_head`.
   */
  getView(token: string, query?: GetViewQuery, options?: CallOptions): Promise<string>;
  /**
   * Get an embedded picture of the message of a view.
   *
   * `GET /_mailcap/view/{token}/parts/{attachmentId}`.
   */
  getViewPart(token: string, attachmentId: string, options?: CallOptions): Promise<Bytes>;
  /**
   * Relay a message to the given recipients. Sends the stored bytes once, from the envelope sender. The answer holds
   * the reply of the relay for each recipient.
   *
   * `POST /_mailcap/messages/{id}/release` may be refused with `invalid_to`, `no_relay`.
   */
  releaseMessage(id: string, body: local.ReleaseFields, options?: CallOptions): Promise<local.Release>;
  /**
   * Tell what the reader of a provider’s mail did. The webhooks that the app registered with the provider’s API get
   * the event: the mail was opened, a link was clicked, the reader unsubscribed or complained. A complaint also puts
   * the recipient on the suppression list.
   *
   * `POST /_mailcap/messages/{id}/interactions` may be refused with `invalid_interaction`, `invalid_recipient`,
   * `not_by_provider`.
   */
  recordInteraction(id: string, body: local.InteractionFields, options?: CallOptions): Promise<local.Interaction>;
  /**
   * List the webhooks of all workspaces.
   *
   * `GET /_mailcap/webhooks`.
   */
  listAllWebhooks(options?: CallOptions): Promise<local.WebhookFacts[]>;
  /**
   * Create a webhook in a workspace.
   *
   * `POST /_mailcap/workspaces/{id}/webhooks` may be refused with `invalid_name`, `invalid_response_status`,
   * `invalid_response_content_type`, `invalid_response_body`, `invalid_forward_mode`, `invalid_forward_url`,
   * `invalid_retention`, `hook_limit_reached`.
   */
  createWebhookIn(id: string, body: api.UpsertWebhookDto, options?: CallOptions): Promise<local.WebhookFacts>;
  /**
   * Get a webhook.
   *
   * `GET /_mailcap/webhooks/{id}`.
   */
  getWebhookOf(id: string, options?: CallOptions): Promise<local.WebhookFacts>;
  /**
   * Change the settings of a webhook. A field that is left out or null stays as it is.
   *
   * `PATCH /_mailcap/webhooks/{id}` may be refused with `invalid_name`, `invalid_response_status`,
   * `invalid_response_content_type`, `invalid_response_body`, `invalid_forward_mode`, `invalid_forward_url`,
   * `invalid_retention`.
   */
  updateWebhookOf(id: string, body: api.UpsertWebhookDto, options?: CallOptions): Promise<local.WebhookFacts>;
  /**
   * Delete a webhook with its captured requests.
   *
   * `DELETE /_mailcap/webhooks/{id}`.
   */
  deleteWebhookOf(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the captured requests of a webhook, newest first.
   *
   * `GET /_mailcap/webhooks/{id}/requests` may be refused with `invalid_page`, `invalid_page_size`.
   */
  listRequestsOf(id: string, query?: ListRequestsOfQuery, options?: CallOptions): Promise<api.WebhookRequestPage>;
  /**
   * Delete the captured requests of a webhook.
   *
   * `DELETE /_mailcap/webhooks/{id}/requests`.
   */
  clearRequestsOf(id: string, options?: CallOptions): Promise<void>;
  /**
   * Forward a captured request again, once.
   *
   * `POST /_mailcap/webhooks/requests/{id}/replay` may be refused with `invalid_forward`.
   */
  replayRequestOf(id: string, options?: CallOptions): Promise<void>;
  /**
   * Get the events that captured requests tell. For lists of requests. Ids of requests that do not exist are left
   * out.
   *
   * `GET /_mailcap/webhooks/requests/previews` may be refused with `invalid_ids`.
   */
  getRequestPreviews(query?: GetRequestPreviewsQuery, options?: CallOptions): Promise<local.RequestPreview[]>;
  /**
   * Get a captured request with its headers in order.
   *
   * `GET /_mailcap/webhooks/requests/{id}`.
   */
  getRequestAsSent(id: string, options?: CallOptions): Promise<local.RequestFacts>;
  /**
   * Get a captured body’s exact bytes.
   *
   * `GET /_mailcap/webhooks/requests/{id}/body`.
   */
  getRequestBody(id: string, options?: CallOptions): Promise<Bytes>;
  /**
   * Wait for a captured request. Holds the call until a request is captured. Null: none came in time.
   *
   * `GET /_mailcap/webhooks/{id}/requests/await` may be refused with `invalid_after`, `invalid_timeout`.
   */
  awaitRequest(id: string, query?: AwaitRequestQuery, options?: CallOptions): Promise<api.WebhookRequestSummary | null>;
  /**
   * Get the scripted answers that are left.
   *
   * `GET /_mailcap/webhooks/{id}/responses`.
   */
  getResponses(id: string, options?: CallOptions): Promise<local.ScriptedResponses>;
  /**
   * Set the answers to the next requests, one for each.
   *
   * `PUT /_mailcap/webhooks/{id}/responses` may be refused with `invalid_responses`.
   */
  setResponses(
    id: string,
    body: readonly local.ScriptedResponse[],
    options?: CallOptions,
  ): Promise<local.ScriptedResponses>;
  /**
   * List the sample events that can be sent.
   *
   * `GET /_mailcap/webhook-samples`.
   */
  listSamples(options?: CallOptions): Promise<local.WebhookSample[]>;
  /**
   * Send a signed event with the retries of its service. Holds the request until the webhook is delivered, the
   * retries are over, or `timeout` has passed. The pauses follow the clock, which a test can set meanwhile. Closing
   * the connection ends the delivery. `client.sendWebhook()` sends it from this process instead.
   *
   * `POST /_mailcap/webhook-deliveries` may be refused with `invalid_delivery`.
   */
  sendWebhook(body: local.ServerDeliveryFields, options?: CallOptions): Promise<local.ServerDelivery>;
  /**
   * Get captured requests as a recording to commit and to play. Returns the newest requests, in the order of
   * receipt. Secrets in headers and queries are left out; bodies are exact.
   *
   * `GET /_mailcap/webhooks/{id}/recording` may be refused with `payload_too_large`, `invalid_limit`.
   */
  getRecording(id: string, query?: GetRecordingQuery, options?: CallOptions): Promise<local.Recording>;
  /**
   * Send the requests of a recording, in their order. Holds the request until all are sent or `timeout` has passed.
   *
   * `POST /_mailcap/webhook-playbacks` may be refused with `invalid_delivery`, `invalid_recording`.
   */
  playRecording(body: local.PlaybackFields, options?: CallOptions): Promise<local.Playback>;
  /**
   * List the runs of test runners, the newest first.
   *
   * `GET /_mailcap/runs`.
   */
  listRuns(options?: CallOptions): Promise<local.TestRun[]>;
  /**
   * Get a run with its tests.
   *
   * `GET /_mailcap/runs/{id}`.
   */
  getRun(id: string, options?: CallOptions): Promise<local.TestRunWithTests>;
  /**
   * Report an attempt at a test. The first report creates the run. A later one about the same attempt replaces the
   * earlier one. Ids are ULIDs that the caller makes.
   *
   * `PUT /_mailcap/runs/{id}/tests/{testId}` may be refused with `invalid_test`.
   */
  reportTest(id: string, testId: string, body: local.TestReport, options?: CallOptions): Promise<local.TestAttempt>;
  /**
   * Delete a run; its mailboxes and webhooks stay.
   *
   * `DELETE /_mailcap/runs/{id}`.
   */
  deleteRun(id: string, options?: CallOptions): Promise<void>;
  /**
   * List the last SMTP sessions with their transcripts, including refused ones.
   *
   * `GET /_mailcap/smtp/sessions` may be refused with `invalid_limit`.
   */
  listSmtpSessions(query?: ListSmtpSessionsQuery, options?: CallOptions): Promise<local.SmtpSession[]>;
  /**
   * List the awaits held now.
   *
   * `GET /_mailcap/waits`.
   */
  listWaits(options?: CallOptions): Promise<local.HeldWait[]>;
  /**
   * Read the clock of the server.
   *
   * `GET /_mailcap/clock`.
   */
  getClock(options?: CallOptions): Promise<local.Clock>;
  /**
   * Wait for a time of the clock of the server. Holds the request until the clock reaches `until`, because time
   * passes or somebody sets it. Null: it did not in time.
   *
   * `GET /_mailcap/clock/await` may be refused with `invalid_until`, `invalid_timeout`.
   */
  awaitClock(query: AwaitClockQuery, options?: CallOptions): Promise<local.Clock | null>;
  /**
   * Set the clock of the server. Every workspace without a clock of its own follows it: its retention, counters,
   * codes and windows. What expires by it comes back when it is set back. All tests of the server share it:
   * `client.setClock()` sets the clock of the client’s workspace alone.
   *
   * `PUT /_mailcap/clock` may be refused with `invalid_clock`.
   */
  setClock(body: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  /**
   * Read the clock of a workspace. It is the clock of the server while the workspace has none of its own.
   *
   * `GET /_mailcap/workspaces/{id}/clock`.
   */
  getWorkspaceClock(id: string, options?: CallOptions): Promise<local.Clock>;
  /**
   * Wait for a time of the clock of a workspace. Holds the request until the clock reaches `until`, because time
   * passes or somebody sets it. Null: it did not in time.
   *
   * `GET /_mailcap/workspaces/{id}/clock/await` may be refused with `invalid_until`, `invalid_timeout`.
   */
  awaitWorkspaceClock(id: string, query: AwaitWorkspaceClockQuery, options?: CallOptions): Promise<local.Clock | null>;
  /**
   * Set the clock of a workspace. Its retention, counters, codes and windows follow it, and no other workspace does.
   * Null takes it away: the workspace follows the clock of the server again.
   *
   * `PUT /_mailcap/workspaces/{id}/clock` may be refused with `invalid_clock`.
   */
  setWorkspaceClock(id: string, body: local.ClockSetting, options?: CallOptions): Promise<local.Clock>;
  /**
   * List the fault rules with their counters.
   *
   * `GET /_mailcap/faults`.
   */
  listFaults(options?: CallOptions): Promise<local.Fault[]>;
  /**
   * Replace all fault rules, those of others too. A test that runs in parallel with others uses `addFault`.
   *
   * `PUT /_mailcap/faults` may be refused with `invalid_body`, `invalid_faults`.
   */
  setFaults(body: readonly local.FaultRule[], options?: CallOptions): Promise<local.Fault[]>;
  /**
   * Add a fault rule after the others. `client.addFault()` returns a handle that removes the rule.
   *
   * `POST /_mailcap/faults` may be refused with `invalid_body`, `invalid_faults`.
   */
  addFault(body: local.FaultRule, options?: CallOptions): Promise<local.Fault>;
  /**
   * Remove a fault rule. Answers with the rule and how often it was applied. The other rules and their counts stay.
   *
   * `DELETE /_mailcap/faults/{id}` may be refused with `not_found`.
   */
  removeFault(id: string, options?: CallOptions): Promise<local.Fault>;
  /**
   * Get metrics for Prometheus.
   *
   * `GET /_mailcap/metrics`.
   */
  getMetrics(options?: CallOptions): Promise<string>;
  /**
   * List past events of the feed. At most limit events, oldest first: for the next page, since is the last id of
   * this one. With newest=1 newest first: for the next page, before is the last id. Neither event needs to exist.
   *
   * `GET /_mailcap/events` may be refused with `invalid_types`, `invalid_mailbox_id`, `invalid_since`,
   * `invalid_before`, `invalid_newest`, `invalid_limit`.
   */
  listEvents(query?: ListEventsQuery, options?: CallOptions): Promise<local.RecordedEvent[]>;
}

/** The query of `listMessages`. */
export interface ListMessagesQuery {
  /** The most messages to return, 1 to 200; 50 if left out. */
  readonly limit?: number | undefined;
  /** Only messages older than this one, which need not exist. */
  readonly before?: string | undefined;
}

/** The query of `awaitMessage`. */
export interface AwaitMessageQuery {
  /** Text in the subject; case is ignored. */
  readonly subject?: string | undefined;
  /** Text in the From header or the envelope sender; case is ignored. */
  readonly from?: string | undefined;
  /** Text in To, Cc or an envelope recipient; case is ignored. */
  readonly to?: string | undefined;
  /** Only messages received at or after this time; default: five seconds before the request. */
  readonly since?: string | Date | undefined;
  /** Seconds to wait, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

/** The query of `listWebhookRequests`. */
export interface ListWebhookRequestsQuery {
  /** The number of the page, from 1, 1 to 2147483647; 1 if left out. */
  readonly page?: number | undefined;
  /** The number of requests on a page, 1 to 200; 50 if left out. */
  readonly pageSize?: number | undefined;
}

/** The query of `listSends`. */
export interface ListSendsQuery {
  /** Only sends of this workspace. */
  readonly workspaceId?: string | undefined;
  /** Only sends of this mailbox. */
  readonly mailboxId?: string | undefined;
  /** The most sends to return, 1 to 200; 50 if left out. */
  readonly limit?: number | undefined;
  /** Only sends older than this one. */
  readonly before?: string | undefined;
}

/** The query of `claimAddresses`. */
export interface ClaimAddressesQuery {
  /** Seconds to wait for an address that is taken, 0 to 600; 0 if left out. */
  readonly timeout?: number | undefined;
}

/** The query of `searchMessages`. */
export interface SearchMessagesQuery extends ListMessagesQuery {
  /** All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon. */
  readonly query?: string | undefined;
  /** `true`: somebody is still typing the query, so words without an end are left out and a quote may be open. */
  readonly partial?: boolean | undefined;
  /** `true`: tell of each message where it matched. The server then reads the mails of the page. */
  readonly matches?: boolean | undefined;
  /** `false`: do not count the results, so that the page of a frequent word comes at once. */
  readonly total?: boolean | undefined;
  /** email, sms or any; default: any. */
  readonly kind?: 'email' | 'sms' | 'any' | undefined;
}

/** The query of `clearMailbox`. */
export interface ClearMailboxQuery {
  /** All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon. */
  readonly query?: string | undefined;
}

/** The query of `awaitWholeMessage`. */
export interface AwaitWholeMessageQuery extends SendMatchingMessageQuery {
  /** email, sms or any; default: email. */
  readonly kind?: 'email' | 'sms' | 'any' | undefined;
  /** The number of messages to wait for. If it is given, the answer is a list in the order of receipt, 1 to 100. */
  readonly count?: number | undefined;
  /** Only messages received at or after this time; default: five seconds before the request. */
  readonly since?: string | Date | undefined;
  /** Seconds to wait, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
  /** `true`: mark the messages that it returns as read. */
  readonly markRead?: boolean | undefined;
}

/** The query of `diagnoseMailbox`. */
export interface DiagnoseMailboxQuery extends SendMatchingMessageQuery {
  /** The start of the time to look at; default: five minutes before the request. */
  readonly since?: string | Date | undefined;
}

/** The query of `sendMatchingMessage`. */
export interface SendMatchingMessageQuery {
  /** Text in the subject; case is ignored. */
  readonly subject?: string | undefined;
  /** Text in the From header or the envelope sender; case is ignored. */
  readonly from?: string | undefined;
  /** Text in To, Cc or an envelope recipient; case is ignored. */
  readonly to?: string | undefined;
  /** Text in the visible body; case is ignored. */
  readonly body?: string | undefined;
  /** A header field and a text in its value, as in X-Campaign: spring; case is ignored. A name alone: the field exists. */
  readonly header?: string | undefined;
  /** `true`: only messages that hold a code. */
  readonly code?: boolean | undefined;
  /** Only messages that hold a link of this kind: verify, magic, reset, invite, unsubscribe, other; any. */
  readonly link?: 'verify' | 'magic' | 'reset' | 'invite' | 'unsubscribe' | 'other' | 'any' | undefined;
  /** Search words, as in GET /_mailcap/messages. */
  readonly query?: string | undefined;
}

/** The query of `searchAllMessages`. */
export interface SearchAllMessagesQuery extends ListMessagesQuery {
  /** All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon. */
  readonly query?: string | undefined;
  /** `true`: somebody is still typing the query, so words without an end are left out and a quote may be open. */
  readonly partial?: boolean | undefined;
  /** `true`: tell of each message where it matched. The server then reads the mails of the page. */
  readonly matches?: boolean | undefined;
  /** `false`: do not count the results, so that the page of a frequent word comes at once. */
  readonly total?: boolean | undefined;
  /** Only messages of this workspace. */
  readonly workspaceId?: string | undefined;
}

/** The query of `deleteFoundMessages`. */
export interface DeleteFoundMessagesQuery {
  /** All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon. */
  readonly query: string;
  /** Only messages of this workspace. */
  readonly workspaceId?: string | undefined;
}

/** The query of `getMessagePreviews`. */
export interface GetMessagePreviewsQuery {
  /** Ids, at most 100. */
  readonly ids?: readonly string[] | undefined;
}

/** The query of `checkMessage`. */
export interface CheckMessageQuery extends GetHtmlSupportQuery {
  /** Rules to ignore,: link-http, client-support:css-*. */
  readonly allow?: readonly string[] | undefined;
  /** Rules whose notes count as warnings,. */
  readonly deny?: readonly string[] | undefined;
  /** `true`: request each link to see whether it works. */
  readonly reach?: boolean | undefined;
}

/** The query of `getHtmlSupport`. */
export interface GetHtmlSupportQuery {
  /** Mail clients: gmail, outlook.windows, all; the clients of most readers if left out. */
  readonly clients?: readonly string[] | undefined;
}

/** The query of `getView`. */
export interface GetViewQuery {
  /** The mail program whose colours in the dark are simulated. */
  readonly dark?: 'outlook' | 'outlook-windows' | 'gmail-android' | 'gmail-ios' | undefined;
  /** `true`: style as data-style, for a page that draws the mail itself. */
  readonly inert?: boolean | undefined;
  /** `true`: the page begins with the head of the mail, to be printed. */
  readonly head?: boolean | undefined;
}

/** The query of `listRequestsOf`. */
export interface ListRequestsOfQuery extends ListWebhookRequestsQuery {}

/** The query of `getRequestPreviews`. */
export interface GetRequestPreviewsQuery extends GetMessagePreviewsQuery {}

/** The query of `awaitRequest`. */
export interface AwaitRequestQuery {
  /** Only a request that is newer than this one. */
  readonly after?: string | undefined;
  /** Seconds to wait, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

/** The query of `getRecording`. */
export interface GetRecordingQuery {
  /** The most requests to return, 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined;
}

/** The query of `listSmtpSessions`. */
export interface ListSmtpSessionsQuery {
  /** The most sessions to return, 1 to 200; 50 if left out. */
  readonly limit?: number | undefined;
}

/** The query of `awaitClock`. */
export interface AwaitClockQuery {
  /** The time to wait for. */
  readonly until: string | Date;
  /** Seconds to wait, 1 to 60; 30 if left out. */
  readonly timeout?: number | undefined;
}

/** The query of `awaitWorkspaceClock`. */
export interface AwaitWorkspaceClockQuery extends AwaitClockQuery {}

/** The query of `listEvents`. */
export interface ListEventsQuery {
  /** Only events of these types,; all if left out. */
  readonly types?: readonly string[] | undefined;
  /** Only events of this mailbox. */
  readonly mailboxId?: string | undefined;
  /** Only events after this one. */
  readonly since?: string | undefined;
  /** Only events before this one. */
  readonly before?: string | undefined;
  /** `true`: the newest events, newest first. */
  readonly newest?: boolean | undefined;
  /** The most events to return, 1 to 500; 100 if left out. */
  readonly limit?: number | undefined;
}
