import type { AutoRelay, MailWebhook, RelayRules } from '../domain/auto-relay.ts';
import type { RecipientRules } from '../domain/routing.ts';
import type { TagSettings } from '../domain/tag-settings.ts';
import type { Plans } from '../domain/workspace.ts';
import type { Environment } from './s3-place.ts';

/** The mail catchers whose APIs the server can serve too, for tests that were written for them. */
export const COMPAT_NAMES = [
  'mailpit',
  'mailhog',
  'maildev',
  'mailcatcher',
  'inbucket',
  'mailslurper',
  'smtp4dev',
] as const;
export type CompatName = (typeof COMPAT_NAMES)[number];

// The table of all options. Flags, MAILCAP_* variables, config keys and the help text derive from it.
// A flag wins over a variable, a variable over the file, the file over the default
// (docs/options.md).

/**
 * An option of the server. The flag `--smtp-port`, the variable `MAILCAP_SMTP_PORT` and the config key `smtpPort` name
 * the same option.
 */
export interface Option {
  readonly type:
    | 'string'
    | 'port'
    | 'boolean'
    | 'bytes'
    | 'space'
    | 'count'
    | 'list'
    | { readonly oneOf: readonly string[] };
  /** Without it, the option is null by default. */
  readonly default?: string | number | boolean | readonly string[] | null;
  /** The text on the help page. An option without it shares the line of the option that names it as `pair`. */
  readonly help?: string;
  /** The name of the option that shares this option's line on the help page. */
  readonly pair?: string;
}

export const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1', help: 'Address to listen on; SMTP may have its own', pair: 'smtpHost' },
  smtpHost: { type: 'string' },
  port: { type: 'port', default: 8025, help: 'HTTP port and SMTP port; 0 takes any free port', pair: 'smtpPort' },
  smtpPort: { type: 'port', default: 1025 },
  smtpsPort: { type: 'port', help: 'Port for SMTP with TLS from the first byte' },
  pop3Port: { type: 'port', help: 'Ports for POP3, plain and TLS; default: none', pair: 'pop3sPort' },
  pop3sPort: { type: 'port' },
  imapPort: { type: 'port', help: 'Ports for IMAP, plain and TLS; default: none', pair: 'imapsPort' },
  imapsPort: { type: 'port' },
  dataDir: { type: 'string', default: '.mailcap', help: 'Directory that stores the state' },
  ephemeral: { type: 'boolean', default: false, help: 'Store nothing that outlives the process' },
  mailDomain: { type: 'string', default: 'mailcap.example.com', help: 'Domain of the mailbox addresses' },
  plan: { type: { oneOf: ['free', 'business'] }, default: 'business', help: 'Plan of the seeded workspace' },
  limits: { type: { oneOf: ['cloud', 'off'] }, default: 'cloud', help: 'off: no rate limits, no daily caps' },
  apiKey: { type: 'string', help: 'Development key, svc_live_...; default: a new one' },
  store: { type: 'string', help: 'Store: memory:, file:<dir> or postgres://...' },
  storeFile: { type: 'string', help: 'File with the --store URL; connection pool size', pair: 'storePool' },
  storePool: { type: 'count', default: 10 },
  storeBlobs: { type: 'string', help: 's3://bucket for bodies, with a PostgreSQL store' },
  publicUrl: { type: 'string', help: 'URL and SMTP host:port of a load balancer in front', pair: 'publicSmtp' },
  publicSmtp: { type: 'string' },
  drain: { type: 'count', default: 0, help: 'Seconds to go on serving after a stop signal' },
  relay: { type: 'string', help: 'SMTP URL of a relay; host:port of a virus scanner', pair: 'clamd' },
  clamd: { type: 'string' },
  spamd: { type: 'string', help: 'host:port of a SpamAssassin daemon, for checks' },
  catchAll: { type: { oneOf: ['on', 'off'] }, default: 'on', help: 'on: the inbox takes mail of no other mailbox' },
  logLevel: {
    type: { oneOf: ['silent', 'error', 'warn', 'info', 'debug'] },
    default: 'warn',
    help: 'silent, error, warn, info, debug',
  },
  json: { type: 'boolean', default: false, help: 'Print JSON lines; open the web inbox', pair: 'open' },
  open: { type: 'boolean', default: false },
  durability: { type: { oneOf: ['fsync', 'os'] }, default: 'fsync', help: '250 survives a power cut, or only a kill' },
  smtpAuth: {
    type: { oneOf: ['any', 'strict'] },
    default: 'any',
    help: 'strict: clients must sign in with an API key',
  },
  smtpSize: { type: 'bytes', default: 25 * 1024 * 1024, help: 'Largest accepted message, in bytes' },
  maxMessages: { type: 'count', help: 'Messages that a mailbox keeps, and for how long', pair: 'maxAge' },
  maxAge: { type: 'string' },
  captureQuota: {
    type: 'space',
    default: 256 * 1024 * 1024,
    help: 'Bytes of captures kept: per webhook; in all',
    pair: 'captureTotal',
  },
  captureTotal: { type: 'space', default: 512 * 1024 * 1024 },
  starttls: { type: { oneOf: ['auto', 'on', 'off'] }, default: 'auto', help: 'auto: advertised only with --tls-cert' },
  tlsCert: { type: 'string', help: 'PEM files for TLS; default: self-signed', pair: 'tlsKey' },
  tlsKey: { type: 'string' },
  smtpTls: {
    type: { oneOf: ['optional', 'required', 'implicit'] },
    default: 'optional',
    help: 'required: STARTTLS first; names of the certificate',
    pair: 'tlsNames',
  },
  tlsNames: { type: 'list', default: [] },
  https: { type: { oneOf: ['on', 'off'] }, default: 'off', help: 'on: HTTPS in place of HTTP, with the certificate' },
  allowedOrigins: { type: 'list', default: [], help: "Sites whose pages may use other catchers' APIs" },
  allowedHosts: { type: 'list', default: [], help: 'More Host names that the local API accepts' },
  adminToken: { type: 'string', help: 'Token of the local API off loopback; default: new' },
  auth: { type: { oneOf: ['on', 'off'] }, default: 'on', help: 'off: no token off loopback, for closed networks' },
  webroot: { type: 'string', help: 'Path below which the server also answers' },
  compat: { type: 'list', default: COMPAT_NAMES, help: 'APIs of other mail catchers to serve; or off' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

type ValueOf<Type extends Option['type']> = Type extends { readonly oneOf: readonly (infer Choice)[] }
  ? Choice
  : Type extends 'port' | 'bytes' | 'space' | 'count'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'list'
        ? readonly string[]
        : string;

/** The values of all options, with the type that the table gives each one. */
export type OptionValues = {
  readonly [Name in keyof typeof OPTIONS]:
    | ValueOf<(typeof OPTIONS)[Name]['type']>
    | ((typeof OPTIONS)[Name] extends { readonly default: unknown } ? never : null);
};

/** Converts the name of an option to its flag: `retentionDays` to `retention-days`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

/** The resolved configuration: the options of the table, and the keys that only a config file can set. */
export interface Config extends Omit<OptionValues, 'store' | 'publicSmtp' | 'clamd' | 'spamd' | 'compat'> {
  /** Tells whether a flag, a variable or a program named the directory. A config file may come with a cloned repository. */
  readonly namesDataDir: boolean;
  readonly store:
    | { readonly kind: 'memory' }
    | { readonly kind: 'file'; readonly directory: string }
    /** The URL may hold a password, so it is never shown. */
    | { readonly kind: 'postgres'; readonly url: string };
  /** The AWS_* variables with the credentials of the bucket of `storeBlobs`. They are never shown. */
  readonly aws: Environment;
  /** The SMTP address under which clients reach the servers. Null means this server's own. */
  readonly publicSmtp: { readonly host: string; readonly port: number } | null;
  /** The address of the clamd daemon that scans attachments. Null means no scans. */
  readonly clamd: { readonly host: string; readonly port: number } | null;
  /** The address of the SpamAssassin daemon that scores a mail when it is checked. Null means no scores. */
  readonly spamd: { readonly host: string; readonly port: number } | null;
  /** `maxAge` in milliseconds. */
  readonly maxAgeMs: number | null;
  /** The users who may send by SMTP, as lines of an htpasswd file. Null restricts nobody. */
  readonly smtpUsers: readonly string[] | null;
  /** The users who may use the local API, the other catchers' and the inbox, by a password. Null restricts nobody. */
  readonly httpUsers: readonly string[] | null;
  /** The users who may send by the API of Mailpit, if these are others than `httpUsers`. An empty list means everybody. */
  readonly sendUsers: readonly string[] | null;
  /** The users who may read by POP3 and IMAP, and get the inbox. Null means that mailboxes and keys decide. */
  readonly readerUsers: readonly string[] | null;
  /** The rules that tell which recipients SMTP takes, of those that a mailbox takes. */
  readonly recipients: RecipientRules;
  /** The rules by which new mail gets its tags. Null means that it gets none. */
  readonly tagging: TagSettings | null;
  /** The rules by which mail that comes leaves again by itself. */
  readonly autoRelay: readonly AutoRelay[];
  /** The rules that a released mail must obey. */
  readonly release: RelayRules;
  /** The URL that gets each new mail. Null means none. */
  readonly mailWebhook: MailWebhook | null;
  /** The fault rules from the start on. */
  readonly faults: readonly unknown[];
  /** The name that Mailpit's API tells. */
  readonly label: string;
  /** The catcher in whose place the server stands, with its variables and flags. Null means none. */
  readonly dropIn: 'mailpit' | 'maildev' | null;
  /** The sentences that the start has to tell about settings of another catcher. */
  readonly notes: readonly string[];
  /** The mail catchers whose APIs the server also serves. */
  readonly compat: readonly CompatName[];
  /** The limits of each plan. Those in a config file's `plans` replace the defaults. */
  readonly plans: Plans;
  /** The domains that every workspace may send from. */
  readonly identities: readonly string[];
  /** The allowlist of a new mailbox. */
  readonly allowlist: readonly string[];
  /** The addresses that the config file lets every mailbox send to, beside the mailbox's own allowlist. */
  readonly allowedForAll: readonly string[];
  /** Tells whether a new mailbox may send, provided that its plan allows it. */
  readonly outboundEnabled: boolean;
  /** The TXT records that replace DNS for SPF checks. Null means that SPF uses DNS. */
  readonly spf: { readonly zone: Readonly<Record<string, readonly string[]>> } | null;
  /** The options that were set explicitly, without those left at their default. */
  readonly given: ReadonlySet<OptionName>;
}
