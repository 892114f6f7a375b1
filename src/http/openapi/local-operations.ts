import type { About } from './operations.ts';

export const LOCAL_HEADINGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Server', description: 'How it is, where it listens, and back to the start.' },
  {
    name: 'Workspaces',
    description: 'Tenants with their keys and groups: a worker or a test can have one of its own.',
  },
  { name: 'Sending', description: 'Verified domains, the suppression list, and what became of what was sent.' },
  { name: 'Authenticators', description: 'Register what the cloud API then gives the codes of.' },
  { name: 'Local mailboxes', description: 'Settings, all mail of one, and why none came.' },
  { name: 'Local messages', description: 'One message to the byte, with what stands beside it.' },
  { name: 'Captured requests', description: 'To the byte, and answers that are scripted.' },
  { name: 'Control', description: 'The clock, failures on purpose, and what happens as it happens.' },
];

type Row = Omit<About, 'heading'>;

const SERVER: Readonly<Record<string, Row>> = {
  'GET /_mailcap/health': {
    id: 'getHealth',
    summary: 'Ask whether it is up',
    description:
      '503 says in status why it is not. It needs no key anywhere, and answers until the very end of a stop.',
    isOpen: true,
  },
  'GET /_mailcap/info': { id: 'getInfo', summary: 'Get addresses, version, plan and counts' },
  'POST /_mailcap/reset': {
    id: 'reset',
    summary: 'Go back to the seeded state',
    description:
      'Every message, mailbox but the seeded, interceptor, send, workspace and key is gone, also what is on record for Idempotency-Keys.',
  },
  'GET /_mailcap/openapi.json': { id: 'getLocalOpenApi', summary: 'Get this description' },
};

const WORKSPACES: Readonly<Record<string, Row>> = {
  'GET /_mailcap/workspaces': { id: 'listWorkspaces', summary: 'List the workspaces' },
  'POST /_mailcap/workspaces': {
    id: 'createWorkspace',
    summary: 'Create a workspace',
    description: 'It is empty: no mailbox, no key.',
    example: { name: 'Worker 1', plan: 'business', limits: 'off' },
  },
  'GET /_mailcap/workspaces/{id}': { id: 'getWorkspace', summary: 'Get a workspace' },
  'PATCH /_mailcap/workspaces/{id}': {
    id: 'updateWorkspace',
    summary: 'Change plan, wallet, limits or name',
    example: { walletCents: 500 },
  },
  'DELETE /_mailcap/workspaces/{id}': { id: 'deleteWorkspace', summary: 'Delete a workspace with all it owns' },
  'GET /_mailcap/workspaces/{id}/keys': { id: 'listKeys', summary: 'List API keys, revoked ones too' },
  'POST /_mailcap/workspaces/{id}/keys': {
    id: 'createKey',
    summary: 'Issue an API key',
    description:
      'The answer has the key this once. Scopes are fixed: a key of a set does not see the mailboxes it creates.',
    example: { name: 'CI', scopes: { mailboxes: 'all', authenticators: 'all' } },
  },
  'DELETE /_mailcap/keys/{id}': { id: 'revokeKey', summary: 'Revoke an API key' },
  'GET /_mailcap/workspaces/{id}/groups': { id: 'listGroups', summary: 'List the groups' },
  'POST /_mailcap/workspaces/{id}/groups': {
    id: 'createGroup',
    summary: 'Create a group',
    example: { name: 'Checkout' },
  },
  'DELETE /_mailcap/groups/{id}': { id: 'deleteGroup', summary: 'Delete a group; its mailboxes stay' },
};

const SENDING: Readonly<Record<string, Row>> = {
  'GET /_mailcap/workspaces/{id}/identities': { id: 'listIdentities', summary: 'List the verified sending domains' },
  'POST /_mailcap/workspaces/{id}/identities': {
    id: 'createIdentity',
    summary: 'Verify a sending domain',
    example: { domain: 'shop.example' },
  },
  'DELETE /_mailcap/identities/{id}': { id: 'deleteIdentity', summary: 'Remove a sending domain' },
  'GET /_mailcap/workspaces/{id}/suppression': {
    id: 'listSuppressionOf',
    summary: 'List the addresses that sends refuse',
  },
  'POST /_mailcap/workspaces/{id}/suppression': {
    id: 'addSuppression',
    summary: 'Put an address on the suppression list',
    example: { recipient: 'ada@elsewhere.example', reason: 'bounce' },
  },
  'DELETE /_mailcap/suppression/{id}': {
    id: 'removeSuppression',
    summary: 'Take an address off the suppression list',
  },
  'POST /_mailcap/mailboxes/{id}/send': {
    id: 'sendFrom',
    summary: 'Send from a mailbox',
    description: 'With the rules of the cloud API: what it costs and what it refuses is the same.',
    example: { from: 'shop@mailcap.test', to: 'ada@inbox.mailcap.test', subject: 'Hello', textBody: 'Hello Ada' },
  },
  'GET /_mailcap/sends': { id: 'listSends', summary: 'List what was sent, newest first' },
  'GET /_mailcap/sends/{id}': { id: 'getSend', summary: 'Get a send, recipient by recipient' },
};

const AUTHENTICATORS: Readonly<Record<string, Row>> = {
  'GET /_mailcap/workspaces/{id}/authenticators': { id: 'listAuthenticators', summary: 'List the authenticators' },
  'POST /_mailcap/workspaces/{id}/authenticators': {
    id: 'createAuthenticator',
    summary: 'Register an authenticator',
    description: 'By its secret, or by the URI of its QR code. The secret is never returned.',
    example: { name: 'Shop', secret: 'GEZDGNBVGY3TQOJQ' },
  },
  'DELETE /_mailcap/authenticators/{id}': { id: 'deleteAuthenticator', summary: 'Delete an authenticator' },
  'GET /_mailcap/authenticators/{id}/code': { id: 'getCode', summary: 'Get the code an authenticator shows now' },
  'POST /_mailcap/totp': {
    id: 'computeTotp',
    summary: 'Get the code of a secret or a URI, which is not stored',
    example: { secret: 'GEZDGNBVGY3TQOJQ' },
  },
};

const MAILBOXES: Readonly<Record<string, Row>> = {
  'GET /_mailcap/mailboxes': { id: 'listAllMailboxes', summary: 'List the mailboxes of all workspaces' },
  'POST /_mailcap/workspaces/{id}/mailboxes': {
    id: 'createMailboxIn',
    summary: 'Create a mailbox in a workspace',
    example: { name: 'Sign up' },
  },
  'GET /_mailcap/mailboxes/{id}': { id: 'getMailbox', summary: 'Get a mailbox with its settings and counts' },
  'PATCH /_mailcap/mailboxes/{id}': {
    id: 'updateMailbox',
    summary: 'Change name, retention, outbound or allowlist',
    example: { outboundEnabled: true, allowlist: ['*.mailcap.test'] },
  },
  'PUT /_mailcap/mailboxes/{id}/addresses': {
    id: 'claimAddresses',
    summary: 'Claim addresses of any domain',
    description:
      'Mail to them comes here, before subdomains and the inbox are asked. In place of those claimed before. The most specific claim decides: an address, the address without its plus-tag, its domain.',
    example: ['alice@email.com', '*@acme.test'],
  },
  'DELETE /_mailcap/mailboxes/{id}': { id: 'deleteMailbox', summary: 'Delete a mailbox with its mail' },
  'GET /_mailcap/mailboxes/{id}/latest': {
    id: 'getLatestMessage',
    summary: 'Get the newest message; 204: there is none',
  },
  'GET /_mailcap/mailboxes/{id}/messages': {
    id: 'searchMessages',
    summary: 'Search the messages of a mailbox, newest first; all of them if no query is given',
  },
  'POST /_mailcap/mailboxes/{id}/messages': {
    id: 'putMessage',
    summary: 'Put a raw message in, as if by SMTP',
    takes: 'message/rfc822',
    example:
      'From: shop@shop.example\r\nTo: ada@inbox.mailcap.test\r\nSubject: Your code\r\n\r\nYour code is 481920.\r\n',
  },
  'DELETE /_mailcap/mailboxes/{id}/messages': {
    id: 'clearMailbox',
    summary: 'Delete all messages of a mailbox, or what a search finds',
    description: 'Without query all go: 204. With one, which may not be empty: 200 tells how many went.',
  },
  'GET /_mailcap/mailboxes/{id}/await': {
    id: 'awaitWholeMessage',
    summary: 'Wait for a message, and get all of it with its codes and links',
    description:
      'Holds the request until a message matches every filter given, and answers with the newest that does; with count, a list of so many. 204: none came in time.',
  },
  'GET /_mailcap/mailboxes/{id}/diagnosis': {
    id: 'diagnoseMailbox',
    summary: 'Get why no message matched',
    description: 'Which filter refused which message, what went elsewhere, what SMTP refused, the last connection.',
  },
};

const MESSAGES: Readonly<Record<string, Row>> = {
  'GET /_mailcap/messages': {
    id: 'searchAllMessages',
    summary: 'Search the messages of all workspaces, newest first',
  },
  'DELETE /_mailcap/messages': {
    id: 'deleteFoundMessages',
    summary: 'Delete what a search finds, and tell how many went',
  },
  'GET /_mailcap/messages/{id}': {
    id: 'getMessageFacts',
    summary: 'Get envelope, TLS, transcript, codes and links of a message',
  },
  'GET /_mailcap/messages/glances': {
    id: 'glanceAtMessages',
    summary: 'Get the first words and the codes of messages',
    description: 'What a list shows beside the summaries. Messages that are not there are left out.',
  },
  'GET /_mailcap/messages/{id}/content': {
    id: 'getMessageContent',
    summary: 'Get a message with its bodies, headers and attachments',
  },
  'DELETE /_mailcap/messages/{id}': { id: 'deleteMessage', summary: 'Delete a message' },
  'GET /_mailcap/messages/{id}/raw': {
    id: 'getRawMessage',
    summary: 'Get a message’s exact bytes',
    gives: { type: 'message/rfc822' },
  },
  'GET /_mailcap/messages/{id}/attachments/{attachmentId}': {
    id: 'getAttachment',
    summary: 'Get an attachment’s exact bytes',
  },
};

const RELEASE: Readonly<Record<string, Row>> = {
  'POST /_mailcap/messages/{id}/release': {
    id: 'releaseMessage',
    summary: 'Hand a message to the relay, for these recipients',
    description: 'As it is, in one attempt, from its envelope sender. The answer tells what the relay said for each.',
    example: { to: 'ada@elsewhere.example' },
  },
};

const VIEWS: Readonly<Record<string, Row>> = {
  'POST /_mailcap/messages/{id}/view': {
    id: 'openView',
    summary: 'Get an address to look at a message, good for minutes',
    description:
      'For a frame: whoever has the address may look, and nothing in the mail can run or call out. remote tells who the mail would load from; allow lets it, host by host.',
    example: { allow: { images: ['cdn.shop.example'] } },
  },
  'GET /_mailcap/messages/{id}/view': {
    id: 'viewMessage',
    summary: 'Get a message as its reader sees it, all in one page',
    gives: { type: 'text/html' },
  },
  'GET /_mailcap/view/{token}/': {
    id: 'getView',
    summary: 'Look at a message by the address of a view',
    gives: { type: 'text/html' },
    isOpen: true,
  },
  'GET /_mailcap/view/{token}/parts/{attachmentId}': {
    id: 'getViewPart',
    summary: 'Get a picture that the message of a view brings',
    gives: { type: 'image/*' },
    isOpen: true,
  },
};

const REQUESTS: Readonly<Record<string, Row>> = {
  'GET /_mailcap/webhooks': { id: 'listAllWebhooks', summary: 'List the interceptors of all workspaces' },
  'POST /_mailcap/workspaces/{id}/webhooks': {
    id: 'createWebhookIn',
    summary: 'Create an interceptor in a workspace',
    example: { name: 'Payments', responseStatus: 200 },
  },
  'GET /_mailcap/webhooks/{id}': { id: 'getWebhookOf', summary: 'Get an interceptor with its figures' },
  'PATCH /_mailcap/webhooks/{id}': {
    id: 'updateWebhookOf',
    summary: 'Change what an interceptor answers and where it forwards to',
    example: { responseStatus: 503 },
  },
  'DELETE /_mailcap/webhooks/{id}': {
    id: 'deleteWebhookOf',
    summary: 'Delete an interceptor with what it captured',
  },
  'GET /_mailcap/webhooks/{id}/requests': {
    id: 'listRequestsOf',
    summary: 'List what an interceptor captured, newest first',
  },
  'DELETE /_mailcap/webhooks/{id}/requests': {
    id: 'clearRequestsOf',
    summary: 'Delete what an interceptor captured',
  },
  'POST /_mailcap/webhooks/requests/{id}/replay': {
    id: 'replayRequestOf',
    summary: 'Forward a captured request again, once',
  },
  'GET /_mailcap/webhooks/requests/{id}': {
    id: 'getRequestAsSent',
    summary: 'Get a captured request, headers in order and with repeats',
  },
  'GET /_mailcap/webhooks/requests/{id}/body': { id: 'getRequestBody', summary: 'Get a captured body’s exact bytes' },
  'GET /_mailcap/webhooks/{id}/requests/await': {
    id: 'awaitRequest',
    summary: 'Wait for a captured request',
    description: 'Holds the request until one comes. 204: none came in time.',
  },
  'GET /_mailcap/webhooks/{id}/responses': { id: 'getResponses', summary: 'Get the scripted answers not used yet' },
  'PUT /_mailcap/webhooks/{id}/responses': {
    id: 'setResponses',
    summary: 'Script the next answers, one per request',
    example: [{ status: 500 }, { drop: true }],
  },
};

const CONTROL: Readonly<Record<string, Row>> = {
  'GET /_mailcap/smtp/sessions': {
    id: 'listSmtpSessions',
    summary: 'List the last SMTP sessions with what was said, refused ones too',
  },
  'GET /_mailcap/waits': { id: 'listWaits', summary: 'List the awaits held now' },
  'GET /_mailcap/clock': { id: 'getClock', summary: 'Read the clock' },
  'PUT /_mailcap/clock': {
    id: 'setClock',
    summary: 'Set the clock',
    description: 'Retention, counters, codes and windows follow it.',
    example: { offsetSeconds: 86_400 },
  },
  'GET /_mailcap/faults': { id: 'listFaults', summary: 'List the fault rules, with what they did' },
  'PUT /_mailcap/faults': {
    id: 'setFaults',
    summary: 'Set what is to fail on purpose',
    example: [{ stage: 'rcpt', match: { to: '*@slow.*' }, action: { reply: '451 4.7.1 try later' }, times: 2 }],
  },
  'GET /_mailcap/metrics': { id: 'getMetrics', summary: 'Get metrics for Prometheus', gives: { type: 'text/plain' } },
  'GET /_mailcap/events': {
    id: 'listEvents',
    summary: 'List what the feed told, oldest first',
    description:
      'As many as limit after the event since, which need not exist; the next page is after the last of them.',
  },
  'GET /_mailcap/feed': {
    id: 'followFeed',
    summary: 'Follow what happens, over a WebSocket',
    description: 'Each event is a JSON text: id, type, at, workspaceId, data. since resumes after an event’s id.',
    gives: { status: 101 },
  },
};

/** The operations by method and path, in the order of docs/contract.md#local-api. */
export const LOCAL_OPERATIONS: Readonly<Record<string, About>> = {
  ...under('Server', SERVER),
  ...under('Workspaces', WORKSPACES),
  ...under('Sending', SENDING),
  ...under('Authenticators', AUTHENTICATORS),
  ...under('Local mailboxes', MAILBOXES),
  ...under('Local messages', MESSAGES),
  ...under('Local messages', VIEWS),
  ...under('Local messages', RELEASE),
  ...under('Captured requests', REQUESTS),
  ...under('Control', CONTROL),
};

function under(heading: string, rows: Readonly<Record<string, Row>>): Record<string, About> {
  return Object.fromEntries(Object.entries(rows).map(([row, about]) => [row, { heading, ...about }]));
}

/** Returns a default description of a route that has none. */
export function unnamed(row: string): About {
  return { heading: 'Control', id: row.replace(/\W+(\w?)/g, (_all, next: string) => next.toUpperCase()), summary: row };
}
