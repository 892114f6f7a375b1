import { harmlessLine } from '../../src/text/harmless.ts';

// This table explains each error code of the server to a user of the command line, and what to do about it.

type Extra = Readonly<Record<string, unknown>>;
type Said = string | ((extra: Extra) => string);

const TABLE: Readonly<Record<string, Said>> = {
  forbidden:
    'the server answers its local API to loopback names alone; start it with --allowed-hosts <name> to add this one.',
  not_found: 'there is no such thing on the server, or the API key may not see it.',
  method_not_allowed: 'the server does not know this request: is it a mailcap of another version?',
  payload_too_large: 'it is larger than the server takes; --smtp-size of `mailcap dev` is the limit for mail.',
  unsupported_media_type: 'the server does not take this type of content.',
  rate_limited:
    'the API key made too many calls for now: try again in a minute; a server started with --limits off has no limit.',
  internal_error: ({ requestId }) =>
    `the server met a fault of its own${requestId === undefined ? '' : ` (request ${requestId})`}; its log tells more.`,
  storage_unavailable: 'the server can not write to its disk, and stored nothing: is the disk full?',
  disk_full: 'the disk of the server is full: make room, or delete mail, and try again.',
  storage_lost: 'the data directory of the server was taken away: restart it.',
  starting: 'the server is starting or stopping: try again in a moment.',
  shutting_down: 'the server is stopping: try again when it runs.',
  stopping: 'the server is stopping: try again when it runs.',

  invalid_body: 'the server takes no such content: an address or a field is not what it should be.',
  invalid_query: ({ message }) =>
    `the search can not be read${message === undefined ? '' : `. ${said(message).replace(/\.$/, '')}`}; \`mailcap messages list --help\` tells the words.`,
  invalid_clients:
    'there is no such mail client: name a family as gmail or outlook, one as outlook.windows, or all; docs/checks.md lists them.',
  invalid_rules: ({ rule }) =>
    `there is no rule ${rule === undefined ? 'of this name' : said(rule)}; docs/checks.md lists them.`,
  too_many_names: ({ limit }) =>
    `--clients, --allow and --deny take at most ${limit === undefined ? '100' : said(limit)} names each; a * stands for many, as in client-support:css-*.`,
  invalid_limit: '--limit is a whole number.',
  invalid_before: '--before is the id of a message.',
  invalid_since: '--since is a time, as in 2026-11-20T15:55:21Z.',
  invalid_timeout: '--timeout is a whole number of seconds.',

  invalid_name:
    'a name has 1 to 100 characters, no control characters, and a letter or digit for a subdomain to be made of.',
  invalid_subdomain: 'a subdomain has 1 to 63 characters of a-z, 0-9 and -, and a - neither first nor last.',
  invalid_group_id: 'the group is given by its id.',
  group_not_found: 'there is no such group in the workspace.',
  invalid_retention: ({ max }) =>
    `mail is kept for 1 day at least${max === undefined ? '' : `, for ${said(max)} at most on this plan`}.`,
  subdomain_taken:
    'a mailbox of this subdomain is there already: choose another with --subdomain; `mailcap mailboxes list` shows them.',
  subdomain_reserved: 'this subdomain is reserved, as www and admin are: choose another with --subdomain.',
  address_taken: ({ address, mailboxName }) =>
    `${mailboxName === undefined ? 'another mailbox' : `the mailbox "${said(mailboxName)}"`} claims ${address === undefined ? 'this address' : said(address)}.`,
  invalid_delivery: ({ message }) =>
    message === undefined ? 'the webhook can not be sent as asked.' : `the webhook can not be sent: ${said(message)}`,
  invalid_recording: ({ message }) =>
    message === undefined ? 'the recording can not be played.' : `the recording can not be played: ${said(message)}`,
  invalid_until: 'a time is written as in 2026-11-20T15:55:21Z.',
  no_relay: 'the server has no relay to hand mail to: start it with --relay smtp://host:port.',
  invalid_addresses: 'an address is written as in ada@shop.example, all of a domain as in *@shop.example.',
  plan_max_mailboxes_reached: ({ limit }) =>
    `the plan has no more mailboxes${atMost(limit)}: delete one with \`mailcap mailboxes delete\`, or start the server with --plan business.`,
  hook_limit_reached: ({ limit }) =>
    `the plan has no more interceptors${atMost(limit)}: delete one with \`mailcap webhooks delete\`, or start the server with --plan business.`,

  outbound_disabled: 'sending needs the business plan (`mailcap dev --plan business`), and a mailbox that may send.',
  invalid_from_domain: ({ domain }) =>
    `nothing may be sent from ${domain === undefined ? 'this domain' : said(domain)}: send from an address of the mailbox, or put the domain under identities in mailcap.config.json.`,
  recipients_not_allowed: ({ recipients }) =>
    `the allowlist of the mailbox does not have ${listed(recipients, 'a recipient')}: put "*.example.com" or the address under allowlist in mailcap.config.json, for mailboxes made from then on.`,
  suppressed_recipients: ({ recipients }) =>
    `${listed(recipients, 'a recipient')} bounced or complained before, and is suppressed; \`mailcap reset\` empties that list.`,
  daily_outbound_limit_reached: ({ limit }) =>
    `the workspace sent what it may in a day${limit === undefined ? '' : ` (${said(limit)})`}; a server started with --limits off has no such cap.`,
  daily_inbound_limit_reached: ({ limit }) =>
    `the mailbox took what it may in a day${limit === undefined ? '' : ` (${said(limit)})`}; a server started with --limits off has no such cap.`,
  storage_limit_reached:
    'the storage of the plan is full: delete mail with `mailcap messages delete` or `mailcap reset`.',
  insufficient_funds: ({ balance_cents: balance, required_cents: required }) =>
    `the wallet holds too little${balance === undefined ? '' : ` (${said(balance)} cents, and this needs ${said(required)})`}; \`mailcap reset\` fills it.`,

  invalid_response_status: '--status is from 200 to 599.',
  invalid_response_content_type: '--content-type is a media type, as in application/json.',
  invalid_response_body: '--body is a text of 1 MiB at most.',
  invalid_forward_mode: '--mode is async or sync.',
  invalid_forward_url:
    'requests are forwarded to a whole http or https URL without a password in it, as in http://127.0.0.1:3000/hook.',
  invalid_forward:
    'its interceptor forwards nowhere: `mailcap webhooks forward <webhook> <url>` says where to, or `mailcap webhooks replay <request> --to <url>` sends it there this once.',

  plan_max_keys_reached: ({ limit }) =>
    `the plan has no more API keys${atMost(limit)}: revoke one with \`mailcap keys revoke\`.`,
  invalid_scopes: 'a key is for all mailboxes and authenticators, or for those named.',
  invalid_scope: 'a key is for mailboxes and authenticators that are there: one named is not.',
  invalid_secret: '--secret is base32: letters A to Z and digits 2 to 7.',
  invalid_uri: '--uri is an otpauth://totp/ URI, as behind the QR code of an authenticator.',
  invalid_digits: 'codes have 6 or 8 digits.',
  invalid_period: 'codes hold from 15 to 120 seconds.',
  invalid_algorithm: 'the algorithm is SHA1, SHA256 or SHA512.',
  seeded_mailbox: 'the inbox mailbox stays: it takes the mail for nobody; `mailcap messages delete --all` empties it.',
  seeded_workspace: 'the workspace that the server began with stays.',
  too_many_subscribers: 'too many follow this server already.',
};

/** Returns the sentence for an error code. A code that is not in the table is shown with the server's own text. */
export function sentenceOfCode(code: string, extra: Extra): string {
  const said = Object.hasOwn(TABLE, code) ? TABLE[code] : undefined;
  if (said === undefined) return `the server refused it: ${code.replaceAll('_', ' ')}.`;
  return typeof said === 'string' ? said : said(extra);
}

function atMost(limit: unknown): string {
  return limit === undefined ? '' : ` than ${said(limit)}`;
}

/** Formats a value from the server's error as a short and safe text. */
function said(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : harmlessLine(String(value), 200);
}

function listed(value: unknown, otherwise: string): string {
  return Array.isArray(value) && value.length > 0 ? value.slice(0, 5).map(said).join(', ') : otherwise;
}
