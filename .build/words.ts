import type { ClientErrorCode } from '../src/client/errors.ts';
import type { OptionName } from '../src/config/options.ts';
import type { EventType } from '../src/domain/event.ts';

// This module holds the sentences of generated tables that are nowhere else in the code. A missing name is a compile
// error.

export const OPTION_WORDS = {
  host: 'The address to listen on',
  smtpHost: 'The address of SMTP, if it is another than `--host`',
  port: 'The HTTP port',
  smtpPort: 'The SMTP port',
  smtpsPort: 'A second SMTP port with TLS from the first byte',
  pop3Port: 'A port for [POP3](imap.md)',
  pop3sPort: 'A port for POP3 with TLS from the first byte',
  imapPort: 'A port for [IMAP](imap.md)',
  imapsPort: 'A port for IMAP with TLS from the first byte',
  dataDir: 'The directory that stores the state',
  ephemeral: 'Nothing outlives the process',
  mailDomain: 'The domain that the mailboxes live under',
  plan: 'The plan of the seeded workspace',
  limits: '`off` lifts the rate limits and the daily caps. Counters still count',
  apiKey: 'The development key, `svc_live_...`. By default the server makes one and keeps it',
  store: 'Where the state is kept: `memory:`, `file:<dir>` or a [PostgreSQL](postgres.md) URL',
  storeFile: 'A file whose one line is the URL of `--store`',
  storePool: 'The most connections to PostgreSQL, 5 or more',
  storeBlobs:
    'With PostgreSQL, [a bucket](postgres.md#bodies-in-s3) for the bodies: `s3://bucket/prefix?endpoint=https://...`',
  publicUrl: 'The URL under which [a balancer](postgres.md#behind-a-balancer) serves this server',
  drain: 'The seconds for which the listeners stay open after a stop begins',
  publicSmtp: 'The `host:port` under which a balancer serves SMTP',
  relay: 'The SMTP URL for [outbound mail](contract.md#delivery): `smtp://user:pass@host:587`',
  clamd: 'The clamd that scans attachments: `host:port`',
  spamd: 'The SpamAssassin daemon that [scores mail](checks.md#spam): `host:port`',
  catchAll: 'Whether the inbox takes mail for no other mailbox, or SMTP refuses it',
  logLevel: 'How much goes to standard error',
  json: 'One line of JSON when the server is up, then one line for each event',
  open: 'Open the URL in the browser',
  durability: 'What acknowledged mail survives: `fsync` a power cut, `os` a killed process',
  smtpAuth: '`strict`: no mail without a sign-in, and the password is an API key',
  smtpSize: 'The largest message taken',
  captureQuota:
    'The most bytes of a webhook’s captured requests. Over it, [the oldest go](webhooks.md#how-much-is-kept)',
  captureTotal: 'The most bytes of all captured requests',
  starttls: 'When [STARTTLS](tls.md) is offered. `auto`: with `--tls-cert`',
  tlsCert: 'A PEM file with the certificate. Without it the server creates [one](tls.md)',
  tlsKey: 'A PEM file with the private key of `--tls-cert`',
  smtpTls:
    'Whether a client must use TLS for mail. `required`: STARTTLS before it. `implicit`: from the first byte of `--smtp-port`',
  tlsNames: 'Further names in the self-signed certificate',
  auth: '`off`: the local API asks for no token, [for closed networks](drop-in.md#a-closed-network)',
  webroot: 'A path below which the server answers too: with `/mail`, `/mail/readyz` is `/readyz`',
  maxMessages: 'The most messages of a mailbox; the oldest go within half a minute',
  maxAge:
    'The time after which a message goes, as `12h` or `7d`, also before its [retention](contract.md#retention) ends',
  https: '[HTTPS](drop-in.md#https) in place of HTTP',
  allowedOrigins:
    'Hosts of [pages](drop-in.md#pages-of-other-sites) that may use the APIs of other catchers; `*` for all',
  allowedHosts: 'Further `Host` names that the local API answers to',
  adminToken:
    '[The token of the local API](security.md#who-can-reach-it) off loopback and with a public URL. By default the server makes and prints one',
  compat:
    'The mail catchers whose [APIs](from-mailpit.md#for-every-catcher) the server also serves: `on`, `off`, or names',
} as const satisfies Record<OptionName, string>;

export const EVENT_WORDS = {
  'message.received': 'A message came, by SMTP, by a send or by `POST /_mailcap/mailboxes/{id}/messages`',
  'message.updated': 'Messages were marked: read, starred or tagged. `messages` has each with its marks',
  'message.deleted': 'Messages were deleted, cleared or expired',
  'mailbox.created': 'A mailbox was made',
  'mailbox.updated': 'The settings of a mailbox changed',
  'mailbox.deleted': 'A mailbox was deleted with its mail, which gets no `message.deleted`',
  'webhook.created': 'A webhook was made',
  'webhook.updated': 'The settings of a webhook changed',
  'webhook.deleted': 'A webhook was deleted with its captured requests',
  'webhook.cleared': 'The captured requests of a webhook were deleted',
  'webhook.captured': 'A webhook got a request',
  'webhook.forwarded': 'A captured request was forwarded, or forwarding it failed',
  'webhook.trimmed': 'The oldest captured requests went, because of [a quota](webhooks.md#how-much-is-kept)',
  'send.updated': 'The state of a send or of one of its recipients changed',
  'suppression.added': 'An address was added to the suppression list',
  'smtp.refused': 'SMTP refused a connection, a sign-in, a sender, a recipient or a message',
  'fault.applied': 'A fault rule was applied',
  'totp.read': 'The code of an authenticator was read',
  'run.updated': 'The fixtures reported [an attempt at a test](runs.md). Without `testId`, a run was deleted',
  'clock.set':
    'The clock of a workspace was set, or that of the server. [What a shifted clock made expire](clock.md) may have come back',
  reset: 'The server went back to its seeded state',
} as const satisfies Record<EventType, string>;

export const CLIENT_ERROR_WORDS = {
  no_server: 'No server was named, and none runs in this directory or above it in the project',
  server_refused:
    'The `server.json` that was found [may be from another user or program](security.md#files-of-other-people)',
  no_api_key: 'There is no API key for this server',
  unreachable: 'The connection failed',
  timed_out: 'A call took longer than its timeout',
  unexpected_answer: 'The answer does not come from this API',
  local_only: 'The call needs the local API, which the cloud does not have',
  invalid_option: 'An option or a filter does not exist, or its value is not valid',
  unknown_workspace: 'The workspace is not known: set `MAILCAP_WORKSPACE_ID`',
  unknown_mail_domain: 'The mail domain is not known: set `MAILCAP_MAIL_DOMAIN`',
  unknown_webhook_base_url: 'The webhook base URL is not known: set `MAILCAP_WEBHOOK_BASE_URL`',
  no_message: 'No message matched in time. The error lists the messages that came, and why each did not match',
  several_messages: 'Several new messages match, but the wait returns one',
  unexpected_message: 'A message came although the test expected none',
  no_code: 'The message holds no code',
  several_codes: 'Several codes are equally likely',
  no_link: 'The message holds no link of that kind',
  no_one_click: 'The message has no address for one click in List-Unsubscribe (RFC 8058)',
  unsubscribe_failed: 'The address of List-Unsubscribe did not answer the POST with a 2xx',
  several_links: 'Several links are equally likely',
  relative_link: 'The link has no host, and no `base` was given',
  no_request: 'No captured request matched in time',
  several_requests: 'Several new requests match, but the wait returns one',
  requests_trimmed: 'Requests made room for newer ones, so nobody can tell whether one of them matched',
  unexpected_request: 'A request came although the test expected none',
  no_fresh_code: 'The next unused code becomes valid only after the timeout',
  not_json: 'The body of a captured request is not JSON',
} as const satisfies Record<ClientErrorCode, string>;
