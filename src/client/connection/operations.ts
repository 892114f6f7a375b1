import type { z } from 'zod';
import type * as checks from '../../http/local/check-schemas.ts';
import type * as faults from '../../http/local/fault-schemas.ts';
import type * as messages from '../../http/local/message-schemas.ts';
import type * as outbound from '../../http/local/outbound-schemas.ts';
import type * as local from '../../http/local/schemas.ts';
import type * as search from '../../http/local/search-schemas.ts';
import type * as webhooks from '../../http/local/webhook-schemas.ts';
import { number, text, time } from '../options/check-options.ts';
import type { Operation } from './operation.ts';
import type * as api from './resources.ts';

// This module is generated from the operations of the server: npm run docs.

/** The operations of both APIs, by the names of their OpenAPI documents. */
export const OPERATIONS = {
  listMailboxes: { method: 'GET', path: '/v1/mailboxes', gives: 'json' },
  createMailbox: {
    method: 'POST',
    path: '/v1/workspaces/{workspaceId}/mailboxes',
    gives: 'json',
    body: ['name', 'subdomain', 'retentionDays', 'groupId'],
  },
  listMessages: {
    method: 'GET',
    path: '/v1/mailboxes/{mailboxId}/messages',
    gives: 'json',
    query: { limit: number, before: text },
  },
  awaitMessage: {
    method: 'GET',
    path: '/v1/mailboxes/{mailboxId}/messages/await',
    gives: 'jsonOrNull',
    query: { subject: text, from: text, to: text, since: time, timeout: number },
  },
  getMessage: { method: 'GET', path: '/v1/mailboxes/{mailboxId}/messages/{id}', gives: 'json' },
  sendEmail: {
    method: 'POST',
    path: '/v1/mailboxes/{mailboxId}/send',
    gives: 'json',
    body: ['from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'textBody', 'htmlBody'],
  },
  listSuppression: { method: 'GET', path: '/v1/workspaces/{workspaceId}/suppression', gives: 'json' },
  deleteSuppression: { method: 'DELETE', path: '/v1/workspaces/{workspaceId}/suppression/{id}', gives: 'nothing' },
  getTotpCode: { method: 'GET', path: '/v1/totp/{totpId}/code', gives: 'json' },
  listWebhooks: { method: 'GET', path: '/v1/webhooks', gives: 'json' },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    gives: 'json',
    body: [
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ],
  },
  getWebhook: { method: 'GET', path: '/v1/webhooks/{webhookId}', gives: 'json' },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{webhookId}',
    gives: 'json',
    body: [
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ],
  },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhooks/{webhookId}', gives: 'nothing' },
  listWebhookRequests: {
    method: 'GET',
    path: '/v1/webhooks/{webhookId}/requests',
    gives: 'json',
    query: { page: number, pageSize: number },
  },
  clearWebhookRequests: { method: 'DELETE', path: '/v1/webhooks/{webhookId}/requests', gives: 'nothing' },
  getWebhookRequest: { method: 'GET', path: '/v1/webhooks/requests/{requestId}', gives: 'json' },
  replayWebhookRequest: { method: 'POST', path: '/v1/webhooks/requests/{requestId}/replay', gives: 'nothing' },
  getHealth: { method: 'GET', path: '/_mailcap/health', gives: 'json' },
  getInfo: { method: 'GET', path: '/_mailcap/info', gives: 'json' },
  reset: { method: 'POST', path: '/_mailcap/reset', gives: 'nothing' },
  getLocalOpenApi: { method: 'GET', path: '/_mailcap/openapi.json', gives: 'json' },
  listWorkspaces: { method: 'GET', path: '/_mailcap/workspaces', gives: 'json' },
  createWorkspace: {
    method: 'POST',
    path: '/_mailcap/workspaces',
    gives: 'json',
    body: ['name', 'plan', 'walletCents', 'limits'],
  },
  getWorkspace: { method: 'GET', path: '/_mailcap/workspaces/{id}', gives: 'json' },
  updateWorkspace: {
    method: 'PATCH',
    path: '/_mailcap/workspaces/{id}',
    gives: 'json',
    body: ['name', 'plan', 'walletCents', 'limits'],
  },
  deleteWorkspace: { method: 'DELETE', path: '/_mailcap/workspaces/{id}', gives: 'nothing' },
  listKeys: { method: 'GET', path: '/_mailcap/workspaces/{id}/keys', gives: 'json' },
  createKey: { method: 'POST', path: '/_mailcap/workspaces/{id}/keys', gives: 'json', body: ['name', 'scopes'] },
  revokeKey: { method: 'DELETE', path: '/_mailcap/keys/{id}', gives: 'nothing' },
  listGroups: { method: 'GET', path: '/_mailcap/workspaces/{id}/groups', gives: 'json' },
  createGroup: { method: 'POST', path: '/_mailcap/workspaces/{id}/groups', gives: 'json', body: ['name'] },
  deleteGroup: { method: 'DELETE', path: '/_mailcap/groups/{id}', gives: 'nothing' },
  listIdentities: { method: 'GET', path: '/_mailcap/workspaces/{id}/identities', gives: 'json' },
  createIdentity: { method: 'POST', path: '/_mailcap/workspaces/{id}/identities', gives: 'json', body: ['domain'] },
  deleteIdentity: { method: 'DELETE', path: '/_mailcap/identities/{id}', gives: 'nothing' },
  listSuppressionOf: { method: 'GET', path: '/_mailcap/workspaces/{id}/suppression', gives: 'json' },
  addSuppression: {
    method: 'POST',
    path: '/_mailcap/workspaces/{id}/suppression',
    gives: 'json',
    body: ['recipient', 'reason'],
  },
  removeSuppression: { method: 'DELETE', path: '/_mailcap/suppression/{id}', gives: 'nothing' },
  sendFrom: {
    method: 'POST',
    path: '/_mailcap/mailboxes/{id}/send',
    gives: 'json',
    body: ['from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'textBody', 'htmlBody'],
  },
  listSends: {
    method: 'GET',
    path: '/_mailcap/sends',
    gives: 'json',
    query: { workspaceId: text, mailboxId: text, limit: number, before: text },
  },
  getSend: { method: 'GET', path: '/_mailcap/sends/{id}', gives: 'json' },
  listAuthenticators: { method: 'GET', path: '/_mailcap/workspaces/{id}/authenticators', gives: 'json' },
  createAuthenticator: {
    method: 'POST',
    path: '/_mailcap/workspaces/{id}/authenticators',
    gives: 'json',
    body: ['name', 'secret', 'uri', 'algorithm', 'digits', 'period'],
  },
  getCode: { method: 'GET', path: '/_mailcap/authenticators/{id}/code', gives: 'json' },
  computeTotp: {
    method: 'POST',
    path: '/_mailcap/totp',
    gives: 'json',
    body: ['secret', 'uri', 'algorithm', 'digits', 'period'],
  },
  deleteAuthenticator: { method: 'DELETE', path: '/_mailcap/authenticators/{id}', gives: 'nothing' },
  listAllMailboxes: { method: 'GET', path: '/_mailcap/mailboxes', gives: 'json' },
  createMailboxIn: {
    method: 'POST',
    path: '/_mailcap/workspaces/{id}/mailboxes',
    gives: 'json',
    body: ['name', 'subdomain', 'retentionDays', 'groupId'],
  },
  getMailbox: { method: 'GET', path: '/_mailcap/mailboxes/{id}', gives: 'json' },
  getLatestMessage: { method: 'GET', path: '/_mailcap/mailboxes/{id}/latest', gives: 'jsonOrNull' },
  updateMailbox: {
    method: 'PATCH',
    path: '/_mailcap/mailboxes/{id}',
    gives: 'json',
    body: ['name', 'retentionDays', 'outboundEnabled', 'allowlist'],
  },
  claimAddresses: { method: 'PUT', path: '/_mailcap/mailboxes/{id}/addresses', gives: 'json' },
  deleteMailbox: { method: 'DELETE', path: '/_mailcap/mailboxes/{id}', gives: 'nothing' },
  putMessage: { method: 'POST', path: '/_mailcap/mailboxes/{id}/messages', gives: 'json' },
  searchMessages: {
    method: 'GET',
    path: '/_mailcap/mailboxes/{id}/messages',
    gives: 'json',
    query: { query: text, limit: number, before: text },
  },
  clearMailbox: {
    method: 'DELETE',
    path: '/_mailcap/mailboxes/{id}/messages',
    gives: 'jsonOrNull',
    query: { query: text },
  },
  awaitWholeMessage: {
    method: 'GET',
    path: '/_mailcap/mailboxes/{id}/await',
    gives: 'jsonOrNull',
    query: {
      subject: text,
      from: text,
      to: text,
      body: text,
      header: text,
      code: text,
      link: text,
      query: text,
      count: number,
      since: time,
      timeout: number,
    },
  },
  diagnoseMailbox: {
    method: 'GET',
    path: '/_mailcap/mailboxes/{id}/diagnosis',
    gives: 'json',
    query: { subject: text, from: text, to: text, since: time },
  },
  searchAllMessages: {
    method: 'GET',
    path: '/_mailcap/messages',
    gives: 'json',
    query: { query: text, limit: number, before: text, workspaceId: text },
  },
  deleteFoundMessages: {
    method: 'DELETE',
    path: '/_mailcap/messages',
    gives: 'json',
    query: { query: text, workspaceId: text },
  },
  glanceAtMessages: { method: 'GET', path: '/_mailcap/messages/glances', gives: 'json', query: { ids: text } },
  getMessageContent: { method: 'GET', path: '/_mailcap/messages/{id}/content', gives: 'json' },
  getMessageFacts: { method: 'GET', path: '/_mailcap/messages/{id}', gives: 'json' },
  deleteMessage: { method: 'DELETE', path: '/_mailcap/messages/{id}', gives: 'nothing' },
  getRawMessage: { method: 'GET', path: '/_mailcap/messages/{id}/raw', gives: 'bytes' },
  getAttachment: { method: 'GET', path: '/_mailcap/messages/{id}/attachments/{attachmentId}', gives: 'bytes' },
  checkMessage: {
    method: 'GET',
    path: '/_mailcap/messages/{id}/checks',
    gives: 'json',
    query: { clients: text, allow: text, deny: text, reach: text },
  },
  openView: { method: 'POST', path: '/_mailcap/messages/{id}/view', gives: 'json', body: ['allow'] },
  viewMessage: { method: 'GET', path: '/_mailcap/messages/{id}/view', gives: 'text' },
  getView: { method: 'GET', path: '/_mailcap/view/{token}/', gives: 'text' },
  getViewPart: { method: 'GET', path: '/_mailcap/view/{token}/parts/{attachmentId}', gives: 'bytes' },
  releaseMessage: { method: 'POST', path: '/_mailcap/messages/{id}/release', gives: 'json', body: ['to'] },
  listAllWebhooks: { method: 'GET', path: '/_mailcap/webhooks', gives: 'json' },
  createWebhookIn: {
    method: 'POST',
    path: '/_mailcap/workspaces/{id}/webhooks',
    gives: 'json',
    body: [
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ],
  },
  getWebhookOf: { method: 'GET', path: '/_mailcap/webhooks/{id}', gives: 'json' },
  updateWebhookOf: {
    method: 'PATCH',
    path: '/_mailcap/webhooks/{id}',
    gives: 'json',
    body: [
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ],
  },
  deleteWebhookOf: { method: 'DELETE', path: '/_mailcap/webhooks/{id}', gives: 'nothing' },
  listRequestsOf: {
    method: 'GET',
    path: '/_mailcap/webhooks/{id}/requests',
    gives: 'json',
    query: { page: number, pageSize: number },
  },
  clearRequestsOf: { method: 'DELETE', path: '/_mailcap/webhooks/{id}/requests', gives: 'nothing' },
  replayRequestOf: { method: 'POST', path: '/_mailcap/webhooks/requests/{id}/replay', gives: 'nothing' },
  getRequestAsSent: { method: 'GET', path: '/_mailcap/webhooks/requests/{id}', gives: 'json' },
  getRequestBody: { method: 'GET', path: '/_mailcap/webhooks/requests/{id}/body', gives: 'bytes' },
  awaitRequest: {
    method: 'GET',
    path: '/_mailcap/webhooks/{id}/requests/await',
    gives: 'jsonOrNull',
    query: { after: text, timeout: number },
  },
  getResponses: { method: 'GET', path: '/_mailcap/webhooks/{id}/responses', gives: 'json' },
  setResponses: { method: 'PUT', path: '/_mailcap/webhooks/{id}/responses', gives: 'json' },
  listSmtpSessions: { method: 'GET', path: '/_mailcap/smtp/sessions', gives: 'json', query: { limit: number } },
  listWaits: { method: 'GET', path: '/_mailcap/waits', gives: 'json' },
  getClock: { method: 'GET', path: '/_mailcap/clock', gives: 'json' },
  setClock: { method: 'PUT', path: '/_mailcap/clock', gives: 'json' },
  listFaults: { method: 'GET', path: '/_mailcap/faults', gives: 'json' },
  setFaults: { method: 'PUT', path: '/_mailcap/faults', gives: 'json' },
  getMetrics: { method: 'GET', path: '/_mailcap/metrics', gives: 'text' },
  listEvents: {
    method: 'GET',
    path: '/_mailcap/events',
    gives: 'json',
    query: { types: text, mailboxId: text, since: text, limit: number },
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** The answer of each operation, after it is parsed. */
export interface Answers {
  listMailboxes: api.MailboxResponse[];
  createMailbox: api.MailboxResponse;
  listMessages: api.MessageSummaryResponse[];
  awaitMessage: api.MessageSummaryResponse | null;
  getMessage: api.MessageDetailResponse;
  sendEmail: api.SendResponse;
  listSuppression: api.SuppressionEntryResponse[];
  deleteSuppression: undefined;
  getTotpCode: api.TotpCodeResponse;
  listWebhooks: api.WebhookView[];
  createWebhook: api.WebhookView;
  getWebhook: api.WebhookView;
  updateWebhook: api.WebhookView;
  deleteWebhook: undefined;
  listWebhookRequests: api.WebhookRequestPage;
  clearWebhookRequests: undefined;
  getWebhookRequest: api.WebhookRequestView;
  replayWebhookRequest: undefined;
  getHealth: z.infer<typeof local.HealthResponse>;
  getInfo: z.infer<typeof local.InfoResponse>;
  reset: undefined;
  getLocalOpenApi: unknown;
  listWorkspaces: z.infer<typeof local.WorkspaceResponse>[];
  createWorkspace: z.infer<typeof local.WorkspaceResponse>;
  getWorkspace: z.infer<typeof local.WorkspaceResponse>;
  updateWorkspace: z.infer<typeof local.WorkspaceResponse>;
  deleteWorkspace: undefined;
  listKeys: z.infer<typeof local.KeyResponse>[];
  createKey: z.infer<typeof local.IssuedKeyResponse>;
  revokeKey: undefined;
  listGroups: z.infer<typeof local.GroupResponse>[];
  createGroup: z.infer<typeof local.GroupResponse>;
  deleteGroup: undefined;
  listIdentities: z.infer<typeof outbound.IdentityResponse>[];
  createIdentity: z.infer<typeof outbound.IdentityResponse>;
  deleteIdentity: undefined;
  listSuppressionOf: api.SuppressionEntryResponse[];
  addSuppression: api.SuppressionEntryResponse;
  removeSuppression: undefined;
  sendFrom: api.SendResponse;
  listSends: z.infer<typeof outbound.SendStateResponse>[];
  getSend: z.infer<typeof outbound.SendStateResponse>;
  listAuthenticators: z.infer<typeof local.AuthenticatorResponse>[];
  createAuthenticator: z.infer<typeof local.AuthenticatorResponse>;
  getCode: api.TotpCodeResponse;
  computeTotp: api.TotpCodeResponse;
  deleteAuthenticator: undefined;
  listAllMailboxes: z.infer<typeof local.MailboxOverview>[];
  createMailboxIn: z.infer<typeof local.MailboxOverview>;
  getMailbox: z.infer<typeof local.MailboxOverview>;
  getLatestMessage: api.MessageSummaryResponse | null;
  updateMailbox: z.infer<typeof local.MailboxOverview>;
  claimAddresses: z.infer<typeof local.MailboxOverview>;
  deleteMailbox: undefined;
  putMessage: api.MessageSummaryResponse;
  searchMessages: z.infer<typeof search.SearchResponse>;
  clearMailbox: z.infer<typeof search.DeletedResponse> | null;
  awaitWholeMessage:
    | z.infer<typeof messages.WholeMessageResponse>
    | z.infer<typeof messages.WholeMessageResponse>[]
    | null;
  diagnoseMailbox: z.infer<typeof local.DiagnosisResponse>;
  searchAllMessages: z.infer<typeof search.SearchResponse>;
  deleteFoundMessages: z.infer<typeof search.DeletedResponse>;
  glanceAtMessages: z.infer<typeof messages.GlanceResponse>[];
  getMessageContent: api.MessageDetailResponse;
  getMessageFacts: z.infer<typeof messages.FactsResponse>;
  deleteMessage: undefined;
  getRawMessage: Uint8Array<ArrayBuffer>;
  getAttachment: Uint8Array<ArrayBuffer>;
  checkMessage: z.infer<typeof checks.ChecksResponse>;
  openView: z.infer<typeof messages.ViewResponse>;
  viewMessage: string;
  getView: string;
  getViewPart: Uint8Array<ArrayBuffer>;
  releaseMessage: z.infer<typeof messages.ReleaseResponse>;
  listAllWebhooks: z.infer<typeof webhooks.WebhookOverview>[];
  createWebhookIn: z.infer<typeof webhooks.WebhookOverview>;
  getWebhookOf: z.infer<typeof webhooks.WebhookOverview>;
  updateWebhookOf: z.infer<typeof webhooks.WebhookOverview>;
  deleteWebhookOf: undefined;
  listRequestsOf: api.WebhookRequestPage;
  clearRequestsOf: undefined;
  replayRequestOf: undefined;
  getRequestAsSent: z.infer<typeof webhooks.RequestResponse>;
  getRequestBody: Uint8Array<ArrayBuffer>;
  awaitRequest: api.WebhookRequestSummary | null;
  getResponses: z.infer<typeof webhooks.ScriptedResponses>;
  setResponses: z.infer<typeof webhooks.ScriptedResponses>;
  listSmtpSessions: z.infer<typeof local.SmtpSessionResponse>[];
  listWaits: z.infer<typeof local.WaitResponse>[];
  getClock: z.infer<typeof local.ClockResponse>;
  setClock: z.infer<typeof local.ClockResponse>;
  listFaults: z.infer<typeof faults.FaultResponse>[];
  setFaults: z.infer<typeof faults.FaultResponse>[];
  getMetrics: string;
  listEvents: z.infer<typeof local.EventResponse>[];
}
