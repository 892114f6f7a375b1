import type { AutoRelay, MailWebhook, RelayRules } from '../domain/auto-relay.ts';
import type { RecipientRules } from '../domain/routing.ts';
import type { TagSettings } from '../domain/tag-settings.ts';
import type { Limits, PlanName, Plans } from '../domain/workspace.ts';
import type { LogLevel } from '../ports/system.ts';
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
  readonly flag: string;
  readonly type:
    | 'string'
    | 'port'
    | 'boolean'
    | 'bytes'
    | 'space'
    | 'count'
    | 'list'
    | { readonly oneOf: readonly string[] };
  readonly default: string | number | boolean | readonly string[] | null;
  /** The text on the help page. An option without it shares the line of the option that names it as `pair`. */
  readonly help?: string;
  /** The flag that shares this option's line on the help page. */
  readonly pair?: string;
}

export const OPTIONS = {
  host: {
    flag: 'host',
    type: 'string',
    default: '127.0.0.1',
    help: 'Address to listen on; SMTP may have its own',
    pair: 'smtp-host',
  },
  smtpHost: { flag: 'smtp-host', type: 'string', default: null },
  port: {
    flag: 'port',
    type: 'port',
    default: 8025,
    help: 'HTTP port and SMTP port; 0 takes any free port',
    pair: 'smtp-port',
  },
  smtpPort: { flag: 'smtp-port', type: 'port', default: 1025 },
  smtpsPort: { flag: 'smtps-port', type: 'port', default: null, help: 'Port for SMTP with TLS from the first byte' },
  pop3Port: {
    flag: 'pop3-port',
    type: 'port',
    default: null,
    help: 'Ports for POP3, plain and TLS; default: none',
    pair: 'pop3s-port',
  },
  pop3sPort: { flag: 'pop3s-port', type: 'port', default: null },
  imapPort: {
    flag: 'imap-port',
    type: 'port',
    default: null,
    help: 'Ports for IMAP, plain and TLS; default: none',
    pair: 'imaps-port',
  },
  imapsPort: { flag: 'imaps-port', type: 'port', default: null },
  dataDir: { flag: 'data-dir', type: 'string', default: '.mailcap', help: 'Directory that stores the state' },
  ephemeral: { flag: 'ephemeral', type: 'boolean', default: false, help: 'Store nothing that outlives the process' },
  mailDomain: {
    flag: 'mail-domain',
    type: 'string',
    default: 'mailcap.example.com',
    help: 'Domain of the mailbox addresses',
  },
  plan: {
    flag: 'plan',
    type: { oneOf: ['free', 'business'] },
    default: 'business',
    help: 'Plan of the seeded workspace',
  },
  limits: {
    flag: 'limits',
    type: { oneOf: ['cloud', 'off'] },
    default: 'cloud',
    help: 'off: no rate limits, no daily caps',
  },
  apiKey: { flag: 'api-key', type: 'string', default: null, help: 'Development key, svc_live_...; default: a new one' },
  store: { flag: 'store', type: 'string', default: null, help: 'Store: memory:, file:<dir> or postgres://...' },
  storeFile: {
    flag: 'store-file',
    type: 'string',
    default: null,
    help: 'File with the --store URL; connection pool size',
    pair: 'store-pool',
  },
  storePool: { flag: 'store-pool', type: 'count', default: 10 },
  storeBlobs: {
    flag: 'store-blobs',
    type: 'string',
    default: null,
    help: 's3://bucket for bodies, with a PostgreSQL store',
  },
  publicUrl: {
    flag: 'public-url',
    type: 'string',
    default: null,
    help: 'URL and SMTP host:port of a load balancer in front',
    pair: 'public-smtp',
  },
  publicSmtp: { flag: 'public-smtp', type: 'string', default: null },
  drain: { flag: 'drain', type: 'count', default: 0, help: 'Seconds to go on serving after a stop signal' },
  relay: {
    flag: 'relay',
    type: 'string',
    default: null,
    help: 'SMTP URL of a relay; host:port of a virus scanner',
    pair: 'clamd',
  },
  clamd: { flag: 'clamd', type: 'string', default: null },
  spamd: { flag: 'spamd', type: 'string', default: null, help: 'host:port of a SpamAssassin daemon, for checks' },
  catchAll: {
    flag: 'catch-all',
    type: { oneOf: ['on', 'off'] },
    default: 'on',
    help: 'on: the inbox takes mail of no other mailbox',
  },
  logLevel: {
    flag: 'log-level',
    type: { oneOf: ['silent', 'error', 'warn', 'info', 'debug'] },
    default: 'warn',
    help: 'silent, error, warn, info, debug',
  },
  json: { flag: 'json', type: 'boolean', default: false, help: 'Print JSON lines; open the web inbox', pair: 'open' },
  open: { flag: 'open', type: 'boolean', default: false },
  durability: {
    flag: 'durability',
    type: { oneOf: ['fsync', 'os'] },
    default: 'fsync',
    help: '250 survives a power cut, or only a kill',
  },
  smtpAuth: {
    flag: 'smtp-auth',
    type: { oneOf: ['any', 'strict'] },
    default: 'any',
    help: 'strict: clients must sign in with an API key',
  },
  smtpSize: { flag: 'smtp-size', type: 'bytes', default: 25 * 1024 * 1024, help: 'Largest accepted message, in bytes' },
  maxMessages: {
    flag: 'max-messages',
    type: 'count',
    default: null,
    help: 'Messages that a mailbox keeps, and for how long',
    pair: 'max-age',
  },
  maxAge: { flag: 'max-age', type: 'string', default: null },
  captureQuota: {
    flag: 'capture-quota',
    type: 'space',
    default: 256 * 1024 * 1024,
    help: 'Bytes of captures kept: per webhook; in all',
    pair: 'capture-total',
  },
  captureTotal: { flag: 'capture-total', type: 'space', default: 512 * 1024 * 1024 },
  starttls: {
    flag: 'starttls',
    type: { oneOf: ['auto', 'on', 'off'] },
    default: 'auto',
    help: 'auto: advertised only with --tls-cert',
  },
  tlsCert: {
    flag: 'tls-cert',
    type: 'string',
    default: null,
    help: 'PEM files for TLS; default: self-signed',
    pair: 'tls-key',
  },
  tlsKey: { flag: 'tls-key', type: 'string', default: null },
  smtpTls: {
    flag: 'smtp-tls',
    type: { oneOf: ['optional', 'required', 'implicit'] },
    default: 'optional',
    help: 'required: STARTTLS first; names of the certificate',
    pair: 'tls-names',
  },
  tlsNames: { flag: 'tls-names', type: 'list', default: [] },
  https: {
    flag: 'https',
    type: { oneOf: ['on', 'off'] },
    default: 'off',
    help: 'on: HTTPS in place of HTTP, with the certificate',
  },
  allowedOrigins: {
    flag: 'allowed-origins',
    type: 'list',
    default: [],
    help: "Sites whose pages may use other catchers' APIs",
  },
  allowedHosts: {
    flag: 'allowed-hosts',
    type: 'list',
    default: [],
    help: 'More Host names that the local API accepts',
  },
  adminToken: {
    flag: 'admin-token',
    type: 'string',
    default: null,
    help: 'Token of the local API off loopback; default: new',
  },
  auth: {
    flag: 'auth',
    type: { oneOf: ['on', 'off'] },
    default: 'on',
    help: 'off: no token off loopback, for closed networks',
  },
  webroot: { flag: 'webroot', type: 'string', default: null, help: 'Path below which the server also answers' },
  compat: { flag: 'compat', type: 'list', default: COMPAT_NAMES, help: 'APIs of other mail catchers to serve; or off' },
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
  readonly [Name in OptionName]:
    | ValueOf<(typeof OPTIONS)[Name]['type']>
    | ((typeof OPTIONS)[Name]['default'] extends null ? null : never);
};

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

/** The resolved configuration: the options of the table, and the keys that only a config file can set. */
export interface Config {
  readonly host: string;
  /** The address that SMTP listens on. Null means the same as `host`. */
  readonly smtpHost: string | null;
  readonly port: number;
  readonly smtpPort: number;
  /** The port for SMTP with TLS from the first byte. Null means that there is no such port. */
  readonly smtpsPort: number | null;
  /** The ports for POP3: in plain text, and with TLS from the first byte. Null means that there is no such port. */
  readonly pop3Port: number | null;
  readonly pop3sPort: number | null;
  /** The ports for IMAP, alike. */
  readonly imapPort: number | null;
  readonly imapsPort: number | null;
  /** An absolute path. */
  readonly dataDir: string;
  /** Tells whether a flag, a variable or a program named the directory. A config file may come with a cloned repository. */
  readonly namesDataDir: boolean;
  readonly ephemeral: boolean;
  readonly mailDomain: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly apiKey: string | null;
  readonly store:
    | { readonly kind: 'memory' }
    | { readonly kind: 'file'; readonly directory: string }
    /** The URL may hold a password, so it is never shown. */
    | { readonly kind: 'postgres'; readonly url: string };
  /** The path of the file that holds the store's URL. Null if none was named. */
  readonly storeFile: string | null;
  /** The most connections to the database. */
  readonly storePool: number;
  /** The URL of the S3 bucket that holds the bodies. Null means that the database holds them. */
  readonly storeBlobs: string | null;
  /** The AWS_* variables with the credentials of that bucket. They are never shown. */
  readonly aws: Environment;
  /** The URL under which clients reach the servers, without a slash at the end. Null means this server's own. */
  readonly publicUrl: string | null;
  /** The SMTP address under which clients reach the servers. Null means this server's own. */
  readonly publicSmtp: { readonly host: string; readonly port: number } | null;
  /** The seconds for which the listeners stay open after a stop begins. The health check reports the stop at once. */
  readonly drain: number;
  readonly relay: string | null;
  /** The address of the clamd daemon that scans attachments. Null means no scans. */
  readonly clamd: { readonly host: string; readonly port: number } | null;
  /** The address of the SpamAssassin daemon that scores a mail when it is checked. Null means no scores. */
  readonly spamd: { readonly host: string; readonly port: number } | null;
  readonly catchAll: 'on' | 'off';
  readonly logLevel: LogLevel;
  readonly json: boolean;
  readonly open: boolean;
  readonly durability: 'fsync' | 'os';
  readonly smtpAuth: 'any' | 'strict';
  readonly smtpSize: number;
  /** The most messages of a mailbox. The sweep removes the oldest ones over it. Null means no limit. */
  readonly maxMessages: number | null;
  /** The time after which the sweep removes a message, as `7d`. Null means that only the retention counts. */
  readonly maxAge: string | null;
  /** The same in milliseconds. */
  readonly maxAgeMs: number | null;
  /** The most bytes that the captured requests of a webhook may count. Over it, the oldest ones are removed. */
  readonly captureQuota: number;
  /** The most bytes that all captured requests may count. Over it, the webhook that holds the most loses its oldest. */
  readonly captureTotal: number;
  readonly starttls: 'auto' | 'on' | 'off';
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Whether a client must use TLS for mail: not at all, by STARTTLS, or from the first byte. */
  readonly smtpTls: 'optional' | 'required' | 'implicit';
  /** Further names in the self-signed certificate. */
  readonly tlsNames: readonly string[];
  /** Whether the HTTP listener speaks HTTPS, with the certificate of SMTP. */
  readonly https: 'on' | 'off';
  /** The hosts, with their ports, of the pages that may use the APIs of other catchers; `*` means all pages. */
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Whether the local API off loopback asks for the admin token. */
  readonly auth: 'on' | 'off';
  /** The path below which the server answers too, as `/mail`. Null means none. */
  readonly webroot: string | null;
  /** Who may sign in, as lines of an htpasswd file. Null means that this is not restricted so. */
  readonly smtpUsers: readonly string[] | null;
  /** Who may use the local API, the other catchers' and the inbox, by a password. Null means that this is not restricted so. */
  readonly httpUsers: readonly string[] | null;
  /** Who may send by the API of Mailpit, if these are others than `httpUsers`. An empty list means everybody. */
  readonly sendUsers: readonly string[] | null;
  /** Who may read by POP3 and IMAP, and gets the inbox. Null means that mailboxes and keys decide. */
  readonly readerUsers: readonly string[] | null;
  /** Which recipients SMTP takes, beside those that no mailbox takes. */
  readonly recipients: RecipientRules;
  /** How new mail gets its tags. Null means that it gets none. */
  readonly tagging: TagSettings | null;
  /** By which rules mail that comes leaves again by itself. */
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
  /** What the start has to tell about settings of another catcher, a sentence each. */
  readonly notes: readonly string[];
  readonly adminToken: string | null;
  /** The mail catchers whose APIs the server also serves. */
  readonly compat: readonly CompatName[];
  /** The limits of each plan. Those in a config file's `plans` replace the defaults. */
  readonly plans: Plans;
  /** The domains that every workspace may send from. */
  readonly identities: readonly string[];
  /** The allowlist of a new mailbox. */
  readonly allowlist: readonly string[];
  /** What the config file allows every mailbox to send to, beside the mailbox's own allowlist. */
  readonly allowedForAll: readonly string[];
  /** Tells whether a new mailbox may send, provided that its plan allows it. */
  readonly outboundEnabled: boolean;
  /** The TXT records that replace DNS for SPF checks. Null means that SPF uses DNS. */
  readonly spf: { readonly zone: Readonly<Record<string, readonly string[]>> } | null;
  /** The options that were set explicitly, without those left at their default. */
  readonly given: ReadonlySet<OptionName>;
}
