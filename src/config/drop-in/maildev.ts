import { parseAddress } from '../../domain/address-list.ts';
import { COMPAT_NAMES } from '../options.ts';
import { ConfigError } from '../user-error.ts';
import {
  type CatcherSetting,
  everywhere,
  holds,
  holdsOn,
  lacks,
  lacksOn,
  type MadeOptions,
  mostMessages,
  sets,
  turns,
} from './setting.ts';

// The settings of MailDev 2 and 3, in the order of its help page.

/** The options of a server in MailDev's place, where nothing else sets them. */
export const MAILDEV_DEFAULTS = {
  auth: 'off',
  port: 1080,
  smtpSize: 50 * 1024 ** 2,
  compat: ['maildev', ...COMPAT_NAMES.filter((name) => name !== 'maildev')],
};

/** MailDev's variables and flags, one a row. */
export const MAILDEV_SETTINGS: readonly CatcherSetting[] = [
  sets('MAILDEV_SMTP_PORT', 'smtp -s', '`--smtp-port`', 'smtpPort'),
  sets('MAILDEV_IP', 'ip', '`--smtp-host`', 'smtpHost', everywhere),
  sets('MAILDEV_INCOMING_USER', 'incoming-user', 'Who may send by SMTP', (name, options) =>
    options.set('smtpUsers', [`${name}:${passwordIn('MAILDEV_INCOMING_PASS', 'MAILDEV_INCOMING_USER', options)}`]),
  ),
  holds('MAILDEV_INCOMING_PASS', 'incoming-pass', 'The password of `MAILDEV_INCOMING_USER`'),
  turns('MAILDEV_INCOMING_SECURE', 'incoming-secure', '`--smtp-tls implicit`', { smtpTls: 'implicit' }),
  sets('MAILDEV_INCOMING_CERT', 'incoming-cert', '`--tls-cert`', 'tlsCert'),
  sets('MAILDEV_INCOMING_KEY', 'incoming-key', '`--tls-key`', 'tlsKey'),
  lacks('MAILDEV_HIDE_EXTENSIONS', 'hide-extensions', 'hides extensions of SMTP'),
  sets('MAILDEV_MAX_MESSAGE_SIZE', 'max-message-size', '`--smtp-size`; 0 is the most, 1 GiB', (value, options) =>
    options.set('smtpSize', Number(value) === 0 ? 1024 ** 3 : value),
  ),
  sets('MAILDEV_WEB_PORT', 'web -w', '`--port`', 'port'),
  sets('MAILDEV_WEB_IP', 'web-ip', '`--host`', 'host', everywhere),
  sets('MAILDEV_WEB_USER', 'web-user', 'Who may use the API and the inbox', (name, options) =>
    options.set('httpUsers', [`${name}:${passwordIn('MAILDEV_WEB_PASS', 'MAILDEV_WEB_USER', options)}`]),
  ),
  holds('MAILDEV_WEB_PASS', 'web-pass', 'The password of `MAILDEV_WEB_USER`'),
  sets('MAILDEV_BASE_PATHNAME', 'base-pathname', '`--webroot`', 'webroot'),
  lacksOn('MAILDEV_DISABLE_WEB', 'disable-web', 'serves no API and no inbox'),
  turns('MAILDEV_HTTPS', 'https', '`--https on`', (options) => {
    options.set('https', 'on');
    const [cert, key] = [options.other('MAILDEV_HTTPS_CERT'), options.other('MAILDEV_HTTPS_KEY')];
    const isOfMail = options.other('MAILDEV_INCOMING_CERT') !== null;
    if (isOfMail && cert !== null && cert !== options.other('MAILDEV_INCOMING_CERT'))
      options.tell('MAILDEV_HTTPS_CERT is not used: HTTPS has the certificate of MAILDEV_INCOMING_CERT.');
    if (isOfMail) return;
    if (cert !== null) options.set('tlsCert', cert);
    if (key !== null) options.set('tlsKey', key);
    options.set('starttls', 'off');
  }),
  holds('MAILDEV_HTTPS_KEY', 'https-key', '`--tls-key`'),
  holds('MAILDEV_HTTPS_CERT', 'https-cert', '`--tls-cert`'),
  sets('MAILDEV_OUTGOING_HOST', 'outgoing-host', '`--relay`, with the port, the name and the password', relayOf),
  holds('MAILDEV_OUTGOING_PORT', 'outgoing-port', 'A part of `--relay`'),
  holds('MAILDEV_OUTGOING_USER', 'outgoing-user', 'A part of `--relay`'),
  holds('MAILDEV_OUTGOING_PASS', 'outgoing-pass', 'A part of `--relay`'),
  holdsOn('MAILDEV_OUTGOING_SECURE', 'outgoing-secure', 'A part of `--relay`'),
  sets(
    'MAILDEV_AUTO_RELAY',
    'auto-relay',
    '`autoRelay`: all mail is sent on, to one address if it is one',
    autoRelayOf,
  ),
  holds('MAILDEV_AUTO_RELAY_RULES', 'auto-relay-rules', '`rules`, from a JSON file'),
  sets(
    'MAILDEV_MAIL_DIRECTORY',
    'mail-directory',
    'Keeps the mail, in `mailcap` in that directory',
    (value, options) => {
      options.set('dataDir', `${value}/mailcap`);
      options.set('ephemeral', false);
    },
  ),
  sets('MAILDEV_MAX_EMAILS', 'max-emails', '`--max-messages`', mostMessages),
  turns('MAILDEV_VERBOSE', 'verbose -v', '`--log-level info`', { logLevel: 'info' }),
  turns('MAILDEV_SILENT', 'silent', '`--log-level silent`', { logLevel: 'silent' }),
  lacksOn(null, 'log-mail-contents', 'logs each mail as JSON'),
  holdsOn('MAILDEV_MCP', 'mcp', '[The tools for agents](agents.md) are always served'),
  lacks('MAILDEV_API_URL', null, 'names a server for its tools'),
  lacks(null, 'config', 'reads a config file of MailDev'),
];

/**
 * Returns the password that a variable has. Throws a ConfigError if it has none: MailDev lets everybody in then, and nobody
 * who sets a user wants that.
 */
function passwordIn(variable: string, user: string, options: MadeOptions): string {
  const password = options.other(variable);
  if (!password) throw new ConfigError(`${user} needs a password: set ${variable} too.`);
  return password;
}

/** Reads MailDev's switch: it turns the relay on or off, or names the address that gets all mail. */
function autoRelayOf(value: string, options: MadeOptions): void {
  if (/^(0|false)$/i.test(value)) return;
  if (options.other('MAILDEV_OUTGOING_HOST') === null) {
    options.tell('MAILDEV_AUTO_RELAY needs MAILDEV_OUTGOING_HOST: no mail is sent on.');
    return;
  }
  const isAddress = !/^(1|true)?$/i.test(value);
  const to = isAddress ? parseAddress(value)?.address : undefined;
  const rules = rulesIn(options);
  if (isAddress && to === undefined) options.tell(`MAILDEV_AUTO_RELAY=${value} is no address: no mail is sent on.`);
  else if (rules === null) options.tell('MAILDEV_AUTO_RELAY_RULES: the file is no list of rules: no mail is sent on.');
  else options.set('autoRelay', [{ ...(to === undefined ? {} : { to: [to] }), rules }]);
}

/** Reads rules such as `[{"deny":"*"},{"allow":"*@example.com"}]`. Null if they are none. */
function rulesIn(options: MadeOptions): readonly object[] | null {
  const file = options.other('MAILDEV_AUTO_RELAY_RULES');
  if (file === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(options.read(file));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!Array.isArray(list)) return null;
  const rules = list.map((rule: unknown) => {
    const { allow, deny }: { allow?: unknown; deny?: unknown } = Object(rule);
    if (typeof allow === 'string') return { allow: globPattern(allow) };
    return typeof deny === 'string' ? { deny: globPattern(deny) } : null;
  });
  return rules.every((rule) => rule !== null) ? rules : null;
}

/** Writes a pattern in which `*` stands for any text as a regular expression. */
function globPattern(glob: string): string {
  return `(?i)^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`;
}

function relayOf(host: string, options: MadeOptions): void {
  const part = (name: string) => options.other(`MAILDEV_OUTGOING_${name}`);
  const [user, password] = [part('USER'), part('PASS')].map((text) => encodeURIComponent(text ?? ''));
  const credentials = user === '' ? '' : `${user}:${password}@`;
  const scheme = /^(1|true)$/i.test(part('SECURE') ?? '') ? 'smtps' : 'smtp';
  options.set('relay', `${scheme}://${credentials}${host}:${part('PORT') ?? '25'}`);
}
