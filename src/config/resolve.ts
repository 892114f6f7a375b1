import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { PLANS } from '../domain/plan.ts';
import { checkOption, readDaemon, readPublicSmtp, readStore } from './checks.ts';
import type { CompatName } from './options.ts';
import { type Config, isOptionName, OPTIONS, type OptionName, type OptionValues } from './options.ts';
import { readAllowlist, readIdentityOption } from './outbound.ts';
import { readPlans } from './plans.ts';
import type { Environment } from './s3-place.ts';
import { readSpf } from './spf.ts';
import { ConfigError } from './user-error.ts';
import { type Given, type OptionValue, readValue } from './value.ts';

/** The values that one source gives, by option name. The sources are flags, the environment, a file and a program. */
export type OptionSource = ReadonlyMap<string, Given>;

/** The keys that only a config file or a program can set. */
export const FILE_KEYS: ReadonlySet<string> = new Set(['plans', 'spf', 'identities', 'allowlist', 'outboundEnabled']);

/**
 * Merges the sources into a configuration. The first source that names an option wins. `env` holds the AWS_* variables
 * for `--store-blobs`. Throws {@link ConfigError}.
 */
export function resolveConfig(sources: readonly OptionSource[], cwd: string, env: Environment): Config {
  const values = new Map<OptionName, OptionValue>();
  let namesDataDir: boolean | null = null;
  let plans: Config['plans'] | null = null;
  let spf: Config['spf'] = null;
  let identities: Config['identities'] | null = null;
  let allowlist: Config['allowlist'] | null = null;
  let outboundEnabled: boolean | null = null;
  for (const source of sources) {
    for (const [key, given] of source) {
      // Every source is checked in full. A file error that a flag hides today would otherwise appear once the flag is
      // removed.
      if (key === 'plans') plans ??= readPlans(given);
      else if (key === 'spf') spf ??= readSpf(given);
      else if (key === 'identities') identities ??= readIdentityOption(given);
      else if (key === 'allowlist') allowlist ??= readAllowlist(given);
      else if (key === 'outboundEnabled') outboundEnabled ??= readValue('boolean', given) === true;
      else if (isOptionName(key)) {
        const value = checkOption(key, readValue(OPTIONS[key].type, given), given);
        if (!values.has(key)) values.set(key, value);
        if (key === 'dataDir') namesDataDir ??= given.file === null;
      }
    }
  }
  readStoreFile(values, cwd);
  const options = withDefaults(values);
  if ((options.tlsCert === null) !== (options.tlsKey === null)) {
    throw new ConfigError('--tls-cert and --tls-key need each other: give both or neither.');
  }
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
    plans: plans ?? PLANS,
    spf,
    identities: identities ?? [],
    allowlist: allowlist ?? [`*.${options.mailDomain}`],
    outboundEnabled: outboundEnabled ?? true,
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
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
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

function withDefaults(values: ReadonlyMap<OptionName, OptionValue>): OptionValues {
  const defaults = Object.entries(OPTIONS).map(([name, option]): [string, unknown] => [name, option.default]);
  // The cast is safe: readValue returns the type of the option's row, and every option has a default.
  return Object.fromEntries([...defaults, ...values]) as OptionValues;
}
