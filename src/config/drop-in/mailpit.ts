import { parseAddress } from '../../domain/address-list.ts';
import { chaosRule, TRIGGER_NAMES } from '../../domain/chaos.ts';
import { splitUsers } from '../../domain/htpasswd.ts';
import { cleanTags } from '../../domain/marks.ts';
import { MOST_RECIPIENTS } from '../../domain/routing.ts';
import { isUrl } from '../../text/url.ts';
import { readAge } from '../checks.ts';
import { patternOf, readTagSearch } from '../mail-rules.ts';
import { COMPAT_NAMES } from '../options.ts';
import { ConfigError } from '../user-error.ts';
import {
  bindAddress,
  type CatcherSetting,
  holds,
  holdsOn,
  isOn,
  lacks,
  lacksOn,
  type MadeOptions,
  mostMessages,
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
  tagging: { xTags: true, plusAddresses: true },
};

/** The parts of the URL of a server that gets mail, each with what it does. */
const RELAY_PARTS = [
  ['PORT', 'The port; 25 without it'],
  ['TLS', 'TLS from the first byte'],
  ['STARTTLS', 'STARTTLS is required; without it none is tried'],
  ['ALLOW_INSECURE', 'Any certificate is trusted'],
  ['AUTH', '`plain`, `login` or `cram-md5`; without it nobody signs in'],
  ['USERNAME', 'The name'],
  ['PASSWORD', 'The password of `plain` and `login`'],
  ['SECRET', 'The secret of `cram-md5`'],
] as const;

/** Mailpit's variables and flags, one a row. */
export const MAILPIT_SETTINGS: readonly CatcherSetting[] = [
  sets(
    'MP_DATABASE MP_DATA_FILE',
    'database -d db-file',
    'Keeps the mail, in the directory of that name with `.mailcap` at its end',
    keepIn,
  ),
  holdsOn('MP_DISABLE_WAL', 'disable-wal', 'Concerns SQLite'),
  holdsOn('MP_DISABLE_VERSION_CHECK', 'disable-version-check', 'The server never asks for updates'),
  holdsOn('MP_DISABLE_AUTO_VACUUM', 'disable-auto-vacuum', 'Concerns SQLite'),
  holds('MP_COMPRESSION', 'compression', 'Concerns SQLite'),
  sets('MP_LABEL', 'label', 'The name in `/api/v1/webui`', 'label'),
  lacks('MP_TENANT_ID', 'tenant-id', 'separates servers that share a database'),
  sets('MP_MAX_MESSAGES', 'max -m', '`--max-messages`; without it there is no limit', mostMessages),
  sets('MP_MAX_AGE', 'max-age', '`--max-age`', (value, options) => {
    if (readAge(value) === null) options.tell(`MP_MAX_AGE=${value} is no time such as 12h or 7d, so it is not used.`);
    else options.set('maxAge', value);
  }),
  sets('MP_MAX_MESSAGE_SIZE', 'max-message-size', '`--smtp-size`, in MiB; 0 is the most, 1 GiB', (value, options) => {
    const megabytes = wholeOf(value);
    if (megabytes === null) options.tell('MP_MAX_MESSAGE_SIZE: expected a number of megabytes.');
    else options.set('smtpSize', megabytes === 0 || megabytes > 1024 ? 1024 ** 3 : megabytes * 1024 ** 2);
  }),
  lacksOn('MP_USE_MESSAGE_DATES', 'use-message-dates', 'takes the Date of a mail as the time of its arrival'),
  lacksOn('MP_IGNORE_DUPLICATE_IDS', 'ignore-duplicate-ids', 'drops mail whose Message-ID came before'),
  lacks('MP_LOG_FILE', 'log-file', 'writes the log to a file'),
  turns('MP_QUIET', 'quiet -q', '`--log-level error`', { logLevel: 'error' }),
  turns('MP_VERBOSE', 'verbose -v', '`--log-level info`', { logLevel: 'info' }),

  sets('MP_UI_BIND_ADDR', 'listen -l', '`--host` and `--port`', (value, options) => listenOn(value, options, 'host')),
  sets('MP_WEBROOT', 'webroot', '`--webroot`', 'webroot'),
  sets(
    'MP_UI_AUTH',
    null,
    'Who may use the API and the inbox, `name:password` with spaces between',
    'httpUsers',
    splitUsers,
  ),
  sets('MP_UI_AUTH_FILE', 'ui-auth-file', 'The same, from a file', 'httpUsers', usersIn),
  sets(
    'MP_UI_TLS_CERT MP_UI_SSL_CERT',
    'ui-tls-cert ui-ssl-cert',
    '`--https on`, with the certificate of SMTP if there is one',
    httpsOf,
  ),
  sets('MP_UI_TLS_KEY MP_UI_SSL_KEY', 'ui-tls-key ui-ssl-key', 'The key for it', keyBesideMail),
  sets('MP_ALLOWED_HOSTS', 'allowed-hosts', '`--allowed-hosts`, at any port', 'allowedHosts', hostsOf),
  sets('MP_API_CORS', 'api-cors', '`--allowed-origins`', 'allowedOrigins', originsOf),
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
  lacks('MP_ENABLE_RSPAMD', 'enable-rspamd', 'asks Rspamd for a spam score'),
  lacksOn('MP_ALLOW_UNTRUSTED_TLS', 'allow-untrusted-tls', 'lets checks trust any certificate'),
  holdsOn('MP_DISABLE_HTTP_COMPRESSION', 'disable-http-compression', 'The API is not compressed'),
  holdsOn('MP_HIDE_DELETE_ALL_BUTTON', 'hide-delete-all-button', 'Concerns a button of its inbox'),

  sets('MP_SEND_API_AUTH', null, 'Who may send by the API, if these are others', 'sendUsers', splitUsers),
  sets('MP_SEND_API_AUTH_FILE', 'send-api-auth-file', 'The same, from a file', 'sendUsers', usersIn),
  turns('MP_SEND_API_AUTH_ACCEPT_ANY', 'send-api-auth-accept-any', 'Everybody may send by the API', { sendUsers: [] }),

  sets('MP_SMTP_BIND_ADDR', 'smtp -s', '`--smtp-host` and `--smtp-port`', (value, options) =>
    listenOn(value, options, 'smtpHost'),
  ),
  sets('MP_SMTP_AUTH', null, 'Who may send by SMTP, `name:password` with spaces between', 'smtpUsers', splitUsers),
  sets('MP_SMTP_AUTH_FILE', 'smtp-auth-file', 'The same, from a file', 'smtpUsers', usersIn),
  holdsOn('MP_SMTP_AUTH_ACCEPT_ANY', 'smtp-auth-accept-any', 'Any name and password is taken unless there are users'),
  sets(
    'MP_SMTP_TLS_CERT MP_SMTP_SSL_CERT',
    'smtp-tls-cert smtp-ssl-cert',
    '`--tls-cert` and `--starttls on`; `sans:localhost`: `--tls-names`',
    tlsOf,
  ),
  sets('MP_SMTP_TLS_KEY MP_SMTP_SSL_KEY', 'smtp-tls-key smtp-ssl-key', '`--tls-key`', keyOf),
  turns(
    'MP_SMTP_REQUIRE_STARTTLS MP_SMTP_TLS_REQUIRED',
    'smtp-require-starttls smtp-tls-required',
    '`--smtp-tls required`',
    {
      smtpTls: 'required',
    },
  ),
  turns('MP_SMTP_REQUIRE_TLS', 'smtp-require-tls', '`--smtp-tls implicit`', { smtpTls: 'implicit' }),
  holdsOn('MP_SMTP_AUTH_ALLOW_INSECURE', 'smtp-auth-allow-insecure', 'Clients may sign in without TLS'),
  lacksOn(
    'MP_SMTP_STRICT_RFC_HEADERS MP_STRICT_RFC_HEADERS',
    'smtp-strict-rfc-headers',
    'refuses mail with CR CR LF in its header',
  ),
  sets('MP_SMTP_MAX_RECIPIENTS', 'smtp-max-recipients', '`recipients.most`; without it 1,000', recipientsOf),
  sets(
    'MP_SMTP_ALLOWED_RECIPIENTS',
    'smtp-allowed-recipients',
    '`recipients.allowed`, a regular expression of JavaScript',
    recipientsOf,
  ),
  holdsOn(
    'MP_SMTP_IGNORE_REJECTED_RECIPIENTS',
    'smtp-ignore-rejected-recipients',
    '`recipients.dropOthers`: mail to others is taken and dropped',
  ),
  holdsOn('MP_SMTP_DISABLE_RDNS', 'smtp-disable-rdns', 'The server looks up no client'),

  sets('MP_SMTP_RELAY_CONFIG', 'smtp-relay-config', 'The settings of the relay, from a YAML file', leaveBy),
  turns('MP_SMTP_RELAY_ALL', 'smtp-relay-all', '`autoRelay`: all mail is sent on', (options) => leaveBy('', options)),
  sets('MP_SMTP_RELAY_MATCHING', 'smtp-relay-matching', '`autoRelay`, for recipients that match', leaveBy),
  sets('MP_SMTP_RELAY_HOST', null, '`--relay`, with the port, the name and the password', leaveBy),
  ...RELAY_PARTS.map(([part, does]) => holds(`MP_SMTP_RELAY_${part}`, null, does)),
  holds('MP_SMTP_RELAY_RETURN_PATH', null, '`release.sender`: the envelope sender of released mail'),
  holds('MP_SMTP_RELAY_OVERRIDE_FROM', null, '`from`: replaces From and the envelope sender'),
  holds('MP_SMTP_RELAY_ALLOWED_RECIPIENTS', null, '`release.rules`: released mail goes to these alone'),
  holds('MP_SMTP_RELAY_BLOCKED_RECIPIENTS', null, '`rules`: no mail leaves to these'),
  lacks('MP_SMTP_RELAY_SUBJECT_PREFIX', null, 'writes a text before the subject of mail that leaves'),
  holdsOn('MP_SMTP_RELAY_PRESERVE_MESSAGE_IDS', null, 'Released mail keeps its Message-ID'),
  lacksOn('MP_SMTP_RELAY_FWD_SMTP_ERRORS', null, 'answers a client with the error of the relay'),
  sets('MP_SMTP_FORWARD_CONFIG', 'smtp-forward-config', 'The settings of forwarding, from a YAML file', leaveBy),
  sets('MP_SMTP_FORWARD_HOST', null, '`autoRelay`: a copy of all mail goes to `MP_SMTP_FORWARD_TO`', leaveBy),
  holds('MP_SMTP_FORWARD_TO', null, 'Addresses with commas between them'),
  ...RELAY_PARTS.map(([part, does]) => holds(`MP_SMTP_FORWARD_${part}`, null, does)),
  holds('MP_SMTP_FORWARD_RETURN_PATH', null, 'Mailpit does not use it either'),
  holds('MP_SMTP_FORWARD_OVERRIDE_FROM', null, '`from`: replaces From and the envelope sender'),
  lacks('MP_SMTP_FORWARD_SUBJECT_PREFIX', null, 'writes a text before the subject of mail that leaves'),
  lacksOn('MP_SMTP_FORWARD_FWD_SMTP_ERRORS', null, 'answers a client with the error of the relay'),

  holdsOn('MP_ENABLE_CHAOS', 'enable-chaos', '[Faults](faults.md) can always be set'),
  sets('MP_CHAOS_TRIGGERS', 'chaos-triggers', '`faults`: [fault rules](faults.md) from the start on', chaosOf),
  holds('MP_POP3_BIND_ADDR', 'pop3', '`--pop3-port`, 1110 without it, on the address of the API; only with users'),
  sets('MP_POP3_AUTH', null, 'Who may read the inbox by POP3, `name:password` with spaces between', (value, options) =>
    pop3For(splitUsers(value), options),
  ),
  sets('MP_POP3_AUTH_FILE', 'pop3-auth-file', 'The same, from a file', (value, options) =>
    pop3For(usersIn(value, options), options),
  ),
  sets(
    'MP_POP3_TLS_CERT',
    'pop3-tls-cert',
    '`--pop3s-port` in place of `--pop3-port`, with the certificate of SMTP if there is one',
    certBesideMail,
  ),
  sets('MP_POP3_TLS_KEY', 'pop3-tls-key', 'The key of that certificate', keyBesideMail),
  sets('MP_TAG', 'tag -t', '`tagging.searches`: tags for mail that a search finds', tagsOf),
  sets('MP_TAGS_CONFIG', 'tags-config', 'The same, from a YAML file', tagsOf),
  sets('MP_TAGS_TITLE_CASE', 'tags-title-case', '`tagging.titleCase`', tagsOf),
  sets(
    'MP_TAGS_DISABLE',
    'tags-disable',
    '`tagging.xTags` and `tagging.plusAddresses`, which are on otherwise',
    tagsOf,
  ),
  sets('MP_TAGS_USERNAME', 'tags-username', '`tagging.user`', tagsOf),
  sets(
    'MP_ENABLE_PROMETHEUS',
    'enable-prometheus',
    "Mailpit's metrics are always at `/metrics`, with a port of their own never",
    (value, options) => {
      if (bindAddress(value) !== null)
        options.tell(
          'MP_ENABLE_PROMETHEUS: the metrics are at /metrics of the HTTP port, and have no port of their own.',
        );
    },
  ),
  sets(
    'MP_WEBHOOK_URL',
    'webhook-url',
    '`mailWebhook`: [new mail is posted there](#a-webhook-for-new-mail)',
    webhookOf,
  ),
  holds('MP_WEBHOOK_LIMIT', 'webhook-limit', 'The seconds between two requests, 1 without it; 0 posts all mail'),
  holds('MP_WEBHOOK_DELAY', 'webhook-delay', 'The seconds between the mail and its request'),
  holdsOn('MP_DISABLE_HTML_CHECK', 'disable-html-check', 'Mailpit reads it no more either'),
  lacksOn('MP_DEMO_MODE', null, 'turns sending, release and link checks off'),
  // Its sendmail reads these.
  holds('MP_SENDMAIL_SMTP_ADDR', null, 'Where `mailpit sendmail` sends'),
  holds('MP_SENDMAIL_FROM', null, 'The sender of `mailpit sendmail`'),
];

/** Reads the users of a file. A file without any is refused at the start, as one line that names nobody. */
function usersIn(path: string, options: MadeOptions): readonly string[] {
  // A line of an htpasswd file that begins with # is a comment.
  const users = splitUsers(options.read(path).replace(/^[ \t]*#.*$/gm, ''));
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
  const address = listenAddress(value, options);
  if (address === null) return;
  options.set(host, address.host);
  options.set(host === 'host' ? 'port' : 'smtpPort', address.port);
}

/**
 * Returns the address and port of a value. Null for Mailpit's sockets of Unix, which this server has not. Throws a
 * ConfigError for any other value, because Mailpit ends with it.
 */
function listenAddress(value: string, options: MadeOptions): ReturnType<typeof bindAddress> {
  const address = bindAddress(value);
  if (address !== null) return address;
  if (!/^unix:/i.test(value))
    throw new ConfigError(`${value} is no address and port to listen on, such as 127.0.0.1:8025.`);
  options.tell(`${value} is no address and port to listen on, so it is not used.`);
  return null;
}

const MADE_UP = /^sans:/i;

function tlsOf(value: string, options: MadeOptions): void {
  certOf(value, options);
  options.set('starttls', 'on');
}

function certOf(value: string, options: MadeOptions): void {
  if (MADE_UP.test(value)) options.set('tlsNames', value.replace(MADE_UP, ''));
  else options.set('tlsCert', value);
}

function keyOf(value: string, options: MadeOptions): void {
  if (!MADE_UP.test(value)) options.set('tlsKey', value);
}

/** HTTPS has the certificate of SMTP. Without one there, SMTP offers none of HTTPS either. */
function httpsOf(value: string, options: MadeOptions): void {
  options.set('https', 'on');
  const ofMail = options.other('MP_SMTP_TLS_CERT');
  if (ofMail !== null) {
    if (ofMail !== value && !MADE_UP.test(value))
      options.tell('MP_UI_TLS_CERT is not used: HTTPS has the certificate of MP_SMTP_TLS_CERT.');
    return;
  }
  certOf(value, options);
  options.set('starttls', 'off');
}

/** POP3 and HTTPS have the certificate of SMTP, or else one of their own. */
function certBesideMail(value: string, options: MadeOptions): void {
  if (options.other('MP_SMTP_TLS_CERT') === null) certOf(value, options);
}

function keyBesideMail(value: string, options: MadeOptions): void {
  if (options.other('MP_SMTP_TLS_CERT') === null) keyOf(value, options);
}

/** Reads the names of `MP_ALLOWED_HOSTS`. The port of one is left out, because the server has one port of HTTP. */
function hostsOf(value: string): readonly string[] {
  const given = value.split(/[\s,]+/).filter((one) => one !== '');
  return given.map((one) =>
    one
      .replace(/^https?:\/\//i, '')
      .replace(/\/.*/s, '')
      .replace(/^([^:]*|\[[^\]]*\]):\d+$/, '$1'),
  );
}

/** Reads the origins of `MP_API_CORS`. One that is none is told. */
function originsOf(value: string, options: MadeOptions): readonly string[] {
  const given = value.split(/[\s,]+/).filter((one) => one !== '');
  const isOrigin = (one: string) =>
    one === '*' || (!one.includes('*') && isUrl(/^https?:/i.test(one) ? one : `http://${one}`));
  const wrong = given.filter((one) => !isOrigin(one));
  if (wrong.length > 0) options.tell(`MP_API_CORS: ${wrong.join(', ')} is no origin, so it is not used.`);
  const right = given.filter(isOrigin);
  if (right.includes('*'))
    options.tell('MP_API_CORS=*: every web page that a user of this network opens may read and delete mail.');
  return right.map((one) => one.replace(/^((?:https?:\/\/)?[^/]*).*$/i, '$1'));
}

function recipientsOf(_value: string, options: MadeOptions): void {
  const [most, allowed] = [options.other('MP_SMTP_MAX_RECIPIENTS'), options.other('MP_SMTP_ALLOWED_RECIPIENTS')];
  const number = most === null ? null : wholeOf(most);
  if (most !== null && number === null) options.tell(`${most} is no number of recipients, so it is not used.`);
  if (allowed !== null && patternOf(allowed) === null)
    options.tell('MP_SMTP_ALLOWED_RECIPIENTS is no regular expression of JavaScript, so all recipients are taken.');
  options.set('recipients', {
    ...(number === null || number < 1 ? {} : { most: Math.min(number, MOST_RECIPIENTS) }),
    ...(allowed === null || patternOf(allowed) === null ? {} : { allowed }),
    dropOthers: isOn(options.other('MP_SMTP_IGNORE_REJECTED_RECIPIENTS') ?? ''),
  });
}

function chaosOf(value: string, options: MadeOptions): void {
  const rules = value.split(',').flatMap((text) => {
    const [, key = '', code = '', chance = ''] = /^\s*([a-z]+):(\d{3}):(\d{1,3})\s*$/i.exec(text) ?? [];
    const name = TRIGGER_NAMES.find(
      (one) => key !== '' && one.toLowerCase().startsWith(key.toLowerCase().replace(/s$/, '')),
    );
    const isRight = name !== undefined && Number(code) >= 400 && Number(code) <= 599 && Number(chance) <= 100;
    if (!isRight)
      options.tell(`MP_CHAOS_TRIGGERS: ${text.trim()} is no trigger such as Sender:451:5, so it is not used.`);
    return isRight ? [chaosRule(name, Number(code), Number(chance))] : [];
  });
  options.set('faults', rules);
}

const POP3_PORT = '1110';

function pop3For(users: readonly string[], options: MadeOptions): void {
  options.set('readerUsers', users);
  const given = options.other('MP_POP3_BIND_ADDR');
  const address = given === null ? null : listenAddress(given, options);
  const option = options.other('MP_POP3_TLS_CERT') === null ? 'pop3Port' : 'pop3sPort';
  options.set(option, address?.port ?? POP3_PORT);
}

/** Makes the rules for tags of all settings that concern them, whichever of them was given. */
function tagsOf(_value: string, options: MadeOptions): void {
  const disabled = (options.other('MP_TAGS_DISABLE') ?? '').toLowerCase();
  const file = options.other('MP_TAGS_CONFIG');
  const filters: unknown = file === null ? [] : options.readFields(file)['filters'];
  const rules = [...tagRules(options.other('MP_TAG') ?? '', options)];
  for (const filter of Array.isArray(filters) ? filters : []) {
    const { match, tags }: { match?: unknown; tags?: unknown } = Object(filter);
    rules.push({ query: textOf(match) ?? '', tags: (textOf(tags) ?? '').split(',') });
  }
  const searches = rules.filter(({ query, tags }) => {
    const why = cleanTags(tags).length === 0 ? 'it has no tag.' : readTagSearch(query);
    if (typeof why === 'string') options.tell(`The tag rule "${query}" is not used: ${why}`);
    return typeof why !== 'string';
  });
  options.set('tagging', {
    xTags: !/\bx-?tags\b/.test(disabled),
    plusAddresses: !disabled.includes('plus-address'),
    titleCase: isOn(options.other('MP_TAGS_TITLE_CASE') ?? ''),
    user: isOn(options.other('MP_TAGS_USERNAME') ?? ''),
    searches,
  });
}

/** Reads rules such as `News,Shop=from:shop "Big sale"=subject:sale`: words, each of which may have quotes. */
function tagRules(text: string, options: MadeOptions): { readonly query: string; readonly tags: readonly string[] }[] {
  const words = text.match(/(?:"[^"]*"?|[^" ])+/g) ?? [];
  return words.flatMap((word) => {
    const plain = word.replaceAll('"', '').trim();
    const at = plain.indexOf('=');
    if (at < 0) options.tell(`MP_TAG: ${plain} is no rule such as News=subject:news, so it is not used.`);
    return at < 0
      ? []
      : [
          {
            tags: plain.slice(0, at).split(','),
            query: plain
              .slice(at + 1)
              .trim()
              .toLowerCase(),
          },
        ];
  });
}

type LeavingKind = 'RELAY' | 'FORWARD';

/** Returns how to read the settings of a server that gets mail: from the file if there is one, else from variables. */
function partsOf(kind: LeavingKind, options: MadeOptions): (name: string) => string | null {
  const file = options.other(`MP_SMTP_${kind}_CONFIG`);
  const fields = file === null ? {} : options.readFields(file);
  return (name) => textOf(fields[name.toLowerCase().replaceAll('_', '-')]) ?? options.other(`MP_SMTP_${kind}_${name}`);
}

/** Makes the relay, what released mail must obey, and the rules of mail that leaves by itself, of all their settings. */
function leaveBy(_value: string, options: MadeOptions): void {
  const rules: object[] = [];
  const relay = partsOf('RELAY', options);
  const wantsAll = isOn(options.other('MP_SMTP_RELAY_ALL') ?? '');
  const matching = options.other('MP_SMTP_RELAY_MATCHING');
  const isRelayNamed = relay('HOST') !== null;
  if (!isRelayNamed && options.other('MP_SMTP_RELAY_CONFIG') !== null)
    options.tell('MP_SMTP_RELAY_CONFIG: the file names no host.');
  if (isRelayNamed) {
    const from = addressOf(relay('OVERRIDE_FROM'), 'MP_SMTP_RELAY_OVERRIDE_FROM', options);
    const sender = addressOf(relay('RETURN_PATH'), 'MP_SMTP_RELAY_RETURN_PATH', options);
    const blocked = denied(relay('BLOCKED_RECIPIENTS'), 'MP_SMTP_RELAY_BLOCKED_RECIPIENTS', options);
    const allowed = relay('ALLOWED_RECIPIENTS') ?? relay('RECIPIENT_ALLOWLIST');
    options.set('relay', relayUrl(relay));
    options.set('release', {
      ...{ ...from, ...(sender.from === undefined ? {} : { sender: sender.from }) },
      rules: [...onlyTo(allowed, 'MP_SMTP_RELAY_ALLOWED_RECIPIENTS', options), ...blocked],
    });
    const only = wantsAll ? [] : onlyTo(matching, 'MP_SMTP_RELAY_MATCHING', options);
    if (wantsAll || matching !== null) rules.push({ ...from, rules: [...only, ...blocked] });
  } else if (wantsAll || matching !== null)
    options.tell('MP_SMTP_RELAY_ALL and MP_SMTP_RELAY_MATCHING need MP_SMTP_RELAY_HOST: no mail is sent on.');
  const forward = partsOf('FORWARD', options);
  const to = (forward('TO') ?? '').split(',').flatMap((text) => parseAddress(text.trim())?.address ?? []);
  if (forward('HOST') !== null && to.length > 0) {
    const from = addressOf(forward('OVERRIDE_FROM'), 'MP_SMTP_FORWARD_OVERRIDE_FROM', options);
    rules.push({ relay: relayUrl(forward), to, ...from });
  } else if (forward('HOST') !== null || options.other('MP_SMTP_FORWARD_CONFIG') !== null)
    options.tell('MP_SMTP_FORWARD_HOST and MP_SMTP_FORWARD_TO need each other: no copy is sent.');
  options.set('autoRelay', rules);
}

function addressOf(text: string | null, name: string, options: MadeOptions): { readonly from?: string } {
  if (text === null || text.trim() === '') return {};
  const from = parseAddress(text.trim())?.address;
  if (from === undefined) options.tell(`${name}: ${text} is no address, so it is not used.`);
  return from === undefined ? {} : { from };
}

const NOBODY = [{ deny: '' }];

/** Returns the rules for recipients that match alone. A pattern that can't be read lets nobody through. */
function onlyTo(pattern: string | null, name: string, options: MadeOptions): readonly object[] {
  if (pattern === null || pattern === '') return [];
  return isPattern(pattern, name, options) ? [...NOBODY, { allow: pattern }] : NOBODY;
}

/** Returns the rules for all recipients but those that match. A pattern that can't be read lets nobody through. */
function denied(pattern: string | null, name: string, options: MadeOptions): readonly object[] {
  if (pattern === null || pattern === '') return [];
  return isPattern(pattern, name, options) ? [{ deny: pattern }] : NOBODY;
}

function isPattern(pattern: string, name: string, options: MadeOptions): boolean {
  if (patternOf(pattern) !== null) return true;
  options.tell(`${name} is no regular expression of JavaScript, so no mail leaves.`);
  return false;
}

/** Makes the URL of a server that gets mail. As in Mailpit, nobody signs in unless it is said how. */
function relayUrl(part: (name: string) => string | null): string {
  const isTls = isOn(part('TLS') ?? '');
  const url = new URL(`${isTls ? 'smtps' : 'smtp'}://${part('HOST')}:${part('PORT') || '25'}`);
  const auth = (part('AUTH') ?? '').toLowerCase();
  const method = auth.startsWith('cram')
    ? 'CRAM-MD5'
    : auth === 'plain' || auth === 'login'
      ? auth.toUpperCase()
      : null;
  if (method !== null) {
    url.username = encodeURIComponent(part('USERNAME') ?? '');
    url.password = encodeURIComponent(part(method === 'CRAM-MD5' ? 'SECRET' : 'PASSWORD') ?? '');
    url.searchParams.set('authMethod', method);
  }
  if (!isTls) url.searchParams.set(isOn(part('STARTTLS') ?? '') ? 'requireTLS' : 'ignoreTLS', 'true');
  if (isOn(part('ALLOW_INSECURE') ?? '')) url.searchParams.set('tls.rejectUnauthorized', 'false');
  return url.href;
}

/** Mailpit tells of one mail in a second unless a limit is given. */
function webhookOf(url: string, options: MadeOptions): void {
  const seconds = (name: string, otherwise: number) =>
    Math.min(wholeOf(options.other(`MP_WEBHOOK_${name}`) ?? '') ?? otherwise, MOST_SECONDS);
  if (!isUrl(url) || !/^https?:/i.test(url))
    options.tell('MP_WEBHOOK_URL is no URL of http or https: nothing is posted.');
  else options.set('mailWebhook', { url, everySeconds: seconds('LIMIT', 1), delaySeconds: seconds('DELAY', 0) });
}

const MOST_SECONDS = 10_000;

function textOf(value: unknown): string | null {
  return value === undefined || value === null || typeof value === 'object' ? null : String(value);
}

function wholeOf(value: string): number | null {
  return /^\d{1,6}$/.test(value.trim()) ? Number(value) : null;
}
