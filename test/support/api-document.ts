/** The endpoints in the tables of the API document (section 4), in its order. */
export const API_DOCUMENT: readonly string[] = [
  'GET /v1/mailboxes',
  'POST /v1/workspaces/{workspaceId}/mailboxes',

  'GET /v1/mailboxes/{mailboxId}/messages',
  'GET /v1/mailboxes/{mailboxId}/messages/await',
  'GET /v1/mailboxes/{mailboxId}/messages/{id}',

  'POST /v1/mailboxes/{mailboxId}/send',
  'GET /v1/workspaces/{workspaceId}/suppression',
  'DELETE /v1/workspaces/{workspaceId}/suppression/{id}',

  'GET /v1/totp/{totpId}/code',

  'GET /v1/webhooks',
  'POST /v1/webhooks',
  'GET /v1/webhooks/{webhookId}',
  'PATCH /v1/webhooks/{webhookId}',
  'DELETE /v1/webhooks/{webhookId}',
  'GET /v1/webhooks/{webhookId}/requests',
  'DELETE /v1/webhooks/{webhookId}/requests',
  'GET /v1/webhooks/requests/{requestId}',
  'POST /v1/webhooks/requests/{requestId}/replay',
];

/** Endpoints that do not exist yet, by the start of their row. Remove a row here when it is implemented. */
export const NOT_YET: readonly string[] = [];
