import type { PlanName, Plans } from '../domain/plan.ts';
import type { Limits } from '../domain/workspace.ts';
import type { LogLevel } from '../ports/log.ts';
import { COMPAT_NAMES, type CompatName } from './compat.ts';
import type { Environment } from './s3-place.ts';

// The table of all options. Flags, MAILCAP_* variables, config keys and the help text derive from it.
// A flag wins over a variable, a variable over the file, the file over the default
// (docs/contract.md#starting-a-server).

/**
 * An option of the server. The flag `--smtp-port`, the variable `MAILCAP_SMTP_PORT` and the config key `smtpPort` name
 * the same option.
 */
export interface Option {
  readonly flag: string;
  readonly type: 'string' | 'port' | 'boolean' | 'bytes' | 'count' | 'list' | { readonly oneOf: readonly string[] };
  readonly default: string | number | boolean | readonly string[] | null;
  /** The text on the help page. An option without it shares the line of the option that names it as `pair`. */
  readonly help?: string;
  /** The flag that shares this option's line on the help page. */
  readonly pair?: string;
}

export const OPTIONS = {
  host: { flag: 'host', type: 'string', default: '127.0.0.1', help: 'Address to listen on' },
  port: {
    flag: 'port',
    type: 'port',
    default: 8025,
    help: 'For HTTP and for SMTP, 0 for any free one',
    pair: 'smtp-port',
  },
  smtpPort: { flag: 'smtp-port', type: 'port', default: 1025 },
  smtpsPort: {
    flag: 'smtps-port',
    type: 'port',
    default: null,
    help: 'For SMTP with TLS from the first byte',
  },
  dataDir: { flag: 'data-dir', type: 'string', default: '.mailcap', help: 'Directory that keeps the state' },
  ephemeral: { flag: 'ephemeral', type: 'boolean', default: false, help: 'Keep nothing beyond the process' },
  mailDomain: { flag: 'mail-domain', type: 'string', default: 'mailcap.test', help: 'Domain the mailboxes live under' },
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
    help: 'off lifts rate limits and daily caps',
  },
  apiKey: {
    flag: 'api-key',
    type: 'string',
    default: null,
    help: 'Development key, svc_live_...; else made once',
  },
  store: { flag: 'store', type: 'string', default: null, help: 'memory:, file:<dir> or postgres://...' },
  storeFile: {
    flag: 'store-file',
    type: 'string',
    default: null,
    help: 'File with the --store URL; most connections to it',
    pair: 'store-pool',
  },
  storePool: { flag: 'store-pool', type: 'count', default: 10 },
  storeBlobs: {
    flag: 'store-blobs',
    type: 'string',
    default: null,
    help: 's3://bucket for the bodies, not the database',
  },
  publicUrl: {
    flag: 'public-url',
    type: 'string',
    default: null,
    help: 'URL and host:port that a balancer serves',
    pair: 'public-smtp',
  },
  publicSmtp: { flag: 'public-smtp', type: 'string', default: null },
  drain: { flag: 'drain', type: 'count', default: 0, help: 'Seconds at a stop in which a balancer may leave' },
  relay: {
    flag: 'relay',
    type: 'string',
    default: null,
    help: 'SMTP URL to relay to; host:port of a virus scanner',
    pair: 'clamd',
  },
  clamd: { flag: 'clamd', type: 'string', default: null },
  spamd: {
    flag: 'spamd',
    type: 'string',
    default: null,
    help: 'host:port of a SpamAssassin daemon, for checks',
  },
  catchAll: {
    flag: 'catch-all',
    type: { oneOf: ['on', 'off'] },
    default: 'on',
    help: "The inbox mailbox takes mail for nobody's",
  },
  logLevel: {
    flag: 'log-level',
    type: { oneOf: ['silent', 'error', 'warn', 'info', 'debug'] },
    default: 'warn',
    help: 'silent, error, warn, info, debug',
  },
  json: {
    flag: 'json',
    type: 'boolean',
    default: false,
    help: 'JSON lines on standard output; open the browser',
    pair: 'open',
  },
  open: { flag: 'open', type: 'boolean', default: false },
  durability: {
    flag: 'durability',
    type: { oneOf: ['fsync', 'os'] },
    default: 'fsync',
    help: '250 survives a power cut, or a kill only',
  },
  smtpAuth: {
    flag: 'smtp-auth',
    type: { oneOf: ['any', 'strict'] },
    default: 'any',
    help: 'strict: only signed in, with an API key',
  },
  smtpSize: { flag: 'smtp-size', type: 'bytes', default: 25 * 1024 * 1024, help: 'Largest message taken, bytes' },
  starttls: {
    flag: 'starttls',
    type: { oneOf: ['auto', 'on', 'off'] },
    default: 'auto',
    help: 'auto: offered with --tls-cert, else if asked',
  },
  tlsCert: {
    flag: 'tls-cert',
    type: 'string',
    default: null,
    help: 'PEM files for TLS, else self-signed',
    pair: 'tls-key',
  },
  tlsKey: { flag: 'tls-key', type: 'string', default: null },
  allowedHosts: {
    flag: 'allowed-hosts',
    type: 'list',
    default: [],
    help: 'Further Host names the local API answers to',
  },
  adminToken: {
    flag: 'admin-token',
    type: 'string',
    default: null,
    help: 'Local API token off loopback; else made, printed',
  },
  compat: {
    flag: 'compat',
    type: 'list',
    default: COMPAT_NAMES,
    help: 'APIs of other catchers that are spoken, or off',
  },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

type ValueOf<Type extends Option['type']> = Type extends { readonly oneOf: readonly (infer Choice)[] }
  ? Choice
  : Type extends 'port' | 'bytes' | 'count'
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
  readonly port: number;
  readonly smtpPort: number;
  /** The port for SMTP with TLS from the first byte. Null means that there is no such port. */
  readonly smtpsPort: number | null;
  /** An absolute path. */
  readonly dataDir: string;
  readonly ephemeral: boolean;
  readonly mailDomain: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly apiKey: string | null;
  readonly store:
    | { readonly kind: 'memory' }
    | { readonly kind: 'file'; readonly directory: string }
    /** The URL may hold a password: nothing shows it. */
    | { readonly kind: 'postgres'; readonly url: string };
  /** The path of the file that holds the store's URL. Null if none was named. */
  readonly storeFile: string | null;
  /** The most connections to the database. */
  readonly storePool: number;
  /** The bucket that has the bodies of a store in a database. Null means that the database has them. */
  readonly storeBlobs: string | null;
  /** The variables AWS_* that go with it. Nothing shows them. */
  readonly aws: Environment;
  /** The URL under which clients reach the servers, without a slash at the end. Null means this server's own. */
  readonly publicUrl: string | null;
  /** The SMTP address under which clients reach the servers. Null means this server's own. */
  readonly publicSmtp: { readonly host: string; readonly port: number } | null;
  /** The seconds between the begin of a stop, which health tells, and the end of the listeners. */
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
  readonly starttls: 'auto' | 'on' | 'off';
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly allowedHosts: readonly string[];
  readonly adminToken: string | null;
  /** The mail catchers whose API the server also speaks. */
  readonly compat: readonly CompatName[];
  /** The limits of each plan. Those in a config file's `plans` replace the defaults. */
  readonly plans: Plans;
  /** The domains that every workspace may send from. */
  readonly identities: readonly string[];
  /** The allowlist of a new mailbox. */
  readonly allowlist: readonly string[];
  /** Tells whether a new mailbox may send, provided that its plan allows it. */
  readonly outboundEnabled: boolean;
  /** The TXT records that replace DNS for SPF checks. Null means that SPF uses DNS. */
  readonly spf: { readonly zone: Readonly<Record<string, readonly string[]>> } | null;
  /** The options that were set explicitly, without those left at their default. */
  readonly given: ReadonlySet<OptionName>;
}
