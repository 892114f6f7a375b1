import { splitUsers } from '../../domain/htpasswd.ts';
import { COMPAT_NAMES } from '../options.ts';
import {
  bindAddress,
  type CatcherSetting,
  formerly,
  holds,
  holdsOn,
  lacks,
  lacksOn,
  type MadeOptions,
  sets,
  turns,
} from './setting.ts';

// Mailpit's settings (its cmd/root.go), in the order of its help page.

/** The options of a server in Mailpit's place, where nothing else sets them. */
export const MAILPIT_DEFAULTS = {
  auth: 'off',
  smtpSize: 50 * 1024 ** 2,
  // MailHog shares the path that deletes messages, and its answer there is another.
  compat: COMPAT_NAMES.filter((name) => name !== 'mailhog'),
};

/** Mailpit's variables and flags, one a row. */
export const MAILPIT_SETTINGS: readonly CatcherSetting[] = [
  formerly(
    sets(
      'MP_DATABASE',
      'database -d',
      'Keeps the mail, in the directory of that name with `.mailcap` at its end',
      keepIn,
    ),
    'MP_DATA_FILE',
  ),
  sets(null, 'db-file', 'The same as `--database`', keepIn),
  holdsOn('MP_DISABLE_WAL', 'disable-wal', 'Concerns SQLite'),
  holdsOn('MP_DISABLE_VERSION_CHECK', 'disable-version-check', 'The server never asks for updates'),
  holdsOn('MP_DISABLE_AUTO_VACUUM', 'disable-auto-vacuum', 'Concerns SQLite'),
  holds('MP_COMPRESSION', 'compression', 'Concerns SQLite'),
  lacks('MP_LABEL', 'label', 'shows a name of the server'),
  lacks('MP_TENANT_ID', 'tenant-id', 'separates servers that share a database'),
  lacks('MP_MAX_MESSAGES', 'max -m', 'deletes the oldest mail over that number'),
  lacks('MP_MAX_AGE', 'max-age', 'deletes mail that is older'),
  sets('MP_MAX_MESSAGE_SIZE', 'max-message-size', '`--smtp-size`, in MiB; 0 is the most, 1 GiB', (value, options) => {
    const megabytes = wholeOf(value);
    if (megabytes === null) options.tell('MP_MAX_MESSAGE_SIZE: expected a number of megabytes.');
    else options.set('smtpSize', megabytes === 0 || megabytes > 1024 ? 1024 ** 3 : megabytes * 1024 ** 2);
  }),
  lacksOn('MP_USE_MESSAGE_DATES', 'use-message-dates', 'takes the Date of a mail as the time of its arrival'),
  lacksOn('MP_IGNORE_DUPLICATE_IDS', 'ignore-duplicate-ids', 'drops mail whose Message-ID came before'),
  lacks('MP_LOG_FILE', 'log-file', 'writes the log to a file'),
  turns('MP_QUIET', 'quiet -q', '`--log-level error`', (options) => options.set('logLevel', 'error')),
  turns('MP_VERBOSE', 'verbose -v', '`--log-level info`', (options) => options.set('logLevel', 'info')),

  sets('MP_UI_BIND_ADDR', 'listen -l', '`--host` and `--port`', (value, options) => listenOn(value, options, 'host')),
  sets('MP_WEBROOT', 'webroot', '`--webroot`', (value, options) => options.set('webroot', value)),
  sets('MP_UI_AUTH', null, 'Who may use the API and the inbox, `name:password` with spaces between', (value, options) =>
    options.set('httpUsers', splitUsers(value)),
  ),
  sets('MP_UI_AUTH_FILE', 'ui-auth-file', 'The same, from a file', (value, options) =>
    options.set('httpUsers', usersIn(value, options)),
  ),
  formerly(lacks('MP_UI_TLS_CERT', 'ui-tls-cert', 'serves the API and the inbox by HTTPS'), 'MP_UI_SSL_CERT'),
  formerly(lacks('MP_UI_TLS_KEY', 'ui-tls-key', 'serves the API and the inbox by HTTPS'), 'MP_UI_SSL_KEY'),
  lacks('MP_API_CORS', 'api-cors', 'lets pages of other origins read the API'),
  holdsOn('MP_BLOCK_REMOTE_CSS_AND_FONTS', 'block-remote-css-and-fonts', 'The view of a mail loads nothing'),
  lacksOn('MP_ALLOW_INTERNAL_HTTP_REQUESTS', 'allow-internal-http-requests', 'lets checks reach private addresses'),
  holdsOn('MP_DISABLE_LINK_CHECK_RATE_LIMIT', 'disable-link-check-rate-limit', 'Checks have no such limit'),
  sets(
    'MP_ENABLE_SPAMASSASSIN',
    'enable-spamassassin',
    '`--spamd`; not `postmark`, a service outside',
    (value, options) => {
      if (value === 'postmark')
        options.tell('MP_ENABLE_SPAMASSASSIN=postmark would send mail to a service outside: not done.');
      else options.set('spamd', value);
    },
  ),
  lacksOn('MP_ALLOW_UNTRUSTED_TLS', 'allow-untrusted-tls', 'lets checks trust any certificate'),
  holdsOn('MP_DISABLE_HTTP_COMPRESSION', 'disable-http-compression', 'The API is not compressed'),
  holdsOn('MP_HIDE_DELETE_ALL_BUTTON', 'hide-delete-all-button', 'Concerns a button of its inbox'),

  sets('MP_SEND_API_AUTH', null, 'Who may send by the API, if these are others', (value, options) =>
    options.set('sendUsers', splitUsers(value)),
  ),
  sets('MP_SEND_API_AUTH_FILE', 'send-api-auth-file', 'The same, from a file', (value, options) =>
    options.set('sendUsers', usersIn(value, options)),
  ),
  turns('MP_SEND_API_AUTH_ACCEPT_ANY', 'send-api-auth-accept-any', 'Everybody may send by the API', (options) =>
    options.set('sendUsers', []),
  ),

  sets('MP_SMTP_BIND_ADDR', 'smtp -s', '`--smtp-host` and `--smtp-port`', (value, options) =>
    listenOn(value, options, 'smtpHost'),
  ),
  sets('MP_SMTP_AUTH', null, 'Who may send by SMTP, `name:password` with spaces between', (value, options) =>
    options.set('smtpUsers', splitUsers(value)),
  ),
  sets('MP_SMTP_AUTH_FILE', 'smtp-auth-file', 'The same, from a file', (value, options) =>
    options.set('smtpUsers', usersIn(value, options)),
  ),
  holdsOn('MP_SMTP_AUTH_ACCEPT_ANY', 'smtp-auth-accept-any', 'Any name and password is taken unless there are users'),
  formerly(
    sets(
      'MP_SMTP_TLS_CERT',
      'smtp-tls-cert',
      '`--tls-cert` and `--starttls on`; `sans:localhost`: `--tls-names`',
      tlsOf,
    ),
    'MP_SMTP_SSL_CERT',
  ),
  sets(null, 'smtp-ssl-cert', 'The same as `--smtp-tls-cert`', tlsOf),
  formerly(sets('MP_SMTP_TLS_KEY', 'smtp-tls-key', '`--tls-key`', keyOf), 'MP_SMTP_SSL_KEY'),
  sets(null, 'smtp-ssl-key', 'The same as `--smtp-tls-key`', keyOf),
  formerly(
    turns('MP_SMTP_REQUIRE_STARTTLS', 'smtp-require-starttls', '`--smtp-tls required`', (options) =>
      options.set('smtpTls', 'required'),
    ),
    'MP_SMTP_TLS_REQUIRED',
  ),
  turns('MP_SMTP_REQUIRE_TLS', 'smtp-require-tls', '`--smtp-tls implicit`', (options) =>
    options.set('smtpTls', 'implicit'),
  ),
  holdsOn('MP_SMTP_AUTH_ALLOW_INSECURE', 'smtp-auth-allow-insecure', 'Clients may sign in without TLS'),
  formerly(
    lacksOn('MP_SMTP_STRICT_RFC_HEADERS', 'smtp-strict-rfc-headers', 'refuses mail with CR CR LF in its header'),
    'MP_STRICT_RFC_HEADERS',
  ),
  lacks('MP_SMTP_MAX_RECIPIENTS', 'smtp-max-recipients', 'refuses mail to more recipients'),
  lacks('MP_SMTP_ALLOWED_RECIPIENTS', 'smtp-allowed-recipients', 'refuses recipients that do not match'),
  lacksOn('MP_SMTP_IGNORE_REJECTED_RECIPIENTS', 'smtp-ignore-rejected-recipients', 'drops mail to them instead'),
  holdsOn('MP_SMTP_DISABLE_RDNS', 'smtp-disable-rdns', 'The server looks up no client'),

  lacks('MP_SMTP_RELAY_CONFIG', 'smtp-relay-config', 'reads the relay from a YAML file'),
  lacksOn('MP_SMTP_RELAY_ALL', 'smtp-relay-all', 'sends all mail on'),
  lacks('MP_SMTP_RELAY_MATCHING', 'smtp-relay-matching', 'sends mail to such recipients on'),
  sets('MP_SMTP_RELAY_HOST', null, '`--relay`, with the port, the name and the password', relayOf),
  ...['PORT', 'TLS', 'USERNAME', 'PASSWORD'].map((part) => holds(`MP_SMTP_RELAY_${part}`, null, 'A part of `--relay`')),
  holds('MP_SMTP_RELAY_STARTTLS', null, 'The relay is asked for STARTTLS if it offers it'),
  holds('MP_SMTP_RELAY_AUTH', null, 'How to sign in at the relay is agreed with it'),
  lacksOn('MP_SMTP_RELAY_ALLOW_INSECURE', null, 'trusts any certificate of the relay'),
  lacks('MP_SMTP_RELAY_SECRET', null, 'signs in at the relay by CRAM-MD5'),
  lacks('MP_SMTP_RELAY_RETURN_PATH', null, 'replaces the envelope sender of released mail'),
  lacks('MP_SMTP_RELAY_OVERRIDE_FROM', null, 'replaces From of released mail'),
  lacks('MP_SMTP_RELAY_ALLOWED_RECIPIENTS', null, 'releases mail only to such recipients'),
  lacks('MP_SMTP_RELAY_BLOCKED_RECIPIENTS', null, 'releases no mail to such recipients'),
  holdsOn('MP_SMTP_RELAY_PRESERVE_MESSAGE_IDS', null, 'Released mail keeps its Message-ID'),
  lacksOn('MP_SMTP_RELAY_FWD_SMTP_ERRORS', null, 'answers a client with the error of the relay'),
  lacks('MP_SMTP_FORWARD_CONFIG', 'smtp-forward-config', 'sends a copy of all mail on'),
  lacks('MP_SMTP_FORWARD_HOST', null, 'sends a copy of all mail on'),
  ...['PORT', 'STARTTLS', 'TLS', 'ALLOW_INSECURE', 'AUTH', 'USERNAME', 'PASSWORD', 'SECRET', 'RETURN_PATH'].map(
    (part) => holds(`MP_SMTP_FORWARD_${part}`, null, 'Belongs to `MP_SMTP_FORWARD_HOST`'),
  ),
  ...['OVERRIDE_FROM', 'TO', 'FWD_SMTP_ERRORS'].map((part) =>
    holds(`MP_SMTP_FORWARD_${part}`, null, 'Belongs to `MP_SMTP_FORWARD_HOST`'),
  ),

  holdsOn('MP_ENABLE_CHAOS', 'enable-chaos', '[Faults](faults.md) can always be set'),
  lacks('MP_CHAOS_TRIGGERS', 'chaos-triggers', 'sets faults from the start'),
  lacks('MP_POP3_BIND_ADDR', 'pop3', 'serves all mail by POP3; here `--pop3-port` serves mailboxes'),
  lacks('MP_POP3_AUTH', null, 'serves all mail by POP3; here `--pop3-port` serves mailboxes'),
  lacks('MP_POP3_AUTH_FILE', 'pop3-auth-file', 'serves all mail by POP3; here `--pop3-port` serves mailboxes'),
  lacks('MP_POP3_TLS_CERT', 'pop3-tls-cert', 'serves POP3 by TLS; here `--pop3s-port` does'),
  lacks('MP_POP3_TLS_KEY', 'pop3-tls-key', 'serves POP3 by TLS; here `--pop3s-port` does'),
  lacks('MP_TAG', 'tag -t', 'tags mail that matches'),
  lacks('MP_TAGS_CONFIG', 'tags-config', 'tags mail that matches, by a YAML file'),
  lacksOn('MP_TAGS_TITLE_CASE', 'tags-title-case', 'writes tags with capitals'),
  lacks('MP_TAGS_DISABLE', 'tags-disable', 'tags no mail by X-Tags or plus-addresses'),
  lacksOn('MP_TAGS_USERNAME', 'tags-username', 'tags mail with the name of the sign-in'),
  lacks(
    'MP_ENABLE_PROMETHEUS',
    'enable-prometheus',
    'serves metrics at `/metrics`; here they are at `/_mailcap/metrics`',
  ),
  lacks('MP_WEBHOOK_URL', 'webhook-url', 'posts each mail to a URL; here [webhooks](api.md#webhooks) do'),
  holds('MP_WEBHOOK_LIMIT', 'webhook-limit', 'Belongs to `MP_WEBHOOK_URL`'),
  holds('MP_WEBHOOK_DELAY', 'webhook-delay', 'Belongs to `MP_WEBHOOK_URL`'),
  holdsOn('MP_DISABLE_HTML_CHECK', 'disable-html-check', 'Mailpit reads it no more either'),
  lacksOn('MP_DEMO_MODE', null, 'turns sending, release and link checks off'),
  // Its sendmail reads these.
  holds('MP_SENDMAIL_SMTP_ADDR', null, 'Where `mailpit sendmail` sends'),
  holds('MP_SENDMAIL_FROM', null, 'The sender of `mailpit sendmail`'),
];

/** Reads the users of a file. A file without any is refused at the start, as one line that names nobody. */
function usersIn(path: string, options: MadeOptions): readonly string[] {
  const users = splitUsers(options.read(path));
  return users.length === 0 ? [''] : users;
}

function keepIn(value: string, options: MadeOptions): void {
  if (/^https?:/i.test(value)) {
    options.tell('MP_DATABASE: the server keeps no mail in rqlite. Its mail ends with it.');
    return;
  }
  const isDirectory = value.endsWith('/');
  options.set('dataDir', isDirectory ? `${value}mailpit.db.mailcap` : `${value}.mailcap`);
  options.set('ephemeral', false);
}

function listenOn(value: string, options: MadeOptions, host: 'host' | 'smtpHost'): void {
  const address = bindAddress(value);
  if (address === null) {
    options.tell(`${value} is no address and port to listen on, so it is not used.`);
    return;
  }
  options.set(host, address.host);
  options.set(host === 'host' ? 'port' : 'smtpPort', address.port);
}

const MADE_UP = /^sans:/i;

function tlsOf(value: string, options: MadeOptions): void {
  if (MADE_UP.test(value)) options.set('tlsNames', value.replace(MADE_UP, ''));
  else options.set('tlsCert', value);
  options.set('starttls', 'on');
}

function keyOf(value: string, options: MadeOptions): void {
  if (!MADE_UP.test(value)) options.set('tlsKey', value);
}

function relayOf(host: string, options: MadeOptions): void {
  const part = (name: string) => options.other(`MP_SMTP_RELAY_${name}`);
  const [user, password] = [part('USERNAME'), part('PASSWORD')].map((text) => encodeURIComponent(text ?? ''));
  const credentials = user === '' ? '' : `${user}:${password}@`;
  const scheme = /^(1|true|yes)$/i.test(part('TLS') ?? '') ? 'smtps' : 'smtp';
  options.set('relay', `${scheme}://${credentials}${host}:${part('PORT') ?? '25'}`);
}

function wholeOf(value: string): number | null {
  return /^\d{1,6}$/.test(value.trim()) ? Number(value) : null;
}
