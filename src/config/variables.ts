import { slipOf } from '../text/nearest.ts';
import { OPTIONS } from './options.ts';
import type { ConfigError } from './user-error.ts';
import { misplaced } from './value.ts';

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
  'MAILCAP_SMTP_CA',
  'MAILCAP_MAIL_DOMAIN',
  'MAILCAP_WEBHOOK_BASE_URL',
  'MAILCAP_WEBHOOK_SECRET',
];

/** The option name for each variable. */
export const VARIABLES: ReadonlyMap<string, string> = new Map(
  Object.entries(OPTIONS).map(([key, { flag }]) => [variableOf(flag), key]),
);

const KNOWN = [...new Set([...VARIABLES.keys(), ...OF_CLIENTS])];

/** Returns the variable for a flag: `smtp-port` gives `MAILCAP_SMTP_PORT`. */
export function variableOf(flag: string): string {
  return `${PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Tells whether a variable sets an option of mailcap. An empty one sets nothing: compose files write it for an unset
 * variable. `tcp://...` sets nothing either: Docker links and Kubernetes put it into MAILCAP_PORT for a service named
 * mailcap.
 */
export function speaks(name: string, value: string | undefined): boolean {
  return name.startsWith(PREFIX) && value !== undefined && value !== '' && !value.startsWith('tcp://');
}

/**
 * Returns the error for a misspelt variable, or null. Other programs may use names that begin with MAILCAP_, so only a
 * name that differs by one typing error from a known one counts as misspelt.
 */
export function misspeltVariable(name: string): ConfigError | null {
  if (!name.startsWith(PREFIX) || KNOWN.includes(name)) return null;
  const plain = (known: string) => known.slice(PREFIX.length).replaceAll('_', '');
  const meant =
    KNOWN.find((known) => plain(known) === plain(name)) ??
    KNOWN.find((known) => known.slice(PREFIX.length) === slipOf(name.slice(PREFIX.length), KNOWN.map(suffixOf)));
  return meant === undefined
    ? null
    : misplaced({ name, file: null, value: null }, `there is no such variable; did you mean ${meant}?`);
}

function suffixOf(name: string): string {
  return name.slice(PREFIX.length);
}
