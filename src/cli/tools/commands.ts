import type { Commands } from '../command.ts';
import { YES_OPTION } from '../yes-option.ts';

const WEBHOOK = [{ name: 'webhook', required: true }] as const;

const ANSWER = {
  status: { flag: 'status', type: 'count', default: null, help: 'It answers with (200)' },
  body: { flag: 'body', type: 'string', default: null, help: 'And this body' },
  contentType: { flag: 'content-type', type: 'string', default: null, help: 'Of this type' },
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
  help: 'The interceptor a number counts in',
} as const;

const REQUEST_NOTES = [
  'An id is whole, or the first letters of one. A number is a place in',
  '`webhooks requests`: 1 is the newest.',
] as const;

export const TOOL_COMMANDS = {
  'webhooks list': {
    group: 'Beside mail',
    summary: 'List the interceptors',
    isClient: true,
    options: {},
    examples: ['webhooks list'],
    run: async (args) => (await import('./webhooks.ts')).listWebhooks(args),
  },
  'webhooks create': {
    group: 'Beside mail',
    summary: 'Create an interceptor, and print its capture URL',
    isClient: true,
    operands: [{ name: 'name', required: false }],
    options: {
      ...ANSWER,
      forward: { flag: 'forward', type: 'string', value: '<url>', default: null, help: 'Hand requests on to it' },
      mode: MODE,
    },
    examples: ['webhooks create payments', 'webhooks create --forward http://127.0.0.1:3000/hook --mode sync'],
    run: async (args) => (await import('./webhooks.ts')).createWebhook(args),
  },
  'webhooks requests': {
    group: 'Beside mail',
    summary: 'List what an interceptor captured',
    isClient: true,
    operands: WEBHOOK,
    options: { limit: { flag: 'limit', type: 'count', default: null, help: 'At most so many (50)' } },
    examples: ['webhooks requests payments', 'webhooks requests payments --json'],
    run: async (args) => (await import('./requests.ts')).listRequests(args),
  },
  'webhooks show': {
    group: 'Beside mail',
    summary: 'Show an interceptor, or a captured request',
    isClient: true,
    operands: [{ name: 'webhook-or-request', required: true }],
    options: { webhook: OF_WEBHOOK },
    notes: REQUEST_NOTES,
    examples: ['webhooks show payments', 'webhooks show 1 --webhook payments', 'webhooks show 01KAHW3F9Q'],
    run: async (args) => (await import('./requests.ts')).show(args),
  },
  'webhooks replay': {
    group: 'Beside mail',
    summary: 'Forward a captured request again',
    isClient: true,
    operands: [{ name: 'request', required: true }],
    options: {
      to: {
        flag: 'to',
        type: 'string',
        value: '<url>',
        default: null,
        help: 'From here to it; else where it forwards to',
      },
      webhook: OF_WEBHOOK,
    },
    notes: REQUEST_NOTES,
    examples: ['webhooks replay 01KAHW3F9Q', 'webhooks replay 1 --to http://127.0.0.1:3000/hook'],
    run: async (args) => (await import('./requests.ts')).replayRequest(args),
  },
  'webhooks update': {
    group: 'Beside mail',
    summary: 'Change what an interceptor is called and answers',
    isClient: true,
    operands: WEBHOOK,
    options: { name: { flag: 'name', type: 'string', default: null, help: 'It is called' }, ...ANSWER },
    examples: ['webhooks update payments --status 500', 'webhooks update payments --status 200 --body ok'],
    run: async (args) => (await import('./webhooks.ts')).updateWebhook(args),
  },
  'webhooks forward': {
    group: 'Beside mail',
    summary: 'Hand its requests on to a URL, or end that',
    isClient: true,
    operands: [...WEBHOOK, { name: 'url-or-off', required: true }],
    options: { mode: MODE },
    examples: ['webhooks forward payments http://127.0.0.1:3000/hook', 'webhooks forward payments off'],
    run: async (args) => (await import('./webhooks.ts')).forwardWebhook(args),
  },
  'webhooks delete': {
    group: 'Beside mail',
    summary: 'Delete an interceptor with what it captured',
    isClient: true,
    operands: WEBHOOK,
    options: { yes: YES_OPTION },
    examples: ['webhooks delete payments', 'webhooks delete payments --yes'],
    run: async (args) => (await import('./webhooks.ts')).deleteWebhook(args),
  },
  'webhooks tail': {
    group: 'Beside mail',
    summary: 'Show requests as they are captured',
    isClient: true,
    operands: WEBHOOK,
    options: {},
    examples: ['webhooks tail payments', 'webhooks tail payments --json | jq .path'],
    run: async (args) => (await import('./tail.ts')).tailWebhook(args),
  },
  'totp add': {
    group: 'Beside mail',
    summary: 'Store an authenticator, and print its id',
    isClient: true,
    operands: [{ name: 'name', required: true }],
    options: {
      secret: { flag: 'secret', type: 'string', value: '<base32>', default: null, help: 'Its secret' },
      uri: { flag: 'uri', type: 'string', value: '<otpauth uri>', default: null, help: 'Or its otpauth:// URI' },
    },
    examples: ['totp add github --secret JBSWY3DPEHPK3PXP', 'totp add bank --uri "otpauth://totp/..."'],
    run: async (args) => (await import('./totp.ts')).addAuthenticator(args),
  },
  'totp list': {
    group: 'Beside mail',
    summary: 'List the authenticators',
    isClient: true,
    options: {},
    examples: ['totp list'],
    run: async (args) => (await import('./totp.ts')).listAuthenticators(args),
  },
  'totp code': {
    group: 'Beside mail',
    summary: 'Print the code an authenticator shows now',
    isClient: true,
    operands: [{ name: 'authenticator', required: true }],
    options: {},
    examples: ['totp code github', 'totp code 01KAHW... --json'],
    run: async (args) => (await import('./totp.ts')).showCode(args),
  },
  'keys create': {
    group: 'Beside mail',
    summary: 'Issue an API key, and print it this once',
    isClient: true,
    operands: [{ name: 'name', required: true }],
    options: {
      mailboxes: { flag: 'mailboxes', type: 'list', default: [], help: 'Ids or subdomains; else all' },
      authenticators: { flag: 'authenticators', type: 'list', default: [], help: 'Ids; else all' },
    },
    examples: ['keys create ci', '$ export MAILCAP_API_KEY=$(mailcap keys create ci --mailboxes sign-up)'],
    run: async (args) => (await import('./api-keys.ts')).createKey(args),
  },
  'keys list': {
    group: 'Beside mail',
    summary: 'List the API keys',
    isClient: true,
    options: {},
    examples: ['keys list'],
    run: async (args) => (await import('./api-keys.ts')).listKeys(args),
  },
  'keys revoke': {
    group: 'Beside mail',
    summary: 'Revoke an API key',
    isClient: true,
    operands: [{ name: 'key', required: true }],
    options: { yes: YES_OPTION },
    examples: ['keys revoke ci', 'keys revoke 01KAHW3F9Q --yes'],
    run: async (args) => (await import('./api-keys.ts')).revokeKey(args),
  },
} as const satisfies Commands;
