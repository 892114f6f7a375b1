import type { Commands } from '../command.ts';

const SIGNING = {
  scheme: {
    flag: 'scheme',
    type: 'string',
    value: '<scheme>',
    default: null,
    help: 'stripe, github, …, none, hmac:<header>',
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
    summary: 'Send a signed webhook to your app',
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
    operands: [{ name: 'event', required: false }],
    options: {},
    examples: ['webhooks samples', 'webhooks samples checkout.session.completed'],
    run: async (args) => (await import('./webhook-send.ts')).samples(args),
  },
  'webhooks record': {
    group: 'Other',
    summary: 'Write captured requests to a recording file',
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
} as const satisfies Commands;
