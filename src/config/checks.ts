import { join, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHostName, normalDomain } from '../domain/address.ts';
import { isAdminToken, isWellFormedKey, LEAST_TOKEN_LENGTH } from '../domain/api-key.ts';
import { isUrl } from '../text/url.ts';
import { originOf } from './host.ts';
import { COMPAT_NAMES, type CompatName, type Config, type OptionName } from './options.ts';
import { checkS3Url } from './s3-place.ts';
import { type GivenValue, misplaced, type OptionValue, wrong } from './value.ts';

/**
 * The longest mail domain, in characters. A domain name has at most 253, and a subdomain with its dot takes 64 of them.
 */
const LONGEST_MAIL_DOMAIN = 189;

/** The smallest pool, in connections, with which a server works: one for each of its five roles. */
const LEAST_CONNECTIONS = 5;

/** Checks a value beyond its type and returns it in its final form. Throws {@link ConfigError}. */
export function checkOption(name: OptionName, value: OptionValue, given: GivenValue): OptionValue {
  switch (name) {
    case 'mailDomain':
      return readMailDomain(given);
    case 'apiKey':
      if (isWellFormedKey(String(value))) return value;
      // The message must not show the value, because it is a secret.
      throw misplaced(given, 'expected svc_live_ and a token of letters, digits, - and _.');
    case 'adminToken':
      if (isAdminToken(String(value))) return value;
      // The message must not show the value, because it is a secret.
      throw misplaced(
        given,
        `expected ${LEAST_TOKEN_LENGTH} to 200 visible ASCII characters, so that nobody guesses it.`,
      );
    case 'store':
      checkStore(String(value), given);
      return value;
    case 'storePool':
      if (Number(value) >= LEAST_CONNECTIONS) return value;
      throw wrong(given, `${LEAST_CONNECTIONS} connections or more`);
    case 'storeBlobs':
      checkS3Url(String(value), given.name);
      return value;
    case 'publicUrl':
      return readPublicUrl(given);
    case 'publicSmtp':
      if (readPublicSmtp(String(value)) !== null) return value;
      throw wrong(given, 'host:port, as in mail.example.com:25');
    case 'relay':
      checkRelay(String(value), given);
      return value;
    case 'clamd':
      if (readDaemon(String(value)) !== null) return value;
      throw wrong(given, 'host:port, as in 127.0.0.1:3310');
    case 'spamd':
      if (readDaemon(String(value)) !== null) return value;
      throw wrong(given, 'host:port, as in 127.0.0.1:783');
    case 'maxAge':
      if (readAge(String(value)) !== null) return value;
      throw wrong(given, 'hours or days, as in 12h or 7d');
    case 'maxMessages':
      if (Number(value) >= 1) return value;
      throw wrong(given, '1 or more');
    case 'allowedOrigins':
      // The table gives the option the type list.
      return readOrigins(value as readonly string[], given);
    case 'webroot':
      return readWebroot(given);
    case 'compat':
      // The table gives the option the type list.
      return readCompat(value as readonly string[], given);
    default:
      return value;
  }
}

const HOUR_MS = 3_600_000;

/** Reads a time such as `12h` or `7d` in milliseconds. Null for any other text. */
export function readAge(text: string): number | null {
  const [, digits = '', unit] = /^(\d{1,6})([hd])$/.exec(text.trim().toLowerCase()) ?? [];
  const hours = Number(digits) * (unit === 'd' ? 24 : 1);
  return hours > 0 ? hours * HOUR_MS : null;
}

/** Reads the hosts of pages, as `app.test:3000` or `https://app.test`. `*` means all pages. */
function readOrigins(value: readonly string[], given: GivenValue): readonly string[] {
  return value.map((text) => {
    const [, host] = /^(?:https?:\/\/)?((?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?|\*)\/?$/i.exec(text) ?? [];
    if (host === undefined) throw wrong({ ...given, value: text }, 'hosts of pages, as in app.test:3000, or *');
    return host.toLowerCase();
  });
}

/** Parses the public SMTP address, `host:port` or `smtp://host:port`. Returns null for any other text. */
export function readPublicSmtp(text: string): Config['publicSmtp'] {
  return readDaemon(text.replace(/^smtp:\/\//i, '').replace(/\/$/, ''));
}

/** Reads a path as `/mail/`, without the slash at its end. The path `/` is none. */
function readWebroot(given: GivenValue): string {
  const segments = String(given.value)
    .split('/')
    .filter((segment) => segment !== '');
  if (segments.every((segment) => /^[\w.@-]+$/.test(segment) && !/^\.+$/.test(segment)))
    return segments.map((segment) => `/${segment}`).join('');
  throw wrong(given, 'a path of letters, digits, -, _, ., @ and /');
}

function readPublicUrl(given: GivenValue): string {
  const origin = originOf(String(given.value).trim());
  if (origin === null)
    throw misplaced(given, 'expected http:// or https:// with a host, an optional port and no path.');
  return origin;
}

/** Parses `host:port` or `[IPv6 address]:port`. Returns null for any other text. */
export function readDaemon(text: string): Config['clamd'] {
  const [, address, name, digits = ''] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = address ?? name;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port };
}

/** Resolves where the state is stored: the URL of `--store`, or else the directory `store` in the data directory. */
export function readStore(url: string | null, dataDir: string, cwd: string): Config['store'] {
  if (url === null) return { kind: 'file', directory: join(dataDir, 'store') };
  if (url === 'memory:') return { kind: 'memory' };
  if (isPostgres(url)) return { kind: 'postgres', url };
  const directory = url.startsWith('file://') ? fileURLToPath(url) : resolvePath(cwd, url.slice('file:'.length));
  return { kind: 'file', directory };
}

/** Reads `--compat`: `on`, `off`, or names with commas between them. Throws {@link ConfigError}. */
function readCompat(value: readonly string[], given: GivenValue): readonly CompatName[] {
  const [only = 'off', ...others] = value.map((name) => name.toLowerCase());
  if (others.length === 0 && only === 'off') return [];
  if (others.length === 0 && only === 'on') return COMPAT_NAMES;
  const names = new Set([only, ...others]);
  const known = COMPAT_NAMES.filter((name) => names.has(name));
  if (known.length !== names.size)
    throw wrong(given, `on, off, or names with commas between them: ${COMPAT_NAMES.join(', ')}`);
  return known;
}

function checkStore(url: string, given: GivenValue): void {
  if (url === 'memory:') return;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? null;
  if (scheme === null) throw wrong(given, 'memory:, file:<dir> or a postgres:// URL');
  if (isPostgres(url)) {
    // The message must not show the URL, because it may hold a password.
    if (!isDatabaseUrl(url))
      throw misplaced(given, 'expected a PostgreSQL URL, as in postgres://user@127.0.0.1:5432/mailcap.');
    return;
  }
  if (scheme !== 'file')
    throw misplaced(given, `mailcap has no ${scheme}: store: use memory:, file:<dir> or postgres://.`);
  if (!isDirectoryUrl(url)) throw wrong(given, 'memory:, file:<dir> or a postgres:// URL');
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

function isDatabaseUrl(url: string): boolean {
  if (!/^postgres(ql)?:\/\//i.test(url) || !isUrl(url)) return false;
  return new URL(url).pathname.length > 1;
}

function isDirectoryUrl(url: string): boolean {
  if (!url.startsWith('file://')) return url.length > 'file:'.length;
  try {
    return fileURLToPath(url) !== '';
  } catch {
    return false;
  }
}

/** Checks the URL of a relay. Throws a ConfigError. */
export function checkRelay(url: string, given: GivenValue): void {
  const parsed = isUrl(url) ? new URL(url) : null;
  if (parsed !== null && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== '') return;
  // The message must not show the URL, because it may hold a password.
  throw misplaced(given, 'expected an SMTP URL, as in smtp://127.0.0.1:2525.');
}

function readMailDomain(given: GivenValue): string {
  const domain = normalDomain(String(given.value).trim());
  if (domain !== null && domain.length <= LONGEST_MAIL_DOMAIN && isHostName(domain)) return domain;
  throw wrong(given, 'a domain name, as in mailcap.example.com');
}

/** The place of a whole store. A data directory also has the credentials of its server. */
export type StorePlace =
  | { readonly kind: 'data directory' | 'directory'; readonly path: string }
  /** The URL may hold a password, so it is never shown. */
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * Reads the place of a store: a `postgres://` URL, `file:<dir>` as `--store` takes it, or the path of a data directory.
 * Throws a ConfigError that names the place as `name`.
 */
export function readStorePlace(text: string, name: string, cwd: string): StorePlace {
  const isUrl = /^(postgres(ql)?|file|memory):/i.test(text);
  if (!isUrl) return { kind: 'data directory', path: resolvePath(cwd, text) };
  const given = { name, file: null, value: text };
  checkOption('store', text, given);
  const store = readStore(text, '', cwd);
  if (store.kind === 'postgres') return store;
  if (store.kind === 'file') return { kind: 'directory', path: store.directory };
  throw misplaced(given, 'a store in memory has nothing to copy.');
}
