import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { normalDomain } from '../domain/address.ts';
import { NO_RELAY_RULES } from '../domain/auto-relay.ts';
import { ApiError } from '../domain/errors.ts';
import { isAllowlistEntry, MAX_ALLOWLIST, parseIdentityDomain } from '../domain/outbound.ts';
import { ALL_RECIPIENTS } from '../domain/routing.ts';
import { isPlanName, PLANS, type Plan, type Plans } from '../domain/workspace.ts';
import { fileText } from '../text/file-text.ts';
import { errorCode } from '../text/unknown.ts';
import { checkOption, readAge, readDaemon, readPublicSmtp, readStore } from './checks.ts';
import {
  readAutoRelay,
  readFaultRules,
  readMailWebhook,
  readRecipientRules,
  readRelease,
  readTagging,
} from './mail-rules.ts';
import { type CompatName, type Config, isOptionName, OPTIONS, type OptionName, type OptionValues } from './options.ts';
import type { Environment } from './s3-place.ts';
import { ConfigError } from './user-error.ts';
import {
  type GivenValue,
  misplaced,
  type OptionValue,
  readEntries,
  readKeys,
  readSwitch,
  readValue,
  wrong,
} from './value.ts';

/** The values that one source gives, by option name. The sources are flags, the environment, a file and a program. */
export type OptionSource = ReadonlyMap<string, GivenValue>;

/** The keys that only a config file or a program can set: how each is read, and its default. */
export const FILE_OPTIONS = {
  plans: { read: readPlans, default: PLANS },
  spf: { read: readSpf, default: null },
  identities: { read: readIdentityOption, default: [] },
  allowlist: { read: readAllowlist, default: null },
  outboundEnabled: { read: readSwitch, default: true },
  smtpUsers: { read: readUsers, default: null },
  httpUsers: { read: readUsers, default: null },
  // An empty list lets everybody send by Mailpit's API. Elsewhere it is refused, because it would restrict nobody.
  sendUsers: { read: (given) => readUsers(given, 0), default: null },
  readerUsers: { read: readUsers, default: null },
  recipients: { read: readRecipientRules, default: ALL_RECIPIENTS },
  tagging: { read: readTagging, default: null },
  autoRelay: { read: readAutoRelay, default: [] },
  release: { read: readRelease, default: NO_RELAY_RULES },
  mailWebhook: { read: readMailWebhook, default: null },
  faults: { read: readFaultRules, default: [] },
  label: { read: (given) => String(readValue('string', given)), default: '' },
} as const satisfies Record<string, { read(given: GivenValue): unknown; readonly default: unknown }>;

type FileOptionName = keyof typeof FILE_OPTIONS;
type FileValues = {
  readonly [Name in FileOptionName]:
    | ReturnType<(typeof FILE_OPTIONS)[Name]['read']>
    | (typeof FILE_OPTIONS)[Name]['default'];
};

/** Tells whether only a config file or a program can set a key. */
export function isFileOption(name: string): name is FileOptionName {
  return Object.hasOwn(FILE_OPTIONS, name);
}

/** The server's part as the stand-in of another catcher (src/config/drop-in). */
export interface StandIn {
  readonly dropIn: Config['dropIn'];
  readonly notes: readonly string[];
}

const ITSELF: StandIn = { dropIn: null, notes: [] };

/**
 * Merges the sources into a configuration. The first source that names an option wins. `env` holds the AWS_* variables
 * for `--store-blobs`. Throws {@link ConfigError}.
 */
export function resolveConfig(
  sources: readonly OptionSource[],
  cwd: string,
  env: Environment,
  standIn: StandIn = ITSELF,
): Config {
  const values = new Map<OptionName, OptionValue>();
  const ofFile = new Map<FileOptionName, unknown>();
  let namesDataDir: boolean | null = null;
  for (const source of sources) {
    for (const [key, given] of source) {
      // Every source is checked in full. A file error that a flag hides today would otherwise appear once the flag is
      // removed.
      if (isFileOption(key)) ofFile.set(key, ofFile.get(key) ?? FILE_OPTIONS[key].read(given));
      else if (isOptionName(key)) {
        const value = checkOption(key, readValue(OPTIONS[key].type, given), given);
        if (!values.has(key)) values.set(key, value);
        if (key === 'dataDir') namesDataDir ??= given.file === null;
      }
    }
  }
  readStoreFile(values, cwd);
  const options = withDefaults(OPTIONS, values) as OptionValues;
  const fileValues = withDefaults(FILE_OPTIONS, ofFile) as FileValues;
  if ((options.tlsCert === null) !== (options.tlsKey === null)) {
    throw new ConfigError('--tls-cert and --tls-key need each other: give both or neither.');
  }
  if (options.smtpTls === 'implicit' && options.smtpsPort !== null)
    throw new ConfigError('--smtp-tls implicit makes --smtp-port a TLS port: leave --smtps-port out.');
  if (options.relay === null && fileValues.autoRelay.some(({ relay }) => relay === null))
    throw new ConfigError('autoRelay has a rule without a relay: give it one, or set --relay.');
  if (options.smtpTls === 'required' && options.starttls === 'off')
    throw new ConfigError('--smtp-tls required and --starttls off exclude each other: give one of them.');
  checkDatabase(values, options);
  const path = (given: string | null) => (given === null ? null : resolvePath(cwd, given));
  const dataDir = resolvePath(cwd, options.dataDir);
  return {
    ...options,
    dataDir,
    namesDataDir: namesDataDir ?? false,
    store: options.ephemeral ? { kind: 'memory' } : readStore(options.store, dataDir, cwd),
    aws: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('AWS_'))),
    publicSmtp: options.publicSmtp === null ? null : readPublicSmtp(options.publicSmtp),
    clamd: options.clamd === null ? null : readDaemon(options.clamd),
    spamd: options.spamd === null ? null : readDaemon(options.spamd),
    // checkOption has let only these names pass.
    compat: options.compat as readonly CompatName[],
    tlsCert: path(options.tlsCert),
    tlsKey: path(options.tlsKey),
    ...fileValues,
    allowlist: fileValues.allowlist ?? [`*.${options.mailDomain}`],
    allowedForAll: fileValues.allowlist ?? [],
    maxAgeMs: options.maxAge === null ? null : readAge(options.maxAge),
    webroot: options.webroot || null,
    ...standIn,
    given: new Set(values.keys()),
  };
}

/** Replaces `--store` by the content of the file that `--store-file` names. Throws {@link ConfigError}. */
function readStoreFile(values: Map<OptionName, OptionValue>, cwd: string): void {
  const file = values.get('storeFile');
  if (file === undefined) return;
  if (values.has('store')) throw new ConfigError('--store and --store-file exclude each other: give one of them.');
  const path = resolvePath(cwd, String(file));
  let text: string;
  try {
    text = fileText(readFileSync(path)).trim();
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new ConfigError(
      `--store-file: ${path} ${code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`}.`,
      { cause: error },
    );
  }
  // The content may hold a password, so no message shows it.
  if (text === '' || text.includes('\n'))
    throw new ConfigError(`--store-file: ${path} must hold one line, a store URL.`);
  const given = { name: `--store-file ${path}`, file: null, value: text };
  if (!/^(postgres(ql)?|file|memory):/i.test(text))
    throw new ConfigError(`--store-file: ${path} holds no memory:, file:<dir> or postgres:// URL.`);
  values.set('store', checkOption('store', text, given));
}

/** Refuses options that have no meaning with the chosen store. Throws {@link ConfigError}. */
function checkDatabase(values: ReadonlyMap<OptionName, OptionValue>, { store, ephemeral }: OptionValues): void {
  if (store === null || !/^postgres/i.test(store)) {
    if (values.has('storeBlobs')) throw new ConfigError('--store-blobs needs a PostgreSQL --store.');
    return;
  }
  if (ephemeral) throw new ConfigError('--ephemeral and a PostgreSQL --store exclude each other: give one of them.');
  if (values.has('durability'))
    throw new ConfigError(
      '--durability needs a store in files: the settings of PostgreSQL decide what a commit survives there.',
    );
}

/** Returns the value of each option, null if it has none. The type of a table's values is that of its rows. */
function withDefaults(
  table: Readonly<Record<string, object & { readonly default?: unknown }>>,
  values: ReadonlyMap<string, unknown>,
): object {
  return Object.fromEntries(
    Object.entries(table).map(([name, option]) => [name, values.get(name) ?? option.default ?? null]),
  );
}

/**
 * Reads the plans. Numbers in a config file replace the defaults (docs/contract.md#plans). Throws {@link ConfigError}.
 */
function readPlans(given: GivenValue): Plans {
  const plans = { ...PLANS };
  for (const [name, numbers] of readEntries(given)) {
    if (!isPlanName(name)) throw misplaced(numbers, 'there is no such plan: use free or business.');
    plans[name] = readPlan(plans[name], numbers);
  }
  return plans;
}

function readPlan(defaults: Plan, given: GivenValue): Plan {
  const numbers = new Map<string, unknown>();
  for (const [key, number] of readEntries(given)) {
    if (!Object.hasOwn(defaults, key)) {
      throw misplaced(number, `there is no such limit: use ${Object.keys(defaults).join(', ')}.`);
    }
    checkNumber(key, number);
    numbers.set(key, number.value);
  }
  // The loop above has checked that every key exists in the defaults and has the right type.
  const plan = { ...defaults, ...(Object.fromEntries(numbers) as Partial<Plan>) };
  if (plan.retentionDefaultDays > plan.retentionMaxDays) {
    throw misplaced(given, `retentionDefaultDays (${plan.retentionDefaultDays}) is larger than retentionMaxDays.`);
  }
  return plan;
}

function checkNumber(key: string, given: GivenValue): void {
  const { value } = given;
  if (key === 'outbound') {
    if (typeof value !== 'boolean') throw wrong(given, 'true or false');
    return;
  }
  const min = key.startsWith('retention') ? 1 : 0;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw wrong(given, `a whole number of ${min} or more`);
  }
}

/**
 * Reads the domains that every workspace may send from, such as `["example.com"]`. A workspace may add its own
 * (docs/contract.md#identities-and-allowlist). Throws {@link ConfigError}.
 */
function readIdentityOption(given: GivenValue): readonly string[] {
  return readTexts(given, 'a list of domains').map((domain) => {
    try {
      return parseIdentityDomain(domain);
    } catch (error) {
      if (error instanceof ApiError) throw wrong({ ...given, value: domain }, 'a domain name, as in example.com');
      throw error;
    }
  });
}

/** Reads the allowlist of a new mailbox, such as `["*.example.com", "ada@example.org"]`. Throws {@link ConfigError}. */
function readAllowlist(given: GivenValue): readonly string[] {
  const entries = readTexts(given, 'a list of addresses, *@domain and *.domain patterns').map((entry) => entry.trim());
  if (entries.length > MAX_ALLOWLIST) throw wrong(given, `${MAX_ALLOWLIST} entries at most`);
  for (const entry of entries) {
    if (!isAllowlistEntry(entry)) throw wrong({ ...given, value: entry }, 'an address, *@domain or *.domain');
  }
  return entries;
}

/** Reads lines as of an htpasswd file, such as `["ada:secret"]`. Throws {@link ConfigError}, which shows no password. */
function readUsers(given: GivenValue, atLeast = 1): readonly string[] {
  // The message must not show the value, because it holds passwords.
  if (!Array.isArray(given.value)) throw misplaced(given, `expected ${USERS}.`);
  const lines = readTexts(given, USERS);
  if (lines.length < atLeast || lines.some((line) => !/^[^:\s]+:./.test(line)))
    throw misplaced(given, `expected ${USERS}.`);
  return lines;
}

const USERS = 'a list of texts with a name, a colon and a password';

function readTexts(given: GivenValue, expected: string): string[] {
  if (!Array.isArray(given.value)) throw wrong(given, expected);
  return given.value.map((text: unknown) => {
    if (typeof text !== 'string') throw wrong(given, expected);
    return text;
  });
}

/**
 * Reads the TXT records that replace DNS for SPF checks (docs/options.md#the-config-file), such as `{ "zone": {
 * "example.com": ["v=spf1 -all"] } }`. Throws {@link ConfigError}.
 */
function readSpf(given: GivenValue): Config['spf'] {
  const { zone = {} } = readKeys(given, { zone: readZone });
  return { zone };
}

function readZone(given: GivenValue): Readonly<Record<string, readonly string[]>> {
  const records = readEntries(given).map(([domain, inner]) => {
    const normal = normalDomain(domain);
    if (normal === null) throw misplaced(inner, 'is not a domain name.');
    return [normal, readRecords(inner)];
  });
  return Object.fromEntries(records);
}

function readRecords(given: GivenValue): readonly string[] {
  const records: unknown[] = Array.isArray(given.value) ? given.value : [given.value];
  return records.map((record) => {
    if (typeof record !== 'string') throw wrong(given, 'a text or a list of texts');
    return record;
  });
}
