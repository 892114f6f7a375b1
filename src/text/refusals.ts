import { docsCommand } from './docs-place.ts';
import { harmlessLine } from './harmless.ts';

// These tables have a sentence for each error code of the server. It tells a user what is wrong and what to do. The
// first is for the command line. The second has the sentences of the web inbox where these are others, because a page
// has fields and buttons, and no options of commands.

type Extra = Readonly<Record<string, unknown>>;
type Said = string | ((extra: Extra) => string);

const TABLE: Readonly<Record<string, Said>> = {
  forbidden:
    'the local API of the server answers only requests to a loopback name, such as localhost; start the server with --allowed-hosts <name> to add this name.',
  not_found: 'the server has no such resource, or the API key can not access it.',
  method_not_allowed: 'the server does not know this request: does it run another version of mailcap?',
  payload_too_large:
    'the content is larger than the server accepts; --smtp-size of `mailcap dev` sets the limit for mail.',
  unsupported_media_type: 'the server does not accept this type of content.',
  rate_limited: 'the API key made too many calls: try again in a minute, or start the server with --limits off.',
  internal_error: ({ requestId }) =>
    `the server had an internal error${requestId === undefined ? '' : ` (request ${requestId})`}; its log has the details.`,
  storage_unavailable: 'the server can not write to its disk, and stored nothing: is the disk full?',
  capture_quota_reached:
    'there is no room for the captured request; --capture-quota and --capture-total of `mailcap dev` set the room.',
  disk_full: 'the disk of the server is full: free some space or delete mail, then try again.',
  storage_lost: 'the data directory of the server is gone: restart the server.',
  starting: 'the server is starting or stopping: try again in a moment.',
  shutting_down: 'the server is stopping: try again when it runs.',
  stopping: 'the server is stopping: try again when it runs.',

  invalid_body: ({ message }) =>
    `the request is invalid: ${message === undefined ? 'an address or a field has a wrong value' : said(message).replace(/\.$/, '')}.`,
  invalid_query: ({ message }) =>
    `the search is invalid${message === undefined ? '' : `. ${said(message).replace(/\.$/, '')}`}; \`mailcap messages list --help\` lists the search words.`,
  invalid_clients: `there is no such mail client: name a family such as gmail, a client such as outlook.windows, or all; ${docsCommand('checks')} lists them.`,
  invalid_rules: ({ rule }) =>
    `there is no rule ${rule === undefined ? 'of this name' : said(rule)}; ${docsCommand('checks')} lists them.`,
  too_many_names: ({ limit }) =>
    `--clients, --allow and --deny take at most ${limit === undefined ? '100' : said(limit)} names each; a * matches many, as in client-support:css-*.`,
  check_failed: ({ message }) =>
    `the mail could not be checked${message === undefined ? '' : `: ${said(message).replace(/\.$/, '')}`}; try again later.`,
  invalid_marks: 'name at least one mark: --read, --star, --tag or one of the others; --help lists them.',
  invalid_tags: 'a tag has at most 100 characters: letters, digits, spaces and - _ . @; a message has at most 50 tags.',
  too_many_tags: 'the message would have over 50 tags, or its workspace over 2,000: remove some first.',
  invalid_ids: 'an id is no id of a message, or there are more than 10,000.',
  invalid_limit: '--limit must be a whole number.',
  invalid_before: '--before must be the id of a message.',
  invalid_since: '--since must be a time, as in 2026-11-20T15:55:21Z.',
  invalid_timeout: '--timeout must be a whole number of seconds.',

  invalid_name:
    'a name needs 1 to 100 characters, no control characters, and at least one letter or digit for the subdomain.',
  invalid_subdomain: 'a subdomain has 1 to 63 characters of a-z, 0-9 and -, and neither begins nor ends with -.',
  invalid_group_id: 'the group must be the id of a group.',
  group_not_found: 'there is no such group in the workspace.',
  invalid_retention: ({ max }) =>
    `the retention must be at least 1 day${max === undefined ? '' : `, and at most ${said(max)} on this plan`}.`,
  subdomain_taken:
    'a mailbox with this subdomain exists already: choose another with --subdomain; `mailcap mailboxes list` shows all.',
  subdomain_reserved: 'this subdomain is reserved, like www and admin: choose another with --subdomain.',
  address_taken: ({ address, mailboxName }) =>
    `${mailboxName === undefined ? 'another mailbox' : `the mailbox "${said(mailboxName)}"`} claims ${address === undefined ? 'this address' : said(address)}.`,
  invalid_delivery: ({ message }) =>
    message === undefined ? 'the event can not be sent.' : `the event can not be sent: ${said(message)}`,
  invalid_recording: ({ message }) =>
    message === undefined ? 'the recording can not be played.' : `the recording can not be played: ${said(message)}`,
  invalid_until: 'the time must have the form 2026-11-20T15:55:21Z.',
  no_relay: 'the server has no relay: start it with --relay smtp://host:port.',
  invalid_interaction: 'the link must be a URL, and is for a click alone.',
  not_by_provider:
    'the mail did not come by a provider’s API, or the provider no longer has its email: `mailcap docs providers` tells more.',
  invalid_text: ({ message }) =>
    message === undefined ? 'the text can not be sent.' : `the text can not be sent: ${said(message)}.`,
  number_without_app:
    'no app has this number: give it a URL for its texts by the API of its provider; `mailcap docs text-messages` tells more.',
  no_matching_mail: ({ condition }) =>
    `no mail that arrives now can meet ${condition === undefined ? 'the conditions' : `the condition ${said(condition)}`}.`,
  invalid_addresses: 'an address must have the form ada@shop.example, or *@shop.example for all addresses of a domain.',
  plan_max_mailboxes_reached: ({ limit }) =>
    `the plan allows no more mailboxes${atMost(limit)}: delete one with \`mailcap mailboxes delete\`, or start the server with --plan business.`,
  hook_limit_reached: ({ limit }) =>
    `the plan allows no more webhooks${atMost(limit)}: delete one with \`mailcap webhooks delete\`, or start the server with --plan business.`,

  outbound_disabled:
    'sending needs the business plan (`mailcap dev --plan business`) and a mailbox with outbound enabled.',
  invalid_from_domain: ({ domain }) =>
    `the workspace may not send from ${domain === undefined ? 'this domain' : said(domain)}: send from an address of the mailbox, or add the domain to identities in mailcap.config.json. The subdomain of a mailbox belongs to its workspace.`,
  recipients_not_allowed: ({ recipients }) =>
    `the allowlist of the mailbox does not contain ${recipientsIn(recipients)}: add one with \`mailcap mailboxes update <mailbox> --allow <address or *@domain>\`.`,
  suppressed_recipients: ({ recipients }) =>
    `${recipientsIn(recipients)} is on the suppression list after a bounce or a complaint; \`mailcap reset\` empties the list.`,
  daily_outbound_limit_reached: ({ limit }) =>
    `the workspace has reached its daily limit of sent mail${limit === undefined ? '' : ` (${said(limit)})`}; start the server with --limits off to lift it.`,
  daily_inbound_limit_reached: ({ limit }) =>
    `the mailbox has reached its daily limit of received mail${limit === undefined ? '' : ` (${said(limit)})`}; start the server with --limits off to lift it.`,
  storage_limit_reached:
    'the storage of the plan is full: delete mail with `mailcap messages delete` or `mailcap reset`.',
  insufficient_funds: ({ balance_cents: balance, required_cents: required }) =>
    `the balance of the wallet is too low${balance === undefined ? '' : ` (${said(balance)} cents; this needs ${said(required)})`}; \`mailcap reset\` refills it.`,

  invalid_response_status: '--status must be from 200 to 599.',
  invalid_response_content_type: '--content-type must be a media type, such as application/json.',
  invalid_response_body: '--body must be a text of at most 1 MiB.',
  invalid_forward_mode: '--mode must be async or sync.',
  invalid_forward_url:
    'the forward URL must be a whole http or https URL without a password, such as http://127.0.0.1:3000/hook.',
  invalid_forward:
    'its webhook has no forward URL: set one with `mailcap webhooks forward <webhook> <url>`, or send the request once with `mailcap webhooks replay <request> --to <url>`.',

  plan_max_keys_reached: ({ limit }) =>
    `the plan allows no more API keys${atMost(limit)}: revoke one with \`mailcap keys revoke\`.`,
  invalid_scopes: 'the scopes of a key must be "all", or lists of ids of mailboxes and authenticators.',
  invalid_scope:
    'the scopes of a key name a mailbox or an authenticator that does not exist, or webhooks that are neither "all" nor "none".',
  invalid_secret: '--secret must be base32: letters A to Z and digits 2 to 7.',
  invalid_uri: '--uri must be an otpauth://totp/ URI, the content of an authenticator’s QR code.',
  invalid_digits: 'a code must have 6 or 8 digits.',
  invalid_period: 'the period of a code must be from 15 to 120 seconds.',
  invalid_algorithm: 'the algorithm must be SHA1, SHA256 or SHA512.',
  invalid_faults: ({ message }) =>
    message === undefined
      ? 'the fault rule is wrong.'
      : `the fault rule is wrong: ${said(message).replace(/\.$/, '')}.`,
  invalid_clock: 'the clock can not be set to this time.',
  invalid_allowlist: 'an entry of the allowlist is an address, *@domain or *.domain.',
  seeded_mailbox:
    'the inbox can not be deleted, because it receives mail to unknown addresses; `mailcap messages delete --all` empties it.',
  seeded_workspace: 'the server does not delete the seeded workspace.',
  too_many_subscribers: 'too many clients follow the feed of this server.',
};

/** The sentences of the web inbox that differ from those of the command line. */
const IN_THE_PAGE: Readonly<Record<string, Said>> = {
  forbidden:
    'the local API of the server answers only requests to a loopback name, such as localhost. The option allowedHosts of the server adds names.',
  not_found: 'this does not exist, or no longer.',
  number_without_app: 'no app has this number: give it a URL for its texts by the API of its provider.',
  not_by_provider: 'the mail did not come by the API of a provider, or the provider no longer has its email.',
  payload_too_large: 'the content is larger than the server accepts. The option smtpSize of the server sets the limit.',
  rate_limited: 'the API key made too many calls. Try again in a minute.',
  capture_quota_reached:
    'there is no room for the captured request. The options captureQuota and captureTotal of the server set the room.',
  invalid_query: ({ message }) =>
    `the search is invalid${message === undefined ? '' : `. ${said(message).replace(/\.$/, '')}`}. A space at its end shows the search words.`,
  invalid_clients: 'there is no such mail client.',
  invalid_rules: 'there is no such rule.',
  too_many_names: ({ limit }) => `there are more than ${limit === undefined ? '100' : said(limit)} names.`,
  invalid_marks: 'choose at least one mark.',
  invalid_limit: 'the number of items must be a whole number.',
  invalid_before: 'the position in the list is no id of a message.',
  invalid_since: 'the time must have the form 2026-11-20T15:55:21Z.',
  invalid_timeout: 'the timeout must be a whole number of seconds.',
  subdomain_taken: 'a mailbox with this subdomain exists already: choose another name.',
  subdomain_reserved: 'this subdomain is reserved, like www and admin: choose another name.',
  no_relay:
    'the server has no relay, so it can send nothing to real mailboxes. The option relay of the server names one.',
  plan_max_mailboxes_reached: ({ limit }) =>
    `the plan allows no more mailboxes${atMost(limit)}: delete one, or switch the workspace to the business plan under Tools, Workspaces.`,
  hook_limit_reached: ({ limit }) =>
    `the plan allows no more webhooks${atMost(limit)}: delete one, or switch the workspace to the business plan under Tools, Workspaces.`,
  plan_max_keys_reached: ({ limit }) => `the plan allows no more API keys${atMost(limit)}: revoke one.`,
  outbound_disabled:
    'this mailbox may not send: allow it in the settings of the mailbox. The workspace needs the business plan, which is set under Tools, Workspaces.',
  invalid_from_domain: ({ domain }) =>
    `the workspace may not send from ${domain === undefined ? 'this domain' : said(domain)}: send from an address of the mailbox, or add the domain under Outbound, Wallet and domains.`,
  recipients_not_allowed: ({ recipients }) =>
    `the allowlist of the mailbox does not contain ${recipientsIn(recipients)}: add it in the settings of the mailbox.`,
  suppressed_recipients: ({ recipients }) =>
    `${recipientsIn(recipients)} is on the suppression list after a bounce or a complaint: remove it under Outbound, Suppression.`,
  daily_outbound_limit_reached: ({ limit }) =>
    `the workspace has reached its daily limit of sent mail${limit === undefined ? '' : ` (${said(limit)})`}. Tools, Workspaces switches its limits off.`,
  daily_inbound_limit_reached: ({ limit }) =>
    `the mailbox has reached its daily limit of received mail${limit === undefined ? '' : ` (${said(limit)})`}. Tools, Workspaces switches its limits off.`,
  storage_limit_reached: 'the storage of the plan is full: delete mail.',
  insufficient_funds: ({ balance_cents: balance, required_cents: required }) =>
    `the balance of the wallet is too low${balance === undefined ? '' : ` (${said(balance)} cents; this needs ${said(required)})`}: raise it under Outbound, Wallet and domains.`,
  invalid_response_status: 'the status must be from 200 to 599.',
  invalid_response_content_type: 'the content type must be a media type, such as application/json.',
  invalid_response_body: 'the body must be a text of at most 1 MiB.',
  invalid_forward_mode: 'choose when to forward.',
  invalid_forward:
    'its webhook has no forward URL: set one under “Answer and forward”, or replay the request to a URL.',
  invalid_secret: 'the secret must be base32: letters A to Z and digits 2 to 7.',
  invalid_uri: 'the address must be an otpauth://totp/ URI, the content of an authenticator’s QR code.',
  seeded_mailbox: 'the inbox can not be deleted, because it receives mail to unknown addresses.',
};

/**
 * Returns the sentence for an error code, for the command line or for the page. A code that is not in the table is
 * shown with the server's own text.
 */
export function sentenceOfCode(code: string, extra: Extra, where: 'command line' | 'page' = 'command line'): string {
  const said =
    where === 'page' && Object.hasOwn(IN_THE_PAGE, code)
      ? IN_THE_PAGE[code]
      : Object.hasOwn(TABLE, code)
        ? TABLE[code]
        : undefined;
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

function recipientsIn(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.slice(0, 5).map(said).join(', ') : 'a recipient';
}
