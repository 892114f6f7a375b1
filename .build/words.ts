import type { ClientErrorCode } from '../src/client/errors.ts';
import type { OptionName } from '../src/config/options.ts';
import type { EventType } from '../src/domain/event.ts';

// The sentences of the generated tables that the code itself does not have. A missing name is a compile error.

export const OPTION_WORDS = {
  host: 'The address to listen on. Off loopback the local API asks for the admin token',
  port: 'The HTTP port. 0 takes any free port',
  smtpPort: 'The SMTP port. 0 takes any free port',
  smtpsPort: 'A second SMTP port with TLS from the first byte. 0 takes any free port',
  dataDir: 'The directory for the state. The server creates it if it is missing',
  ephemeral: 'The server keeps its state in memory only',
  mailDomain: 'The domain that the mailboxes live under',
  plan: 'The plan of the seeded workspace',
  limits: '`off` lifts the rate limits and the daily caps. Counters still count',
  apiKey: 'The development key, `svc_live_...`. Without this option the server creates a key once and keeps it',
  store: 'Where the server keeps its state: `memory:`, `file:<dir>` or a PostgreSQL URL ([postgres.md](postgres.md))',
  storeFile: 'A file whose only line is the URL of `--store`, for a mounted secret',
  storePool: 'The maximum number of connections to a PostgreSQL `--store`, 5 or more',
  storeBlobs:
    'A bucket in S3-compatible storage for the bytes of mail and captures, with a PostgreSQL `--store`: `s3://bucket/prefix?endpoint=https://...` ([postgres.md](postgres.md#bodies-in-s3))',
  publicUrl: 'The URL of a load balancer in front of this server. Capture URLs, the ready line and the inbox show it',
  drain: 'The seconds for which a stopping server still accepts connections, while its health check already fails',
  publicSmtp: 'The `host:port` of a load balancer for SMTP, shown in the same places',
  relay: 'The SMTP server to which outbound mail is relayed: `smtp://user:pass@host:587`',
  clamd: 'The clamd daemon that scans attachments: `host:port`',
  spamd: 'The SpamAssassin daemon that scores a mail when it is [checked](checks.md#spam): `host:port`',
  catchAll:
    '`on`: the inbox takes mail that is addressed to no other mailbox. `off`: SMTP refuses such mail with `550 5.1.1`',
  logLevel: 'The level of the log, which goes to standard error',
  json: 'One line of JSON when the server is up, then one line for each event',
  open: 'Open the URL in the browser',
  durability: 'What acknowledged mail survives. `fsync`: a power cut. `os`: a killed process',
  smtpAuth: '`strict`: a client has to sign in, with an API key as the password',
  smtpSize: 'The size of the largest message that SMTP accepts',
  starttls: 'Whether SMTP offers STARTTLS. `auto`: only with `--tls-cert`, but a client may always use it',
  tlsCert: 'A PEM file with the certificate for TLS. Without it the server creates a self-signed certificate',
  tlsKey: 'A PEM file with the private key of `--tls-cert`',
  allowedHosts: 'Additional `Host` names that the local API accepts, separated by commas',
  adminToken: 'The token of the local API off loopback. Without this option the server creates a token and prints it',
  compat:
    'The other mail catchers whose API the server also serves, under [their own paths](from-mailpit.md): `on`, `off`, or names separated by commas',
} as const satisfies Record<OptionName, string>;

export const EVENT_WORDS = {
  'message.received': 'A message came, by SMTP, by a send or by `POST /_mailcap/mailboxes/{id}/messages`',
  'message.deleted': 'Messages were deleted, cleared or expired',
  'mailbox.created': 'A mailbox was created',
  'mailbox.deleted': 'A mailbox was deleted with its messages. The feed sends no `message.deleted` for these messages',
  'webhook.captured': 'A capture URL received a request',
  'webhook.forwarded': 'A captured request was forwarded, or forwarding it failed',
  'send.updated': 'The state of a send, or of one of its recipients, changed',
  'suppression.added': 'An address was added to the suppression list',
  'smtp.refused': 'SMTP refused a connection, a sign-in, a sender, a recipient or a message',
  'fault.applied': 'A fault rule was applied',
  'totp.read': 'The code of an authenticator was read',
  reset: 'The server went back to its seeded state',
} as const satisfies Record<EventType, string>;

export const CLIENT_ERROR_WORDS = {
  no_server: 'No server was named, and no server runs in this directory or above it',
  no_api_key: 'There is no API key for this server',
  unreachable: 'The connection failed',
  timed_out: 'A call took longer than its timeout',
  unexpected_answer: 'The answer does not come from this API',
  local_only: 'The call needs the local API, which the cloud does not have',
  invalid_option: 'An option or a filter does not exist, or its value is not valid',
  unknown_workspace: 'The client could not find out the workspace: set `MAILCAP_WORKSPACE_ID`',
  unknown_mail_domain: 'The client could not find out the mail domain: set `MAILCAP_MAIL_DOMAIN`',
  unknown_webhook_base_url: 'The client could not find out the webhook base URL: set `MAILCAP_WEBHOOK_BASE_URL`',
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
  unexpected_request: 'A request came although the test expected none',
  no_fresh_code: 'The next unused code becomes valid only after the timeout',
  not_json: 'The body of a captured request is not JSON',
} as const satisfies Record<ClientErrorCode, string>;
