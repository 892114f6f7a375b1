import { type Commands, MAILBOX_OPTION, YES_OPTION } from '../command.ts';

const WEBHOOK = [{ name: 'webhook', required: true }] as const;

const ANSWER = {
  status: { type: 'count', help: "Status of a webhook's answers (200)" },
  body: { type: 'string', help: "Body of a webhook's answers" },
  contentType: { type: 'string', help: "Content type of a webhook's answers" },
} as const;

const MODE = { type: { oneOf: ['async', 'sync'] }, help: 'sync: forward before answering (async)' } as const;

const OF_WEBHOOK = { type: 'string', value: '<webhook>', help: 'The webhook that a number refers to' } as const;

const REQUEST_NOTES = [
  'Give an id, the first letters of an id, or a position in',
  '`webhooks requests`: 1 is the newest.',
] as const;

const TOTP_SOURCE = {
  secret: { type: 'string', value: '<base32>', help: 'Secret in base32' },
  uri: { type: 'string', value: '<otpauth uri>', help: 'Or its otpauth:// URI' },
} as const;

const WHOLE_SERVER = { type: 'boolean', help: 'The clock of the server, not of the workspace' } as const;

export const TOOL_COMMANDS = {
  'webhooks list': {
    summary: 'List the webhooks',
    page: 'webhooks',
    examples: ['webhooks list'],
    run: async (args) => (await import('./webhooks.ts')).listWebhooks(args),
  },
  'webhooks create': {
    summary: 'Create a webhook, and print its URL',
    page: 'webhooks',
    operands: [{ name: 'name', required: false }],
    options: {
      ...ANSWER,
      forward: { type: 'string', value: '<url>', help: 'Forward requests to this URL' },
      mode: MODE,
    },
    examples: ['webhooks create payments', 'webhooks create --forward http://127.0.0.1:3000/hook --mode sync'],
    run: async (args) => (await import('./webhooks.ts')).createWebhook(args),
  },
  'webhooks requests': {
    summary: 'List the captured requests of a webhook',
    page: 'webhooks',
    operands: WEBHOOK,
    options: { limit: { type: 'count', help: 'Most requests to list (50)' } },
    examples: ['webhooks requests payments', 'webhooks requests payments --json'],
    run: async (args) => (await import('./requests.ts')).listRequests(args),
  },
  'webhooks show': {
    summary: 'Show a webhook, or a captured request',
    page: 'webhooks',
    operands: [{ name: 'webhook-or-request', required: true }],
    options: { webhook: OF_WEBHOOK },
    notes: REQUEST_NOTES,
    examples: ['webhooks show payments', 'webhooks show 1 --webhook payments', 'webhooks show 01KAHW3F9Q'],
    run: async (args) => (await import('./requests.ts')).show(args),
  },
  'webhooks replay': {
    summary: 'Forward a captured request again',
    page: 'webhooks',
    operands: [{ name: 'request', required: true }],
    options: {
      to: { type: 'string', value: '<url>', help: 'Send it from here; default: its forward URL' },
      webhook: OF_WEBHOOK,
    },
    notes: REQUEST_NOTES,
    examples: ['webhooks replay 01KAHW3F9Q', 'webhooks replay 1 --to http://127.0.0.1:3000/hook'],
    run: async (args) => (await import('./requests.ts')).replayRequest(args),
  },
  'webhooks update': {
    summary: 'Change the name or the answers of a webhook',
    page: 'webhooks',
    operands: WEBHOOK,
    options: { name: { type: 'string', help: 'New name' }, ...ANSWER },
    examples: ['webhooks update payments --status 500', 'webhooks update payments --status 200 --body ok'],
    run: async (args) => (await import('./webhooks.ts')).updateWebhook(args),
  },
  'webhooks forward': {
    summary: 'Forward its requests to a URL, or stop with off',
    page: 'webhooks#forwarding',
    operands: [...WEBHOOK, { name: 'url-or-off', required: true }],
    options: { mode: MODE },
    examples: ['webhooks forward payments http://127.0.0.1:3000/hook', 'webhooks forward payments off'],
    run: async (args) => (await import('./webhooks.ts')).forwardWebhook(args),
  },
  'webhooks delete': {
    summary: 'Delete a webhook with its captured requests',
    page: 'webhooks',
    operands: WEBHOOK,
    options: { yes: YES_OPTION },
    examples: ['webhooks delete payments', 'webhooks delete payments --yes'],
    run: async (args) => (await import('./webhooks.ts')).deleteWebhook(args),
  },
  'webhooks wait': {
    summary: 'Wait for a captured request, and show it',
    page: 'webhooks',
    operands: WEBHOOK,
    options: {
      method: { type: 'string', help: 'Its method' },
      path: { type: 'string', help: 'Text in its path or query; case is ignored' },
      text: { type: 'string', help: 'Text in its body' },
      since: { type: 'seconds', help: 'How far to look back, as in 2m (5s)' },
      timeout: { type: 'seconds', help: 'Time to wait; then exit code 3 (30)' },
    },
    examples: ['webhooks wait payments --path /orders', 'webhooks wait payments --json | jq -r .bodyText'],
    run: async (args) => (await import('./wait-request.ts')).waitForRequest(args),
  },
  'webhooks tail': {
    summary: 'Show requests as they are captured',
    page: 'webhooks',
    operands: WEBHOOK,
    examples: ['webhooks tail payments', 'webhooks tail payments --json | jq .path'],
    run: async (args) => (await import('./tail.ts')).tailWebhook(args),
  },
  'totp add': {
    summary: 'Store an authenticator, and print its id',
    page: 'client#webhooks-and-authenticators',
    operands: [{ name: 'name', required: true }],
    options: TOTP_SOURCE,
    examples: ['totp add github --secret JBSWY3DPEHPK3PXP', 'totp add bank --uri "otpauth://totp/..."'],
    run: async (args) => (await import('./totp.ts')).addAuthenticator(args),
  },
  'totp list': {
    summary: 'List the authenticators',
    page: 'client#webhooks-and-authenticators',
    examples: ['totp list'],
    run: async (args) => (await import('./totp.ts')).listAuthenticators(args),
  },
  'totp code': {
    summary: 'Print the current code of an authenticator or a secret',
    page: 'client#webhooks-and-authenticators',
    operands: [{ name: 'authenticator', required: false }],
    options: { ...TOTP_SOURCE, secret: { ...TOTP_SOURCE.secret, help: 'Instead: a secret, which is not stored' } },
    examples: ['totp code github', 'totp code 01KAHW... --json', 'totp code --secret JBSWY3DPEHPK3PXP'],
    run: async (args) => (await import('./totp.ts')).showCode(args),
  },
  'faults list': {
    summary: 'List the fault rules, and how often each was applied',
    page: 'faults',
    examples: ['faults list'],
    run: async (args) => (await import('./faults.ts')).listFaults(args),
  },
  'faults add': {
    summary: 'Make the server fail on purpose, and print the id of the rule',
    page: 'faults#a-rule',
    operands: [{ name: 'stage', required: true }],
    options: {
      reply: { type: 'string', help: 'Answer, as "451 4.7.1 try later" or "503"' },
      drop: { type: 'boolean', help: 'Close the connection without an answer' },
      delay: { type: 'seconds', help: 'Wait before the answer' },
      mailbox: { ...MAILBOX_OPTION, help: 'Only mail and requests of this mailbox' },
      match: { type: 'texts', value: '<name=glob>', help: 'Only what fits; repeatable' },
      times: { type: 'count', help: 'How often it applies; default: always' },
      probability: { type: 'string', value: '<0 to 1>', help: 'Apply at random' },
    },
    notes: [
      'Stages: connect helo auth mail rcpt data end http. To match: clientAddress',
      'helo user from to method path.',
    ],
    examples: ['faults add rcpt --reply "451 4.7.1 later" --match "to=*@slow.*" --times 2', 'faults add http --drop'],
    run: async (args) => (await import('./faults.ts')).addFault(args),
  },
  'faults remove': {
    summary: 'Remove a fault rule, or all of the server',
    page: 'faults',
    operands: [{ name: 'fault', required: false }],
    options: { all: { type: 'boolean', help: 'Remove all rules, those of others too' }, yes: YES_OPTION },
    examples: ['faults remove 01KAHW3F9Q', 'faults remove --all --yes'],
    run: async (args) => (await import('./faults.ts')).removeFault(args),
  },
  'clock show': {
    summary: 'Print the time by which mail expires and codes change',
    besides: 'faults',
    page: 'clock',
    options: { server: WHOLE_SERVER },
    examples: ['clock show'],
    run: async (args) => (await import('./server-clock.ts')).showClock(args),
  },
  'clock set': {
    summary: 'Set that time, shift it as in +2h, or take it back with off',
    besides: 'faults',
    page: 'clock',
    operands: [{ name: 'when', required: true }],
    // A shift back is no option.
    normalize: (typed) => typed.replace(/^-(?=\d)/, 'minus '),
    options: { server: WHOLE_SERVER },
    examples: ['clock set +30d', 'clock set 2027-01-01T09:00:00Z', 'clock set off'],
    run: async (args) => (await import('./server-clock.ts')).setClock(args),
  },
  'keys create': {
    summary: 'Create an API key, and print it once',
    page: 'api#authentication',
    operands: [{ name: 'name', required: true }],
    options: {
      mailboxes: { type: 'list', help: 'Ids or subdomains; default: all' },
      authenticators: { type: 'list', help: 'Ids; default: all' },
      webhooks: {
        type: 'string',
        help: 'all or none: webhooks belong to the workspace, whatever the mailboxes; default: all',
      },
    },
    examples: [
      'keys create ci',
      'keys create ci --mailboxes sign-up --webhooks none',
      '$ export MAILCAP_URL=http://127.0.0.1:8025 MAILCAP_API_KEY=$(mailcap keys create ci --mailboxes sign-up)',
    ],
    run: async (args) => (await import('./api-keys.ts')).createKey(args),
  },
  'keys list': {
    summary: 'List the API keys',
    page: 'api#authentication',
    examples: ['keys list'],
    run: async (args) => (await import('./api-keys.ts')).listKeys(args),
  },
  'keys revoke': {
    summary: 'Revoke an API key',
    page: 'api#authentication',
    operands: [{ name: 'key', required: true }],
    options: { yes: YES_OPTION },
    examples: ['keys revoke ci', 'keys revoke 01KAHW3F9Q --yes'],
    run: async (args) => (await import('./api-keys.ts')).revokeKey(args),
  },
} as const satisfies Commands;

const SIGNING = {
  scheme: { type: 'string', value: '<scheme>', help: 'Signature: stripe, github, …, none, hmac:<header>' },
  secretFile: { type: 'string', value: '<file>', help: 'File that holds the secret' },
  secret: { type: 'string', help: 'Secret; also MAILCAP_WEBHOOK_SECRET' },
} as const;

const HEADER = { type: 'texts', value: '<name: value>', help: 'Header to set; may be repeated' } as const;

export const OUTGOING_COMMANDS = {
  'webhooks send': {
    summary: 'Send a signed event to your app',
    page: 'webhooks#send-events-to-your-app',
    operands: [{ name: 'url', required: true }],
    options: {
      event: { type: 'string', help: 'Sample event, see `webhooks samples`' },
      data: { type: 'string', help: 'Exact body; @file, or @- for stdin' },
      set: { type: 'texts', value: '<path=text>', help: 'Field; or path:=json; may be repeated' },
      ...SIGNING,
      header: HEADER,
      id: { type: 'string', help: 'Message id, if the scheme signs one' },
      retries: { type: 'optional', value: '[number]', help: 'Most retries; default: as the service' },
    },
    notes: ['Pauses follow the clock of the server that runs here, if there is one.'],
    examples: [
      'webhooks send http://127.0.0.1:3000/ --event push --secret-file key',
      'webhooks send http://127.0.0.1:3000/ --scheme none --data @body.json',
    ],
    run: async (args) => (await import('./webhook-send.ts')).sendWebhook(args),
  },
  'webhooks samples': {
    summary: 'List the sample events, or print the body of one',
    page: 'webhooks#send-events-to-your-app',
    operands: [{ name: 'event', required: false }],
    isOffline: true,
    examples: ['webhooks samples', 'webhooks samples checkout.session.completed'],
    run: async (args) => (await import('./webhook-send.ts')).samples(args),
  },
  'webhooks record': {
    summary: 'Write captured requests to a recording file',
    page: 'webhooks#record-and-play',
    operands: [
      { name: 'webhook', required: true },
      { name: 'file', required: false },
    ],
    options: {
      limit: { type: 'count', help: 'Number of the newest requests (100)' },
      force: { type: 'boolean', help: 'Overwrite an existing file' },
    },
    notes: ['Secrets in headers and query parameters are left out.'],
    examples: ['webhooks record payments test/payments.json', 'webhooks record payments | jq .requests[0]'],
    run: async (args) => (await import('./webhook-recording.ts')).recordRequests(args),
  },
  'webhooks play': {
    summary: 'Send the requests of a recording to your app',
    page: 'webhooks#record-and-play',
    operands: [
      { name: 'file', required: true },
      { name: 'url', required: true },
    ],
    isOffline: true,
    options: {
      ...SIGNING,
      header: HEADER,
      pauses: { type: 'boolean', help: 'Keep the pauses of the recording' },
    },
    notes: ['Without a secret the signatures of the recording are sent.'],
    examples: ['webhooks play payments.json http://127.0.0.1:3000/ --secret-file key'],
    run: async (args) => (await import('./webhook-recording.ts')).playRecording(args),
  },
  api: {
    summary: 'Call any operation of the API; without one, list them',
    page: 'cli#every-operation',
    operands: [{ name: 'operation', required: false }],
    notes: [
      'Each operation has options for its parameters and for the fields of its body:',
      'mailcap api <operation> --help. A mailbox, webhook or workspace may be named.',
    ],
    examples: [
      'api',
      'api createMailbox --name "Sign up" --retention-days 3',
      'api addFault --data \'{"stage":"rcpt","action":{"drop":true}}\'',
      'api getRawMessage 01KAHW3F9QZP4X6J8T2M5R7V9C > mail.eml',
    ],
    each: async () => (await import('../api/commands.ts')).apiCommands(),
    run: async (args) => (await import('../api/call.ts')).listOperations(args),
  },
  docs: {
    summary: 'Print or search the documentation of this version',
    operands: [{ name: 'page-or-words', required: false, many: true }],
    isOffline: true,
    options: { open: { type: 'boolean', help: 'Open it in the browser, at the server here' } },
    examples: [
      'docs',
      'docs playwright',
      'docs links#the-kind-of-a-link',
      'docs wait for a code',
      'docs faults --open',
    ],
    run: async (args) => (await import('./docs.ts')).docs(args),
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    besides: 'docs',
    page: 'cli#completion',
    operands: [{ name: 'shell', required: true }],
    isOffline: true,
    examples: [
      '$ mailcap completion bash >> ~/.bashrc',
      '$ mailcap completion zsh > ~/.zfunc/_mailcap',
      '$ mailcap completion fish > ~/.config/fish/completions/mailcap.fish',
    ],
    run: async (args, all) => (await import('../completion.ts')).completion(args, all),
  },
} as const satisfies Commands;
