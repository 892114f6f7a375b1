import { type Commands, YES_OPTION } from '../command.ts';

const WEBHOOK = [{ name: 'webhook', required: true }] as const;

const ANSWER = {
  status: { flag: 'status', type: 'count', default: null, help: "Status of a webhook's answers (200)" },
  body: { flag: 'body', type: 'string', default: null, help: "Body of a webhook's answers" },
  contentType: { flag: 'content-type', type: 'string', default: null, help: "Content type of a webhook's answers" },
} as const;

const MODE = {
  flag: 'mode',
  type: { oneOf: ['async', 'sync'] },
  default: null,
  help: 'sync: forward before answering (async)',
} as const;

const OF_WEBHOOK = {
  flag: 'webhook',
  type: 'string',
  value: '<webhook>',
  default: null,
  help: 'The webhook that a number refers to',
} as const;

const REQUEST_NOTES = [
  'Give an id, the first letters of an id, or a position in',
  '`webhooks requests`: 1 is the newest.',
] as const;

export const TOOL_COMMANDS = {
  'webhooks list': {
    group: 'Other',
    summary: 'List the webhooks',
    page: 'webhooks',
    isClient: true,
    options: {},
    examples: ['webhooks list'],
    run: async (args) => (await import('./webhooks.ts')).listWebhooks(args),
  },
  'webhooks create': {
    group: 'Other',
    summary: 'Create a webhook, and print its URL',
    page: 'webhooks',
    isClient: true,
    operands: [{ name: 'name', required: false }],
    options: {
      ...ANSWER,
      forward: { flag: 'forward', type: 'string', value: '<url>', default: null, help: 'Forward requests to this URL' },
      mode: MODE,
    },
    examples: ['webhooks create payments', 'webhooks create --forward http://127.0.0.1:3000/hook --mode sync'],
    run: async (args) => (await import('./webhooks.ts')).createWebhook(args),
  },
  'webhooks requests': {
    group: 'Other',
    summary: 'List the captured requests of a webhook',
    page: 'webhooks',
    isClient: true,
    operands: WEBHOOK,
    options: { limit: { flag: 'limit', type: 'count', default: null, help: 'Most requests to list (50)' } },
    examples: ['webhooks requests payments', 'webhooks requests payments --json'],
    run: async (args) => (await import('./requests.ts')).listRequests(args),
  },
  'webhooks show': {
    group: 'Other',
    summary: 'Show a webhook, or a captured request',
    page: 'webhooks',
    isClient: true,
    operands: [{ name: 'webhook-or-request', required: true }],
    options: { webhook: OF_WEBHOOK },
    notes: REQUEST_NOTES,
    examples: ['webhooks show payments', 'webhooks show 1 --webhook payments', 'webhooks show 01KAHW3F9Q'],
    run: async (args) => (await import('./requests.ts')).show(args),
  },
  'webhooks replay': {
    group: 'Other',
    summary: 'Forward a captured request again',
    page: 'webhooks',
    isClient: true,
    operands: [{ name: 'request', required: true }],
    options: {
      to: {
        flag: 'to',
        type: 'string',
        value: '<url>',
        default: null,
        help: 'Send it from here; default: its forward URL',
      },
      webhook: OF_WEBHOOK,
    },
    notes: REQUEST_NOTES,
    examples: ['webhooks replay 01KAHW3F9Q', 'webhooks replay 1 --to http://127.0.0.1:3000/hook'],
    run: async (args) => (await import('./requests.ts')).replayRequest(args),
  },
  'webhooks update': {
    group: 'Other',
    summary: 'Change the name or the answers of a webhook',
    page: 'webhooks',
    isClient: true,
    operands: WEBHOOK,
    options: { name: { flag: 'name', type: 'string', default: null, help: 'New name' }, ...ANSWER },
    examples: ['webhooks update payments --status 500', 'webhooks update payments --status 200 --body ok'],
    run: async (args) => (await import('./webhooks.ts')).updateWebhook(args),
  },
  'webhooks forward': {
    group: 'Other',
    summary: 'Forward its requests to a URL, or stop with off',
    page: 'webhooks#forwarding',
    isClient: true,
    operands: [...WEBHOOK, { name: 'url-or-off', required: true }],
    options: { mode: MODE },
    examples: ['webhooks forward payments http://127.0.0.1:3000/hook', 'webhooks forward payments off'],
    run: async (args) => (await import('./webhooks.ts')).forwardWebhook(args),
  },
  'webhooks delete': {
    group: 'Other',
    summary: 'Delete a webhook with its captured requests',
    page: 'webhooks',
    isClient: true,
    operands: WEBHOOK,
    options: { yes: YES_OPTION },
    examples: ['webhooks delete payments', 'webhooks delete payments --yes'],
    run: async (args) => (await import('./webhooks.ts')).deleteWebhook(args),
  },
  'webhooks tail': {
    group: 'Other',
    summary: 'Show requests as they are captured',
    page: 'webhooks',
    isClient: true,
    operands: WEBHOOK,
    options: {},
    examples: ['webhooks tail payments', 'webhooks tail payments --json | jq .path'],
    run: async (args) => (await import('./tail.ts')).tailWebhook(args),
  },
  'totp add': {
    group: 'Other',
    summary: 'Store an authenticator, and print its id',
    page: 'client#webhooks-and-authenticators',
    isClient: true,
    operands: [{ name: 'name', required: true }],
    options: {
      secret: { flag: 'secret', type: 'string', value: '<base32>', default: null, help: 'Secret in base32' },
      uri: { flag: 'uri', type: 'string', value: '<otpauth uri>', default: null, help: 'Or its otpauth:// URI' },
    },
    examples: ['totp add github --secret JBSWY3DPEHPK3PXP', 'totp add bank --uri "otpauth://totp/..."'],
    run: async (args) => (await import('./totp.ts')).addAuthenticator(args),
  },
  'totp list': {
    group: 'Other',
    summary: 'List the authenticators',
    page: 'client#webhooks-and-authenticators',
    isClient: true,
    options: {},
    examples: ['totp list'],
    run: async (args) => (await import('./totp.ts')).listAuthenticators(args),
  },
  'totp code': {
    group: 'Other',
    summary: 'Print the current code of an authenticator',
    page: 'client#webhooks-and-authenticators',
    isClient: true,
    operands: [{ name: 'authenticator', required: true }],
    options: {},
    examples: ['totp code github', 'totp code 01KAHW... --json'],
    run: async (args) => (await import('./totp.ts')).showCode(args),
  },
  'keys create': {
    group: 'Other',
    summary: 'Create an API key, and print it once',
    page: 'api#authentication',
    isClient: true,
    operands: [{ name: 'name', required: true }],
    options: {
      mailboxes: { flag: 'mailboxes', type: 'list', default: [], help: 'Ids or subdomains; default: all' },
      authenticators: { flag: 'authenticators', type: 'list', default: [], help: 'Ids; default: all' },
      webhooks: {
        flag: 'webhooks',
        type: 'string',
        default: null,
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
    group: 'Other',
    summary: 'List the API keys',
    page: 'api#authentication',
    isClient: true,
    options: {},
    examples: ['keys list'],
    run: async (args) => (await import('./api-keys.ts')).listKeys(args),
  },
  'keys revoke': {
    group: 'Other',
    summary: 'Revoke an API key',
    page: 'api#authentication',
    isClient: true,
    operands: [{ name: 'key', required: true }],
    options: { yes: YES_OPTION },
    examples: ['keys revoke ci', 'keys revoke 01KAHW3F9Q --yes'],
    run: async (args) => (await import('./api-keys.ts')).revokeKey(args),
  },
} as const satisfies Commands;

const SIGNING = {
  scheme: {
    flag: 'scheme',
    type: 'string',
    value: '<scheme>',
    default: null,
    help: 'Signature: stripe, github, …, none, hmac:<header>',
  },
  secretFile: {
    flag: 'secret-file',
    type: 'string',
    value: '<file>',
    default: null,
    help: 'File that holds the secret',
  },
  secret: { flag: 'secret', type: 'string', default: null, help: 'Secret; also MAILCAP_WEBHOOK_SECRET' },
} as const;

const HEADER = {
  flag: 'header',
  type: 'texts',
  value: '<name: value>',
  default: null,
  help: 'Header to set; may be repeated',
} as const;

export const OUTGOING_COMMANDS = {
  'webhooks send': {
    group: 'Other',
    summary: 'Send a signed event to your app',
    page: 'webhooks#send-events-to-your-app',
    isClient: true,
    operands: [{ name: 'url', required: true }],
    options: {
      event: { flag: 'event', type: 'string', default: null, help: 'Sample event, see `webhooks samples`' },
      data: { flag: 'data', type: 'string', default: null, help: 'Exact body; @file, or @- for stdin' },
      set: {
        flag: 'set',
        type: 'texts',
        value: '<path=text>',
        default: null,
        help: 'Field; or path:=json; may be repeated',
      },
      ...SIGNING,
      header: HEADER,
      id: { flag: 'id', type: 'string', default: null, help: 'Message id, if the scheme signs one' },
      retries: {
        flag: 'retries',
        type: 'optional',
        value: '[number]',
        default: null,
        help: 'Most retries; default: as the service',
      },
    },
    notes: ['Pauses follow the clock of the server that runs here, if there is one.'],
    examples: [
      'webhooks send http://127.0.0.1:3000/ --event push --secret-file key',
      'webhooks send http://127.0.0.1:3000/ --scheme none --data @body.json',
    ],
    run: async (args) => (await import('./webhook-send.ts')).sendWebhook(args),
  },
  'webhooks samples': {
    group: 'Other',
    summary: 'List the sample events, or print the body of one',
    page: 'webhooks#send-events-to-your-app',
    operands: [{ name: 'event', required: false }],
    options: {},
    examples: ['webhooks samples', 'webhooks samples checkout.session.completed'],
    run: async (args) => (await import('./webhook-send.ts')).samples(args),
  },
  'webhooks record': {
    group: 'Other',
    summary: 'Write captured requests to a recording file',
    page: 'webhooks#record-and-play',
    isClient: true,
    operands: [
      { name: 'webhook', required: true },
      { name: 'file', required: false },
    ],
    options: {
      limit: { flag: 'limit', type: 'count', default: null, help: 'Number of the newest requests (100)' },
      force: { flag: 'force', type: 'boolean', default: false, help: 'Overwrite an existing file' },
    },
    notes: ['Secrets in headers and query parameters are left out.'],
    examples: ['webhooks record payments test/payments.json', 'webhooks record payments | jq .requests[0]'],
    run: async (args) => (await import('./webhook-recording.ts')).recordRequests(args),
  },
  'webhooks play': {
    group: 'Other',
    summary: 'Send the requests of a recording to your app',
    page: 'webhooks#record-and-play',
    operands: [
      { name: 'file', required: true },
      { name: 'url', required: true },
    ],
    options: {
      ...SIGNING,
      header: HEADER,
      pauses: { flag: 'pauses', type: 'boolean', default: false, help: 'Keep the pauses of the recording' },
    },
    notes: ['Without a secret the signatures of the recording are sent.'],
    examples: ['webhooks play payments.json http://127.0.0.1:3000/ --secret-file key'],
    run: async (args) => (await import('./webhook-recording.ts')).playRecording(args),
  },
  docs: {
    group: 'Other',
    summary: 'Print or search the documentation of this version',
    operands: [{ name: 'page-or-words', required: false, many: true }],
    options: {
      open: { flag: 'open', type: 'boolean', default: false, help: 'Open it in the browser, at the server here' },
    },
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
    group: 'Other',
    summary: 'Print a completion script for bash, zsh or fish',
    operands: [{ name: 'shell', required: true }],
    options: {},
    examples: [
      '$ mailcap completion bash >> ~/.bashrc',
      '$ mailcap completion zsh > ~/.zfunc/_mailcap',
      '$ mailcap completion fish > ~/.config/fish/completions/mailcap.fish',
    ],
    run: async (args, all) => (await import('../completion.ts')).completion(args, all),
  },
} as const satisfies Commands;
