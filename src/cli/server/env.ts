import type { Info } from '../../client/connection/local-resources.ts';
import type { Ready } from '../../client/index.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { printed } from '../../text/harmless.ts';
import { quotedInShell } from '../../text/in-shell.ts';
import { providerVariables } from '../../text/provider-lines.ts';
import { isUrl } from '../../text/url.ts';
import type { Arguments } from '../command.ts';
import { connect, findServerMeant, keyGiven, noKeyFor, variable } from '../connect.ts';
import { print, printJson, say } from '../output.ts';

type Variables = Readonly<Record<string, string>>;

/** Prints the variables of this server that clients and fixtures read (docs/cli.md#variables). */
export async function env(args: Arguments): Promise<number> {
  const format = args.isOn('json') ? 'json' : args.oneOf('format', ['dotenv', 'shell', 'json'], 'dotenv');
  const host = hostOf(args);
  const here = await variablesOf(args);
  const variables = host === null ? here : seenFrom(host, here);
  if (format === 'json') {
    printJson(variables);
    return 0;
  }
  const lines = Object.entries(variables).map(([name, value]) => lineOf(format, name, value));
  for (const line of lines) print(line);
  return 0;
}

/** Reads --host: a name or an address, without a port. */
function hostOf(args: Arguments): string | null {
  const host = args.text('host');
  if (host === null) return null;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const named = bare.includes(':') ? `[${bare}]` : bare;
  if (/^[\w.:-]+$/.test(bare) && isUrl(`http://${named}`)) return named;
  throw new ConfigError(
    `--host: expected a name or an address without a port, as in host.docker.internal, got ${JSON.stringify(host)}.`,
  );
}

/** Returns the variables as they are for a container or another machine, which reaches the server by `host`. */
function seenFrom(host: string, here: Variables): Variables {
  const own = new Set([hostIn(here['MAILCAP_URL']), hostIn(here['MAILCAP_SMTP_URL'])]);
  if (here['MAILCAP_ADMIN_TOKEN'] === undefined && !isLoopback(host) && [...own].every(isLoopback))
    say(
      'this server needs no token, so it probably listens on this machine alone. Others reach a server of `mailcap dev --host 0.0.0.0`.',
    );
  const seen = Object.entries(here).flatMap(([name, value]): [string, string][] => {
    // The certificate is a file of this machine.
    if (name === 'MAILCAP_SMTP_CA') return [];
    if (name === 'MAILCAP_SMTP_HOST') return [[name, own.has(value) ? host.replace(/^\[|\]$/g, '') : value]];
    // A public URL has another host already.
    const at = own.has(hostIn(value)) ? value.replace(/^([a-z0-9]+:\/\/)(\[[^\]]*\]|[^:/]+)/, `$1${host}`) : value;
    return [[name, at]];
  });
  return Object.fromEntries(seen);
}

function hostIn(value = ''): string {
  return /^[a-z0-9]+:\/\//.test(value) && isUrl(value) ? new URL(value).hostname.replace(/^\[|\]$/g, '') : '';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.') || host === '';
}

async function variablesOf(args: Arguments): Promise<Variables> {
  const found = await findServerMeant(args);
  if (found.at === 'directory') {
    const { running } = found;
    return present({
      MAILCAP_URL: running.url,
      MAILCAP_API_KEY: keyGiven(args) ?? running.apiKey,
      MAILCAP_WORKSPACE_ID: running.workspaceId,
      ...smtpVariables(running),
      ...providerVariables(running.url),
      MAILCAP_ADMIN_TOKEN: running.adminToken,
    });
  }
  const client = await connect(args);
  const server = await client.server();
  if (server.apiKey === null) throw new UserError(noKeyFor(server.url));
  const info = (await client.hasLocalApi()) ? await client.local.getInfo() : null;
  return present({
    MAILCAP_URL: server.url,
    MAILCAP_API_KEY: server.apiKey,
    MAILCAP_WORKSPACE_ID: server.workspaceId ?? (await client.listMailboxes())[0]?.workspaceId,
    ...(info === null ? {} : { ...smtpVariables(info), ...providerVariables(server.url) }),
    MAILCAP_SMTP_URL: variable('MAILCAP_SMTP_URL') ?? info?.smtpUrl,
    MAILCAP_ADMIN_TOKEN: server.adminToken,
  });
}

/** Leaves out what a server does not have, and what one of an earlier version does not tell. */
function present(variables: Readonly<Record<string, string | null | undefined>>): Variables {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Returns the variables that configure an app. */
function smtpVariables(server: Ready | Info) {
  return {
    MAILCAP_SMTP_URL: server.smtpUrl,
    MAILCAP_SMTP_HOST: server.smtpHost,
    MAILCAP_SMTP_PORT: String(server.smtpPort),
    MAILCAP_SMTPS_URL: server.smtpsUrl,
    MAILCAP_SMTP_CA: server.smtpCa,
    MAILCAP_POP3_URL: server.pop3Url,
    MAILCAP_POP3S_URL: server.pop3sUrl,
    MAILCAP_IMAP_URL: server.imapUrl,
    MAILCAP_IMAPS_URL: server.imapsUrl,
    MAILCAP_MAIL_DOMAIN: server.mailDomain,
    MAILCAP_WEBHOOK_BASE_URL: server.webhookBaseUrl,
  };
}

/**
 * Returns the line of a variable. Throws a {@link UserError} for a value that would mean another value, or code, to what
 * reads the line.
 */
function lineOf(format: 'shell' | 'dotenv', name: string, value: string): string {
  const line = format === 'shell' ? `export ${name}=${quotedInShell(value)}` : `${name}=${inDotenv(name, value)}`;
  // A line that is printed differs from such a value.
  if (printed(line) !== line) throw unwritable(name, 'it holds a character that is not printed', 'with --format json');
  return line;
}

/**
 * Quotes a value for a dotenv file, which a shell may read too. Between single quotes nothing is special to either, and
 * neither has a way to write a quote there.
 */
function inDotenv(name: string, value: string): string {
  if (/['\r\n]/.test(value))
    throw unwritable(name, 'it holds a quotation mark or a line break', 'with --format shell or json');
  return /^[\w:/.@+-]*$/.test(value) ? value : `'${value}'`;
}

function unwritable(name: string, why: string, how: string): UserError {
  return new UserError(`${name} can't be written in this format, because ${why}: print the variables ${how}.`);
}
