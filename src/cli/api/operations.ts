// This module is generated from the operations of the server: npm run docs.

/** A parameter of a query, or a field of a body. */
export interface ApiParameter {
  readonly kind: 'text' | 'number' | 'time' | 'flag' | 'list' | 'json' | 'textOrJson';
  readonly about?: string;
  /** All valid texts, if they are few. */
  readonly choices?: readonly string[];
  readonly isRequired?: true;
}

/** The parts of an operation that the client does not know. Its request is in src/client/connection/operations.ts. */
export interface ApiOperation {
  readonly summary: string;
  readonly query?: Readonly<Record<string, ApiParameter>>;
  readonly body?: Readonly<Record<string, ApiParameter>>;
}

/** The parameters and fields of this name in most operations that have one. */
const USUAL = {
  name: { kind: 'text' },
  subdomain: { kind: 'text', about: 'Derived from the name if left out' },
  retentionDays: { kind: 'number', about: 'Days; the plan’s default if left out' },
  groupId: { kind: 'text' },
  limit: { kind: 'number', about: 'The most messages to return' },
  before: { kind: 'text', about: 'Only messages older than this one, which need not exist' },
  subject: { kind: 'text', about: 'Text in the subject; case is ignored' },
  from: { kind: 'text', about: 'Text in the From header or the envelope sender; case is ignored' },
  to: { kind: 'text', about: 'Text in To, Cc or an envelope recipient; case is ignored' },
  since: {
    kind: 'time',
    about: 'Only messages received at or after this time; default: five seconds before the request',
  },
  timeout: { kind: 'number', about: 'Seconds to wait' },
  cc: { kind: 'text', about: 'RFC 5322 address list' },
  bcc: { kind: 'text', about: 'RFC 5322 address list' },
  replyTo: { kind: 'text', about: 'RFC 5322 address list' },
  textBody: { kind: 'text', about: 'At least one of textBody and htmlBody' },
  htmlBody: { kind: 'text' },
  responseStatus: { kind: 'number', about: '200 if left out' },
  responseContentType: { kind: 'text', about: 'A media type' },
  responseBody: { kind: 'text', about: 'At most 1 MiB in UTF-8' },
  forwardMode: {
    kind: 'text',
    about: 'off, async (after the answer) or sync (before the answer), in any case; or 0, 1, 2',
    choices: ['off', 'async', 'sync'],
  },
  forwardUrl: { kind: 'text', about: 'Absolute, without credentials' },
  page: { kind: 'number', about: 'The number of the page, from 1' },
  pageSize: { kind: 'number', about: 'The number of requests on a page' },
  plan: { kind: 'text', choices: ['free', 'business'] },
  walletCents: { kind: 'number' },
  limits: { kind: 'text', choices: ['cloud', 'off'] },
  senders: {
    kind: 'text',
    about: 'verified: mail by the API of a provider has to come from an identity of the workspace',
    choices: ['any', 'verified'],
  },
  workspaceId: { kind: 'text', about: 'Only messages of this workspace' },
  body: { kind: 'text', about: 'Text in the visible body; case is ignored' },
  secret: { kind: 'text', about: 'Base32; this or uri' },
  uri: { kind: 'text' },
  algorithm: { kind: 'text', choices: ['SHA1', 'SHA256', 'SHA512'] },
  digits: { kind: 'number', about: '6 or 8' },
  period: { kind: 'number', about: 'Seconds' },
  query: {
    kind: 'text',
    about:
      'All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon',
  },
  partial: {
    kind: 'flag',
    about: '1: somebody is still typing the query, so words without an end are left out and a quote may be open',
  },
  matches: {
    kind: 'flag',
    about: '1: tell of each message where it matched. The server then reads the mails of the page',
  },
  total: { kind: 'flag', about: '0: do not count the results, so that the page of a frequent word comes at once' },
  header: {
    kind: 'text',
    about:
      'A header field and a text in its value, as in X-Campaign: spring; case is ignored. A name alone: the field exists',
  },
  code: { kind: 'flag', about: '1: only messages that hold a code' },
  link: {
    kind: 'text',
    about: 'Only messages that hold a link of this kind: verify, magic, reset, invite, unsubscribe, other; any',
    choices: ['verify', 'magic', 'reset', 'invite', 'unsubscribe', 'other', 'any'],
  },
  read: { kind: 'flag' },
  starred: { kind: 'flag' },
  tags: { kind: 'list', about: 'Replaces all tags' },
  addTags: { kind: 'list' },
  removeTags: { kind: 'list' },
  ids: { kind: 'list', about: 'Ids with commas between them, at most 100' },
  clients: {
    kind: 'list',
    about:
      'Mail clients with commas between them: gmail, outlook.windows, all; the clients of most readers if left out',
  },
  allow: { kind: 'json', about: 'The hosts that the mail may load from, by kind of resource; none if left out' },
  url: { kind: 'text', about: 'http or https, without credentials' },
  headers: { kind: 'json', about: 'Headers that replace those of the same name' },
  until: { kind: 'time', about: 'The time to wait for', isRequired: true },
  offsetSeconds: { kind: 'number' },
  now: { kind: 'time' },
} as const satisfies Readonly<Record<string, ApiParameter>>;

function usual(...names: readonly (keyof typeof USUAL)[]): Readonly<Record<string, ApiParameter>> {
  return Object.fromEntries(names.map((name) => [name, USUAL[name]]));
}

/** A summary of each operation, by its name, with its parameters. */
export const API_OPERATIONS: Readonly<Record<string, ApiOperation>> = {
  listMailboxes: { summary: 'List the mailboxes the key can read' },
  createMailbox: {
    summary: 'Create a mailbox',
    body: {
      name: { kind: 'text', about: 'The subdomain is derived from it if none is given' },
      ...usual('subdomain', 'retentionDays', 'groupId'),
    },
  },
  listMessages: { summary: 'List messages, newest first', query: usual('limit', 'before') },
  awaitMessage: { summary: 'Wait for a message', query: usual('subject', 'from', 'to', 'since', 'timeout') },
  getMessage: { summary: 'Get a message with its bodies, headers and attachments' },
  sendEmail: {
    summary: 'Send an email',
    body: {
      from: { kind: 'text', about: 'One address, at a domain verified in the workspace' },
      to: { kind: 'text', about: 'RFC 5322 address list, groups included; at most 100 recipients in to, cc and bcc' },
      ...usual('cc', 'bcc', 'replyTo'),
      subject: { kind: 'text' },
      ...usual('textBody', 'htmlBody'),
    },
  },
  listSuppression: { summary: 'List the suppressed addresses' },
  deleteSuppression: { summary: 'Remove an address from the suppression list' },
  getTotpCode: { summary: 'Get the current code of an authenticator' },
  listWebhooks: { summary: 'List the webhooks' },
  createWebhook: {
    summary: 'Create a webhook',
    body: usual(
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ),
  },
  getWebhook: { summary: 'Get a webhook' },
  updateWebhook: {
    summary: 'Change the settings of a webhook',
    body: usual(
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ),
  },
  deleteWebhook: { summary: 'Delete a webhook with its captured requests' },
  listWebhookRequests: {
    summary: 'List the captured requests of a webhook, newest first',
    query: usual('page', 'pageSize'),
  },
  clearWebhookRequests: { summary: 'Delete the captured requests of a webhook' },
  getCapturedRequest: { summary: 'Get a captured request' },
  replayWebhookRequest: { summary: 'Forward a captured request again, once' },
  getHealth: { summary: 'Check the health of the server' },
  getInfo: { summary: 'Get the addresses, version, plan and counts of the server' },
  reset: { summary: 'Reset the server to the seeded state' },
  getLocalOpenApi: { summary: 'Get this description' },
  listWorkspaces: { summary: 'List the workspaces' },
  createWorkspace: { summary: 'Create a workspace', body: usual('name', 'plan', 'walletCents', 'limits', 'senders') },
  getWorkspace: { summary: 'Get a workspace' },
  updateWorkspace: {
    summary: 'Change the plan, wallet, limits, senders or name of a workspace',
    body: usual('name', 'plan', 'walletCents', 'limits', 'senders'),
  },
  deleteWorkspace: { summary: 'Delete a workspace with all it owns' },
  listKeys: { summary: 'List the API keys, including revoked ones' },
  createKey: {
    summary: 'Create an API key',
    body: {
      ...usual('name'),
      scopes: { kind: 'json', about: 'All mailboxes, authenticators and webhooks if left out' },
    },
  },
  revokeKey: { summary: 'Revoke an API key' },
  listGroups: { summary: 'List the groups' },
  createGroup: { summary: 'Create a group', body: usual('name') },
  deleteGroup: { summary: 'Delete a group; its mailboxes stay' },
  listIdentities: { summary: 'List the verified sending domains' },
  createIdentity: {
    summary: 'Verify a sending domain',
    body: { domain: { kind: 'text', about: 'Its subdomains are included' } },
  },
  deleteIdentity: { summary: 'Remove a sending domain' },
  listSuppressionOf: { summary: 'List the suppressed addresses' },
  addSuppression: {
    summary: 'Add an address to the suppression list',
    body: {
      recipient: { kind: 'text', about: 'One address' },
      reason: { kind: 'text', choices: ['bounce', 'complaint'] },
    },
  },
  removeSuppression: { summary: 'Remove an address from the suppression list' },
  sendFrom: {
    summary: 'Send from a mailbox',
    body: {
      from: { kind: 'text', about: 'One address, at a domain verified in the workspace' },
      to: { kind: 'text', about: 'RFC 5322 address list, groups included; at most 100 recipients in to, cc and bcc' },
      ...usual('cc', 'bcc', 'replyTo'),
      subject: { kind: 'text' },
      ...usual('textBody', 'htmlBody'),
      attachments: { kind: 'json' },
      inReplyTo: {
        kind: 'text',
        about:
          'The id of the message that it answers, whose conversation it joins, and which says what is left out of from, to and subject',
      },
    },
  },
  listSends: {
    summary: 'List the sends, newest first',
    query: {
      workspaceId: { kind: 'text', about: 'Only sends of this workspace' },
      mailboxId: { kind: 'text', about: 'Only sends of this mailbox' },
      limit: { kind: 'number', about: 'The most sends to return' },
      before: { kind: 'text', about: 'Only sends older than this one' },
    },
  },
  getSend: { summary: 'Get a send with the state of each recipient' },
  sendText: {
    summary: 'Send a text message to the app, as the phone',
    body: {
      from: { kind: 'text', about: 'The phone; the first number that the mailbox claims if left out' },
      to: { kind: 'text', about: 'A number of the app, with `whatsapp:` before it for WhatsApp' },
      body: { kind: 'text' },
      media: { kind: 'list', about: 'URLs of pictures and other files' },
    },
  },
  listAuthenticators: { summary: 'List the authenticators' },
  createAuthenticator: {
    summary: 'Register an authenticator',
    body: usual('name', 'secret', 'uri', 'algorithm', 'digits', 'period'),
  },
  getCode: { summary: 'Get the current code of an authenticator' },
  computeTotp: {
    summary: 'Get the current code of a secret or a URI without storing it',
    body: {
      ...usual('secret', 'uri', 'algorithm', 'digits', 'period'),
      workspaceId: {
        kind: 'text',
        about: 'The workspace by whose clock the code is computed; the clock of the server if left out',
      },
    },
  },
  deleteAuthenticator: { summary: 'Delete an authenticator' },
  listAllMailboxes: { summary: 'List the mailboxes of all workspaces' },
  createMailboxIn: {
    summary: 'Create a mailbox in a workspace',
    body: {
      name: { kind: 'text', about: 'The subdomain is derived from it if none is given' },
      ...usual('subdomain', 'retentionDays', 'groupId'),
    },
  },
  getMailbox: { summary: 'Get a mailbox with its settings and counts' },
  getLatestMessage: { summary: 'Get the newest message; 204 if there is none' },
  updateMailbox: {
    summary: 'Change name, retention, outbound or allowlist of a mailbox',
    body: {
      ...usual('name'),
      retentionDays: { kind: 'number' },
      outboundEnabled: { kind: 'flag' },
      allowlist: {
        kind: 'list',
        about: 'Addresses, *@domain for all at a domain, and *.domain for those below it too',
      },
    },
  },
  claimAddresses: {
    summary: 'Claim addresses of any domain',
    query: { timeout: { kind: 'number', about: 'Seconds to wait for an address that is taken' } },
  },
  deleteMailbox: { summary: 'Delete a mailbox with its mail' },
  putMessage: { summary: 'Store a raw message as if it came by SMTP' },
  searchMessages: {
    summary: 'Search the messages of a mailbox, newest first; without query, list all',
    query: {
      ...usual('query', 'partial', 'matches', 'total', 'limit', 'before'),
      kind: { kind: 'text', about: 'email, sms or any; default: any', choices: ['email', 'sms', 'any'] },
    },
  },
  clearMailbox: { summary: 'Delete all messages of a mailbox, or those that a search finds', query: usual('query') },
  awaitWholeMessage: {
    summary: 'Wait for a message, and get it with its codes and links',
    query: {
      ...usual('subject', 'from', 'to', 'body', 'header', 'code', 'link'),
      query: { kind: 'text', about: 'Search words, as in GET /_mailcap/messages' },
      kind: { kind: 'text', about: 'email, sms or any; default: email', choices: ['email', 'sms', 'any'] },
      count: {
        kind: 'number',
        about: 'The number of messages to wait for. If it is given, the answer is a list in the order of receipt',
      },
      ...usual('since', 'timeout'),
      markRead: { kind: 'flag', about: '1: mark the messages that it returns as read' },
    },
  },
  diagnoseMailbox: {
    summary: 'Get why no message matched',
    query: {
      ...usual('subject', 'from', 'to', 'body', 'header', 'code', 'link'),
      query: { kind: 'text', about: 'Search words, as in GET /_mailcap/messages' },
      since: { kind: 'time', about: 'The start of the time to look at; default: five minutes before the request' },
    },
  },
  sendMatchingMessage: {
    summary: 'Send a mail that meets the conditions of a wait',
    query: {
      ...usual('subject', 'from', 'to', 'body', 'header', 'code', 'link'),
      query: { kind: 'text', about: 'Search words, as in GET /_mailcap/messages' },
    },
  },
  searchAllMessages: {
    summary: 'Search the messages of all workspaces, newest first',
    query: usual('query', 'partial', 'matches', 'total', 'limit', 'before', 'workspaceId'),
  },
  deleteFoundMessages: {
    summary: 'Delete the messages that a search finds, and return their number',
    query: {
      query: {
        kind: 'text',
        about:
          'All words must match. ! or - before a word negates it, quotes allow spaces: from: to: cc: bcc: reply-to: addressed: recipient: subject: message-id: filename: header: body: thread: has: is: tag: after: before: larger: smaller: or a word without a colon',
        isRequired: true,
      },
      ...usual('workspaceId'),
    },
  },
  markMessage: {
    summary: 'Mark a message as read or starred, and tag it',
    body: usual('read', 'starred', 'tags', 'addTags', 'removeTags'),
  },
  markMessages: {
    summary: 'Mark messages, by their ids or by a search',
    body: {
      ids: { kind: 'list', about: 'The messages to mark. Ids of messages that do not exist are left out' },
      query: { kind: 'text', about: 'In place of ids: the search that finds the messages' },
      mailboxId: { kind: 'text', about: 'With query: only messages of this mailbox' },
      workspaceId: { kind: 'text', about: 'With query: only messages of this workspace' },
      ...usual('read', 'starred', 'tags', 'addTags', 'removeTags'),
    },
  },
  getMessagePreviews: { summary: 'Get the first words and the codes of messages', query: usual('ids') },
  getMessageContent: { summary: 'Get a message with its bodies, headers and attachments' },
  getMessageFacts: { summary: 'Get the envelope, TLS, transcript, codes and links of a message' },
  deleteMessage: { summary: 'Delete a message' },
  getRawMessage: { summary: 'Get a message’s exact bytes' },
  getAttachment: { summary: 'Get an attachment’s exact bytes' },
  getAttachedMail: { summary: 'Get an attached mail as a mail of its own' },
  getThread: { summary: 'The conversation of a message: the messages of its mailbox that answer one another' },
  checkMessage: {
    summary: 'Check a message for problems that its readers would have',
    query: {
      ...usual('clients'),
      allow: { kind: 'list', about: 'Rules to ignore, with commas between them: link-http, client-support:css-*' },
      deny: { kind: 'list', about: 'Rules whose notes count as warnings, with commas between them' },
      reach: { kind: 'flag', about: '1: request each link to see whether it works' },
    },
  },
  getHtmlSupport: { summary: 'Get how much of the HTML of a message mail clients support', query: usual('clients') },
  listLinks: { summary: 'List the addresses of a message' },
  checkLinks: {
    summary: 'Request the addresses of a message, to see whether they work',
    body: {
      urls: { kind: 'list', about: 'Addresses of listLinks; without it all web addresses but those that do something' },
    },
  },
  openView: { summary: 'Get a URL that shows a message for some minutes', body: usual('allow') },
  openAttachedView: { summary: 'Get a URL that shows an attached mail for some minutes', body: usual('allow') },
  viewMessage: { summary: 'Get a message as its reader sees it, as one page' },
  getView: {
    summary: 'Show the message of a view',
    query: {
      dark: {
        kind: 'text',
        about: 'The mail program whose colours in the dark are simulated',
        choices: ['outlook', 'outlook-windows', 'gmail-android', 'gmail-ios'],
      },
      inert: { kind: 'flag', about: '1: style as data-style, for a page that draws the mail itself' },
      head: { kind: 'flag', about: '1: the page begins with the head of the mail, to be printed' },
    },
  },
  getViewPart: { summary: 'Get an embedded picture of the message of a view' },
  releaseMessage: {
    summary: 'Relay a message to the given recipients',
    body: { to: { kind: 'text', about: 'RFC 5322 address list, at most 100 recipients' } },
  },
  recordInteraction: {
    summary: 'Tell what the reader of a provider’s mail did',
    body: {
      type: { kind: 'text', choices: ['opened', 'clicked', 'unsubscribed', 'complained'] },
      link: { kind: 'text', about: 'The URL that was clicked, for clicked alone' },
      recipient: {
        kind: 'text',
        about: 'Who did it, of the recipients of the email; the first that the mailbox has if left out',
      },
    },
  },
  listAllWebhooks: { summary: 'List the webhooks of all workspaces' },
  createWebhookIn: {
    summary: 'Create a webhook in a workspace',
    body: usual(
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ),
  },
  getWebhookOf: { summary: 'Get a webhook' },
  updateWebhookOf: {
    summary: 'Change the settings of a webhook',
    body: usual(
      'name',
      'responseStatus',
      'responseContentType',
      'responseBody',
      'forwardMode',
      'forwardUrl',
      'retentionDays',
    ),
  },
  deleteWebhookOf: { summary: 'Delete a webhook with its captured requests' },
  listRequestsOf: {
    summary: 'List the captured requests of a webhook, newest first',
    query: usual('page', 'pageSize'),
  },
  clearRequestsOf: { summary: 'Delete the captured requests of a webhook' },
  replayRequestOf: { summary: 'Forward a captured request again, once' },
  getRequestPreviews: { summary: 'Get the events that captured requests tell', query: usual('ids') },
  getRequestAsSent: { summary: 'Get a captured request with its headers in order' },
  getRequestBody: { summary: 'Get a captured body’s exact bytes' },
  awaitRequest: {
    summary: 'Wait for a captured request',
    query: { after: { kind: 'text', about: 'Only a request that is newer than this one' }, ...usual('timeout') },
  },
  getResponses: { summary: 'Get the scripted answers that are left' },
  setResponses: { summary: 'Set the answers to the next requests, one for each' },
  listSamples: { summary: 'List the sample events that can be sent' },
  sendWebhook: {
    summary: 'Send a signed event with the retries of its service',
    body: {
      ...usual('url'),
      scheme: { kind: 'textOrJson', about: 'The signature scheme; that of the event’s service if left out' },
      secret: { kind: 'text', about: 'The secret of the signature. It is not stored' },
      ...usual('headers'),
      timeout: { kind: 'number', about: 'Seconds' },
      event: { kind: 'text', about: 'A sample event, by its name' },
      body: { kind: 'text', about: 'The exact body, instead of the body of the event' },
      bodyBase64: { kind: 'text' },
      set: { kind: 'json', about: 'Fields of the body by their paths: {"data.object.currency": "eur"}' },
      id: { kind: 'text' },
      retries: { kind: 'number', about: 'The most retries; the service makes fewer if its schedule has fewer' },
    },
  },
  getRecording: {
    summary: 'Get captured requests as a recording to commit and to play',
    query: { limit: { kind: 'number', about: 'The most requests to return' } },
  },
  playRecording: {
    summary: 'Send the requests of a recording, in their order',
    body: {
      ...usual('url'),
      scheme: { kind: 'textOrJson', about: 'The scheme of new signatures; that of each request if left out' },
      secret: { kind: 'text', about: 'The secret of new signatures; the recorded signatures are sent if left out' },
      ...usual('headers'),
      timeout: { kind: 'number', about: 'Seconds' },
      recording: { kind: 'json', about: 'A recording, as GET /_mailcap/webhooks/{id}/recording returns it' },
      pauses: { kind: 'flag', about: 'true: make the pauses of the recording' },
    },
  },
  listRuns: { summary: 'List the runs of test runners, the newest first' },
  getRun: { summary: 'Get a run with its tests' },
  reportTest: {
    summary: 'Report an attempt at a test',
    body: {
      runner: { kind: 'text', about: 'The name of the runner, such as playwright' },
      project: { kind: 'text' },
      test: {
        kind: 'text',
        about: 'The id of the test by its runner, the same for all attempts. Without it, the file and titles tell',
      },
      file: { kind: 'text', about: 'The path of the file, relative to the project' },
      titles: { kind: 'list' },
      attempt: { kind: 'number' },
      worker: { kind: 'text' },
      outcome: { kind: 'text', choices: ['running', 'passed', 'failed', 'skipped'] },
      error: { kind: 'text' },
      startedAt: { kind: 'time' },
      endedAt: { kind: 'time', about: 'Null while it runs' },
      mailboxIds: { kind: 'list' },
      webhookIds: { kind: 'list' },
      waits: { kind: 'json' },
    },
  },
  deleteRun: { summary: 'Delete a run; its mailboxes and webhooks stay' },
  listSmtpSessions: {
    summary: 'List the last SMTP sessions with their transcripts, including refused ones',
    query: { limit: { kind: 'number', about: 'The most sessions to return' } },
  },
  listWaits: { summary: 'List the awaits held now' },
  getClock: { summary: 'Read the clock of the server' },
  awaitClock: { summary: 'Wait for a time of the clock of the server', query: usual('until', 'timeout') },
  setClock: { summary: 'Set the clock of the server', body: usual('offsetSeconds', 'now') },
  getWorkspaceClock: { summary: 'Read the clock of a workspace' },
  awaitWorkspaceClock: { summary: 'Wait for a time of the clock of a workspace', query: usual('until', 'timeout') },
  setWorkspaceClock: { summary: 'Set the clock of a workspace', body: usual('offsetSeconds', 'now') },
  listFaults: { summary: 'List the fault rules with their counters' },
  setFaults: { summary: 'Replace all fault rules, those of others too' },
  addFault: {
    summary: 'Add a fault rule after the others',
    body: {
      stage: { kind: 'text', choices: ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end', 'http'] },
      match: { kind: 'json' },
      action: { kind: 'json' },
      times: { kind: 'number' },
      probability: { kind: 'number' },
    },
  },
  removeFault: { summary: 'Remove a fault rule' },
  getMetrics: { summary: 'Get metrics for Prometheus' },
  listEvents: {
    summary: 'List past events of the feed, oldest first',
    query: {
      types: { kind: 'list', about: 'Only events of these types, with commas between them; all if left out' },
      mailboxId: { kind: 'text', about: 'Only events of this mailbox' },
      since: { kind: 'text', about: 'Only events after this one' },
      limit: { kind: 'number', about: 'The most events to return' },
    },
  },
};
