import { lstatSync } from 'node:fs';
import { ObjectStorageAway } from '../ports/storage.ts';
import { errorCode } from '../text/unknown.ts';
import { type Config, flagOf } from './options.ts';
import { ConfigError, UserError } from './user-error.ts';

// These functions turn a system error at the start into a sentence that tells the user what to do.

/** The protocols of the listeners, by the options that set their ports. */
export const LISTENERS = {
  port: 'HTTP',
  smtpPort: 'SMTP',
  smtpsPort: 'SMTPS',
  pop3Port: 'POP3',
  pop3sPort: 'POP3S',
  imapPort: 'IMAP',
  imapsPort: 'IMAPS',
} as const;
export type ListenerOption = keyof typeof LISTENERS;

/** The program that listens on a port already. */
export interface PortHolder {
  /** Its description, as in `MailDev` or `node app.js (process 123)`; empty if it is not known. */
  readonly description: string;
  /** The command that ends it; null if none is known. */
  readonly stop: string | null;
}

/** Explains why a listener could not start. It returns an unknown error unchanged. */
export function whyNotListening(
  error: unknown,
  option: ListenerOption,
  config: Config,
  { description, stop }: PortHolder = { description: '', stop: null },
): unknown {
  const [what, port] = [LISTENERS[option], config[option]];
  const flag = `--${flagOf(option)}`;
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return sentence(
        `${what} port ${port} is in use${description === '' ? '' : ` by ${description}`}: ${stop === null ? '' : `\`${stop}\` ends it, or `}choose another with ${flag}, or 0 for any free one.`,
        error,
      );
    case 'EACCES':
      return sentence(
        `${what} port ${port} needs rights that this user does not have: choose another with ${flag}.`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL': {
      const hasOwn = config.smtpHost !== null && (option === 'smtpPort' || option === 'smtpsPort');
      const host = hasOwn ? `--smtp-host: ${config.smtpHost}` : `--host: ${config.host}`;
      return new ConfigError(
        `${host} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all addresses.`,
        {
          cause: error,
        },
      );
    }
    default:
      return error;
  }
}

/**
 * Explains why a directory or file of the state cannot be used. `option` names the option that sets its place. It
 * returns an unknown error unchanged.
 */
export function whyNotOpened(error: unknown, path: string, option: 'dataDir' | 'store'): unknown {
  const code = errorCode(error);
  const choose = `choose another with --${flagOf(option)}.`;
  switch (code) {
    case 'STORE_LOCKED':
      return sentence(error instanceof Error ? error.message : `${path} is in use.`, error);
    case 'STORE_FORMAT':
      return sentence(`${error instanceof Error ? error.message : path}.`, error);
    case 'PLANTED':
      return new ConfigError(error instanceof Error ? error.message : path, { cause: error });
    case 'EACCES':
    case 'EPERM':
      return sentence(`${path} can't be written by this user: change its permissions, or ${choose}`, error);
    case 'EROFS':
      return sentence(`${path} can't be written, because its disk is read-only: ${choose}`, error);
    case 'ENOTDIR':
      return sentence(`${path} is not a directory: ${choose}`, error);
    case 'EEXIST':
      return sentence(`${path} is not a directory${isLink(path) ? ', but a link to nothing' : ''}: ${choose}`, error);
    case 'ENOENT':
      return sentence(`${path} can't be created, because the system allows no new files there: ${choose}`, error);
    case 'ERR_INVALID_ARG_VALUE':
      return sentence(`${JSON.stringify(path)} is not a valid path: ${choose}`, error);
    case 'ENOSPC':
    case 'EDQUOT':
      return sentence(`the disk of ${path} is full: make room, or ${choose}`, error);
    default:
      if (!(error instanceof Error) || !('syscall' in error)) return error;
      return sentence(`${shortened(path)} can't be used (${saidOf(error)}): ${choose}`, error);
  }
}

/** Explains why a database can't be used. `name` is its host and database, without a password. */
export function whyNoDatabase(error: unknown, name: string): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'DATABASE_REFUSED') return sentence(error instanceof Error ? error.message : name, error);
  if (code === '08P01' && error instanceof Error && /startup parameter/.test(error.message))
    return sentence(
      `${name} is a connection pooler that refuses a parameter of mailcap: let --store name PostgreSQL itself.`,
      error,
    );
  // A missing file of sslrootcert, sslcert or sslkey.
  if (code === 'ENOENT' && error instanceof Error && 'path' in error)
    return sentence(`--store names the file ${String(error.path)}, which does not exist.`, error);
  if (error instanceof ObjectStorageAway)
    return sentence(`${error.message}: correct --store-blobs or the variables AWS_*.`, error);
  if (code.startsWith('28'))
    return sentence(`PostgreSQL at ${name} refuses the user or the password of --store.`, error);
  if (code === '3D000') return sentence(`PostgreSQL at ${name} has no such database: create it with createdb.`, error);
  if (code === '42501')
    return sentence(`the user of --store may not create a schema in ${name}: grant it CREATE on the database.`, error);
  if (code.startsWith('57P')) return sentence(`PostgreSQL at ${name} accepts no connections now: try again.`, error);
  if (code.startsWith('53'))
    return sentence(`PostgreSQL at ${name} has no connection left: raise max_connections.`, error);
  const isUnreached =
    error instanceof Error && ('syscall' in error || /timeout|terminated|SSL|certificate/i.test(error.message));
  if (!isUnreached) return error;
  return sentence(`no PostgreSQL server answers at ${name} (${saidOf(error)}): start it, or correct --store.`, error);
}

/** Extracts the description from a system error such as `ELOOP: too many symbolic links encountered, mkdir 'x'`. */
function saidOf({ message }: Error): string {
  return /^[A-Z0-9_]+: ([^,]+),/.exec(message)?.[1] ?? message;
}

function shortened(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 100)}...${path.slice(-40)}`;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function sentence(message: string, cause: unknown): UserError {
  return new UserError(message, 1, { cause });
}

/** Returns a name of the store that is safe to show: it holds no user, password or parameter of a URL. */
export function storeName(store: Config['store']): string {
  switch (store.kind) {
    case 'memory':
      return 'memory:';
    case 'file':
      return `file:${store.directory}`;
    case 'postgres':
      return `postgres://${databaseName(store.url)}`;
  }
}

/** Returns host, port and database of a PostgreSQL URL. */
export function databaseName(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return `${host || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
}
