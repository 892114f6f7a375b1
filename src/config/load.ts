import { slipOf } from '../text/nearest.ts';
import type { CatcherName } from './drop-in/read.ts';
import { type FilesRead, readFileSource, suggestion } from './file.ts';
import { type Config, flagOf, isOptionName, OPTIONS } from './options.ts';
import { isFileOption, type OptionSource, resolveConfig } from './resolve.ts';
import { ConfigError } from './user-error.ts';
import { type GivenValue, misplaced } from './value.ts';

/**
 * Resolves the configuration of a command that runs in `cwd`. `reads` tells whether it may run a config file that is a
 * module. With `inPlaceOf`, or with its variables, the server stands in the place of another catcher. Throws
 * {@link ConfigError}, which names the flag, variable or key.
 */
export async function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  reads: FilesRead,
  inPlaceOf?: InPlaceOf,
): Promise<Config> {
  const ours = [flagSource(flags), envSource(env), await readFileSource(cwd, reads)];
  if (inPlaceOf === undefined && !mayNameCatcher(env)) return resolveConfig(ours, cwd, env);
  const { catcherOfVariables, namesYaml, takeOver } = await import('./drop-in/read.ts');
  const { catcher, args } = inPlaceOf ?? { catcher: catcherOfVariables(env), args: [] };
  if (catcher === null) return resolveConfig(ours, cwd, env);
  const yaml = namesYaml(args, env) ? await import('yaml') : null;
  const { source, defaults, ...standIn } = takeOver(catcher, args, env, cwd, yaml?.parse);
  // An image sets variables of ours, so the other catcher's come before them.
  const [typed = new Map(), ...others] = ours;
  const hasStore = ours.some((one) => one.has('store') || one.has('storeFile'));
  const lowest = hasStore ? new Map([...defaults].filter(([name]) => name !== 'ephemeral')) : defaults;
  return resolveConfig([typed, source, ...others, lowest], cwd, env, standIn);
}

/** The catcher in whose place a server starts, and its arguments. */
export interface InPlaceOf {
  readonly catcher: CatcherName;
  readonly args: readonly string[];
}

/** Tells whether a variable may be another catcher's. Their tables are loaded for such a variable alone. */
function mayNameCatcher(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.keys(env).some((name) => /^(?:MP|MAILDEV)_/.test(name));
}

/**
 * Resolves the configuration of a program that starts a server in its own process. It reads neither environment
 * variables nor config files. Throws {@link ConfigError}.
 */
export function configOf(options: Readonly<Record<string, unknown>>, cwd: string): Config {
  const source = new Map<string, GivenValue>();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!isOptionName(name) && !isFileOption(name)) throw new ConfigError(`${name}: no such option${suggestion(name)}`);
    source.set(name, { name, file: null, value });
  }
  return resolveConfig([source], cwd, {});
}

/** Builds the source for flags. `flags` has option names as keys and undefined for a flag that was not given. */
function flagSource(flags: Readonly<Record<string, unknown>>): OptionSource {
  const source = new Map<string, GivenValue>();
  for (const key of Object.keys(OPTIONS)) {
    if (flags[key] !== undefined) source.set(key, { name: `--${flagOf(key)}`, file: null, value: flags[key] });
  }
  return source;
}

function envSource(env: Readonly<Record<string, string | undefined>>): OptionSource {
  const source = new Map<string, GivenValue>();
  for (const [name, value] of Object.entries(env)) {
    if (!speaks(name, value)) continue;
    const key = VARIABLES.get(name);
    // A shell that reads a file with the line ends of Windows leaves a carriage return at the end of each value.
    if (key !== undefined) source.set(key, { name, file: null, value: withoutReturn(value) });
    else throwIfMisspelt(name);
  }
  return source;
}

/**
 * Checks the MAILCAP_* variables for commands that read no other configuration. Throws {@link ConfigError} for a
 * misspelt one.
 */
export function checkVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) if (speaks(name, value)) throwIfMisspelt(name);
}

const PREFIX = 'MAILCAP_';

/** The variables that clients and test fixtures read and `mailcap env` prints (docs/cli.md#variables). */
const OF_CLIENTS = [
  'MAILCAP_URL',
  'MAILCAP_API_KEY',
  'MAILCAP_WORKSPACE_ID',
  'MAILCAP_ADMIN_TOKEN',
  'MAILCAP_SMTP_URL',
  'MAILCAP_SMTP_HOST',
  'MAILCAP_SMTP_PORT',
  'MAILCAP_SMTPS_URL',
  'MAILCAP_SMTP_CA',
  'MAILCAP_POP3_URL',
  'MAILCAP_POP3S_URL',
  'MAILCAP_IMAP_URL',
  'MAILCAP_IMAPS_URL',
  'MAILCAP_MAIL_DOMAIN',
  'MAILCAP_WEBHOOK_BASE_URL',
  'MAILCAP_WEBHOOK_SECRET',
];

/** The option name for each variable. */
const VARIABLES: ReadonlyMap<string, string> = new Map(Object.keys(OPTIONS).map((name) => [variableOf(name), name]));

const KNOWN = [...new Set([...VARIABLES.keys(), ...OF_CLIENTS])];

/** Returns the variable of an option: `smtpPort` gives `MAILCAP_SMTP_PORT`. */
export function variableOf(name: string): string {
  return `${PREFIX}${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

function withoutReturn(value: string | undefined): string | undefined {
  return value?.replace(/\r$/, '');
}

/**
 * Tells whether a variable sets an option of mailcap. An empty one sets nothing: compose files write it for an unset
 * variable. `tcp://...` sets nothing either: Docker links and Kubernetes put it into MAILCAP_PORT for a service named
 * mailcap.
 */
export function speaks(name: string, value: string | undefined): boolean {
  return name.startsWith(PREFIX) && value !== undefined && withoutReturn(value) !== '' && !value.startsWith('tcp://');
}

/**
 * Throws a {@link ConfigError} for a misspelt variable. Other programs may use names that begin with MAILCAP_, so only a
 * name that differs by one typing error from a known one counts as misspelt.
 */
function throwIfMisspelt(name: string): void {
  if (KNOWN.includes(name)) return;
  const plain = (known: string) => suffixOf(known).replaceAll('_', '');
  const slip = slipOf(suffixOf(name), KNOWN.map(suffixOf));
  const meant = KNOWN.find((known) => plain(known) === plain(name)) ?? (slip && `${PREFIX}${slip}`);
  if (meant) throw misplaced({ name, file: null, value: null }, `there is no such variable; did you mean ${meant}?`);
}

function suffixOf(name: string): string {
  return name.slice(PREFIX.length);
}
