/** The description of an operation in the tables of the API document. */
export interface About {
  /** The heading that the operation is listed under. */
  readonly heading: string;
  /** The name of the operation in a generated client. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** An example of a valid request body. */
  readonly example?: unknown;
  /** The media type of a request body that is no JSON. */
  readonly takes?: string;
  /** The media type of an answer that is no JSON, and a status without a schema. */
  readonly gives?: { readonly type?: string; readonly status?: number };
  /** `true` if the operation needs no key and no token, wherever the server listens. */
  readonly isOpen?: true;
}

export const HEADINGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Mailboxes', description: 'Each owns a subdomain; mail to any address on it is delivered there.' },
  { name: 'Messages', description: 'Read what was received, or wait for it.' },
  { name: 'Outbound', description: 'Send mail from a mailbox, and the list of addresses that bounced or complained.' },
  { name: 'TOTP', description: 'The current two-factor code of a stored authenticator.' },
  { name: 'Webhooks', description: 'Capture URLs that record every request, answer it, and may forward it.' },
];

const SEND_RULES =
  'Answers once the mail is queued; delivery follows. Bounces and complaints arrive as mail in the same mailbox. ' +
  'A refused send costs, counts and stores nothing.';

/** The operations by method and path, in the order of the document. */
export const OPERATIONS: Readonly<Record<string, About>> = {
  'GET /v1/mailboxes': { heading: 'Mailboxes', id: 'listMailboxes', summary: 'List the mailboxes the key can read' },
  'POST /v1/workspaces/{workspaceId}/mailboxes': {
    heading: 'Mailboxes',
    id: 'createMailbox',
    summary: 'Create a mailbox',
    description: 'Its subdomain takes mail from the moment this answers.',
    example: { name: 'Sign up' },
  },

  'GET /v1/mailboxes/{mailboxId}/messages': {
    heading: 'Messages',
    id: 'listMessages',
    summary: 'List messages, newest first',
    description: 'Summaries, without bodies. The id of a page’s last message is the next page’s before.',
  },
  'GET /v1/mailboxes/{mailboxId}/messages/await': {
    heading: 'Messages',
    id: 'awaitMessage',
    summary: 'Wait for a message',
    description:
      'Holds the request until a message matches every filter given, and answers with the newest that does. 204: none came in time.',
  },
  'GET /v1/mailboxes/{mailboxId}/messages/{id}': {
    heading: 'Messages',
    id: 'getMessage',
    summary: 'Get a message with its bodies, headers and attachments',
  },

  'POST /v1/mailboxes/{mailboxId}/send': {
    heading: 'Outbound',
    id: 'sendEmail',
    summary: 'Send an email',
    description: SEND_RULES,
    example: { from: 'app@mailcap.test', to: 'ada@inbox.mailcap.test', subject: 'Hello', textBody: 'Hello, Ada.' },
  },
  'GET /v1/workspaces/{workspaceId}/suppression': {
    heading: 'Outbound',
    id: 'listSuppression',
    summary: 'List the addresses that sends refuse',
  },
  'DELETE /v1/workspaces/{workspaceId}/suppression/{id}': {
    heading: 'Outbound',
    id: 'deleteSuppression',
    summary: 'Let an address receive outbound mail again',
  },

  'GET /v1/totp/{totpId}/code': {
    heading: 'TOTP',
    id: 'getTotpCode',
    summary: 'Get the code an authenticator app would show now',
  },

  'GET /v1/webhooks': { heading: 'Webhooks', id: 'listWebhooks', summary: 'List the interceptors' },
  'POST /v1/webhooks': {
    heading: 'Webhooks',
    id: 'createWebhook',
    summary: 'Create an interceptor',
    example: { name: 'Payments', responseStatus: 202 },
  },
  'GET /v1/webhooks/{webhookId}': { heading: 'Webhooks', id: 'getWebhook', summary: 'Get an interceptor' },
  'PATCH /v1/webhooks/{webhookId}': {
    heading: 'Webhooks',
    id: 'updateWebhook',
    summary: 'Change an interceptor’s settings',
    description: 'What is left out, or null, stays as it is.',
    example: { responseStatus: 503 },
  },
  'DELETE /v1/webhooks/{webhookId}': {
    heading: 'Webhooks',
    id: 'deleteWebhook',
    summary: 'Delete an interceptor with its captured requests',
  },
  'GET /v1/webhooks/{webhookId}/requests': {
    heading: 'Webhooks',
    id: 'listWebhookRequests',
    summary: 'List captured requests, newest first',
  },
  'DELETE /v1/webhooks/{webhookId}/requests': {
    heading: 'Webhooks',
    id: 'clearWebhookRequests',
    summary: 'Delete every captured request, keep the interceptor',
  },
  'GET /v1/webhooks/requests/{requestId}': {
    heading: 'Webhooks',
    id: 'getWebhookRequest',
    summary: 'Get a captured request',
  },
  'POST /v1/webhooks/requests/{requestId}/replay': {
    heading: 'Webhooks',
    id: 'replayWebhookRequest',
    summary: 'Forward a captured request again',
  },
};
