import type { ClientErrorCode } from '../src/client/errors.ts';
import type { OptionName } from '../src/config/options.ts';
import type { EventType } from '../src/domain/event.ts';

// The sentences of the generated tables that the code itself does not have. A missing name is a compile error.

export const OPTION_WORDS = {
  host: 'The address to listen on. Off loopback the local API asks for the admin token',
  port: 'The HTTP port. 0 takes any free port',
  smtpPort: 'The SMTP port. 0 takes any free port',
  smtpsPort: 'A second SMTP port with TLS from the first byte. 0 takes any free port',
  dataDir: 'The directory that keeps the state. It is made if it is missing',
  ephemeral: 'Nothing outlives the process',
  mailDomain: 'The domain that the mailboxes live under',
  plan: 'The plan of the seeded workspace',
  limits: '`off` lifts the rate limits and the daily caps. Counters still count',
  apiKey: 'The development key, `svc_live_...`. Without it a key is made once and kept',
  store: 'Where the state is kept: `memory:`, `file:<dir>` or a PostgreSQL URL ([postgres.md](postgres.md))',
  storeFile: 'A file whose one line is the URL of `--store`, for a secret that is mounted',
  storePool: 'The most connections to a PostgreSQL `--store`, 5 or more',
  storeBlobs:
    'A bucket in S3-compatible storage for the bytes of mail and captures, with a PostgreSQL `--store`: `s3://bucket/prefix?endpoint=https://...` ([postgres.md](postgres.md#bodies-in-s3))',
  publicUrl: 'The URL under which a balancer serves this server: in capture URLs, the ready line and the inbox',
  drain: 'The seconds between the begin of a stop, which health tells at once, and the end of the listeners',
  publicSmtp: 'Its `host:port` for SMTP, likewise',
  relay: 'The SMTP URL that outbound mail is relayed to: `smtp://user:pass@host:587`',
  clamd: 'The clamd daemon that scans attachments: `host:port`',
  spamd: 'The SpamAssassin daemon that scores a mail when it is [checked](checks.md#spam): `host:port`',
  catchAll: '`on`: the inbox mailbox takes mail for nobody’s mailbox. `off`: such mail gets `550 5.1.1`',
  logLevel: 'How much is logged. Logs go to standard error',
  json: 'One line of JSON when the server is up, then one line for each event',
  open: 'Open the URL in the browser',
  durability: 'What `250` survives: `fsync` a power cut, `os` a killed process',
  smtpAuth: '`strict`: no mail without a sign-in, and the password is an API key',
  smtpSize: 'The largest message taken',
  starttls: 'Whether STARTTLS is offered. `auto`: only with `--tls-cert`, and honoured always',
  tlsCert: 'A PEM file with the certificate for TLS. Without it a self-signed one is made',
  tlsKey: 'A PEM file with the private key of `--tls-cert`',
  allowedHosts: 'Further `Host` names that the local API answers to, with commas between them',
  adminToken: 'The token of the local API off loopback. Without it a token is made and printed',
  compat:
    'The mail catchers whose API the server also speaks, under [their own paths](from-mailpit.md): `on`, `off`, or names with commas between them',
} as const satisfies Record<OptionName, string>;

export const EVENT_WORDS = {
  'message.received': 'A message came, by SMTP, by a send or by `POST /_mailcap/mailboxes/{id}/messages`',
  'message.deleted': 'Messages were deleted, cleared or expired',
  'mailbox.created': 'A mailbox was made',
  'mailbox.deleted':
    'A mailbox was deleted with its mail. It stands for its messages: none has a `message.deleted` of its own',
  'webhook.captured': 'A capture URL got a request',
  'webhook.forwarded': 'A captured request was forwarded, or forwarding it failed',
  'send.updated': 'A send, or one of its recipients, has another state',
  'suppression.added': 'An address came onto the suppression list',
  'smtp.refused': 'SMTP refused a connection, a sign-in, a sender, a recipient or a message',
  'fault.applied': 'A fault rule was applied',
  'totp.read': 'The code of an authenticator was read',
  reset: 'The server went back to its seeded state',
} as const satisfies Record<EventType, string>;

export const CLIENT_ERROR_WORDS = {
  no_server: 'No server was named and none runs in this directory or above it',
  no_api_key: 'There is no API key for this server',
  unreachable: 'The connection failed',
  timed_out: 'A call took longer than its timeout',
  unexpected_answer: 'What answered is not this API',
  local_only: 'The call needs the local API, which the cloud does not have',
  invalid_option: 'An option or a filter does not exist, or its value means nothing',
  unknown_workspace: 'The workspace could not be found out: set `MAILCAP_WORKSPACE_ID`',
  unknown_mail_domain: 'The mail domain could not be found out: set `MAILCAP_MAIL_DOMAIN`',
  unknown_webhook_base_url: 'The webhook base URL could not be found out: set `MAILCAP_WEBHOOK_BASE_URL`',
  no_message: 'No message matched in time. The error lists what came and what refused it',
  several_messages: 'Several new messages match and one was meant',
  unexpected_message: 'A message came that must not have come',
  no_code: 'The message holds no code',
  several_codes: 'Several codes are equally likely',
  no_link: 'The message holds no link of that kind',
  no_one_click: 'The message has no address for one click in List-Unsubscribe (RFC 8058)',
  unsubscribe_failed: 'The address of List-Unsubscribe did not answer the POST with a 2xx',
  several_links: 'Several links may be meant',
  relative_link: 'The link that is meant has no host, and no `base` was given',
  no_request: 'No captured request matched in time',
  several_requests: 'Several new requests match and one was meant',
  unexpected_request: 'A request came that must not have come',
  no_fresh_code: 'A code that was not handed out before is further away than the timeout',
  not_json: 'The body of a captured request is not JSON',
} as const satisfies Record<ClientErrorCode, string>;
