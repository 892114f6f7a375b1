import { slipOf } from './nearest.ts';
import { OPTIONS } from './options.ts';
import type { ConfigError } from './user-error.ts';
import { misplaced } from './value.ts';

const PREFIX = 'MAILCAP_';

/** What clients and fixtures read, and `mailcap env` prints (docs/contract.md#finding-a-server). */
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
];

/** Options by their variable. */
export const VARIABLES: ReadonlyMap<string, string> = new Map(
  Object.entries(OPTIONS).map(([key, { flag }]) => [variableOf(flag), key]),
);

const KNOWN = [...new Set([...VARIABLES.keys(), ...OF_CLIENTS])];

/** `smtp-port` is `MAILCAP_SMTP_PORT`. */
export function variableOf(flag: string): string {
  return `${PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** Whether a variable is mailcap's and says something: an empty one is how a compose file says nothing; tcp://... is what
 * Kubernetes and Docker links put into MAILCAP_PORT where a service is called mailcap. */
export function speaks(name: string, value: string | undefined): boolean {
  return name.startsWith(PREFIX) && value !== undefined && value !== '' && !value.startsWith('tcp://');
}

/** Null where nothing is wrong with the name. Others may have variables that begin with MAILCAP_; one that is a slip away from one of ours is one. */
export function misspeltVariable(name: string): ConfigError | null {
  if (!name.startsWith(PREFIX) || KNOWN.includes(name)) return null;
  const plain = (known: string) => known.slice(PREFIX.length).replaceAll('_', '');
  const meant =
    KNOWN.find((known) => plain(known) === plain(name)) ??
    KNOWN.find((known) => known.slice(PREFIX.length) === slipOf(name.slice(PREFIX.length), KNOWN.map(suffixOf)));
  return meant === undefined
    ? null
    : misplaced({ name, file: null, value: null }, `no such variable; did you mean ${meant}?`);
}

function suffixOf(name: string): string {
  return name.slice(PREFIX.length);
}
