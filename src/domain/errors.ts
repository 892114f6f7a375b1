/** All error codes of the HTTP API, with their status. Routes refer to codes of this table. */
export const ERRORS = {
  unauthorized: { status: 401 }, // missing, malformed, unknown or revoked key
  forbidden: { status: 403 }, // local API: foreign Host or Origin
  not_found: { status: 404 }, // missing, or outside the key's scope; also unknown paths
  method_not_allowed: { status: 405 }, // known path, other method
  payload_too_large: { status: 413 }, // body over the route's limit
  unsupported_media_type: { status: 415 }, // the body is not declared as JSON
  rate_limited: { status: 429 }, // docs/api.md#limits
  internal_error: { status: 500 }, // an unexpected error; the answer holds only requestId
  disk_full: { status: 503 }, // the disk has no room for what was written; nothing was stored
  storage_unavailable: { status: 503 }, // the disk refused a write for another reason; nothing was stored
  starting: { status: 503 }, // listeners are not up yet
  shutting_down: { status: 503 }, // the server stops: new requests, and awaits that it cuts short
  bad_request: { status: 400 }, // unreadable HTTP: an unknown method, a malformed field, no Host
  request_timeout: { status: 408 }, // the request did not arrive in time
  headers_too_large: { status: 431 }, // over 16 KiB

  invalid_body: { status: 400 }, // not JSON, or not an object
  invalid_idempotency_key: { status: 400 }, // over 255 characters
  invalid_limit: { status: 400 }, // not a whole number
  invalid_before: { status: 400 }, // not a ULID
  invalid_since: { status: 400 }, // not an ISO 8601 time; for the feed, not a ULID
  invalid_timeout: { status: 400 }, // not a whole number

  invalid_name: { status: 400 }, // 1 to 100 characters after trimming, no control characters
  invalid_subdomain: { status: 400 }, // not one DNS label
  invalid_group_id: { status: 400 }, // not a ULID
  group_not_found: { status: 400 }, // no such group in the workspace
  invalid_retention: { status: 400 }, // below 1, fractional, or over the plan's maximum (extra: max)
  subdomain_taken: { status: 409 }, // in any workspace, given or derived
  subdomain_reserved: { status: 409 },
  plan_max_mailboxes_reached: { status: 409 }, // extra: limit
  hook_limit_reached: { status: 409 }, // the plan allows no more interceptors (extra: limit)

  outbound_disabled: { status: 403 }, // outbound off for the mailbox or the plan
  invalid_from_domain: { status: 422 }, // no verified identity (extra: domain)
  recipients_not_allowed: { status: 422 }, // not on the mailbox's allowlist (extra: recipients)
  suppressed_recipients: { status: 422 }, // on the suppression list (extra: recipients)
  daily_outbound_limit_reached: { status: 429 }, // the workspace has reached its daily limit (extra: count, limit)
  storage_limit_reached: { status: 402 }, // extra: limit_bytes
  insufficient_funds: { status: 402 }, // extra: balance_cents, required_cents
  invalid_page: { status: 400 }, // not a whole number
  invalid_page_size: { status: 400 }, // not a whole number
  invalid_response_status: { status: 400 }, // not from 200 to 599
  invalid_response_content_type: { status: 400 }, // not a media type
  invalid_response_body: { status: 400 }, // not a text, or over 1 MiB
  invalid_forward_mode: { status: 400 }, // none of off, async, sync and their integers
  invalid_forward_url: { status: 400 }, // not an absolute http or https URL, or missing while forwarding is on
  invalid_forward: { status: 400 }, // a replay without configured forwarding

  // Local API only
  upgrade_required: { status: 426 }, // the feed is a WebSocket
  too_many_subscribers: { status: 503 }, // to the feed (extra: limit)
  invalid_query: { status: 400 }, // search: a word that can't be read (extra: message, position)
  invalid_types: { status: 400 }, // the feed: an unknown event type
  invalid_ids: { status: 400 }, // glances: not a list of ULIDs separated by commas, or too many
  invalid_mailbox_id: { status: 400 }, // not a ULID
  invalid_domain: { status: 400 }, // identity: no domain name
  invalid_workspace_id: { status: 400 }, // sends: not a ULID
  invalid_recipient: { status: 400 }, // suppression: not one address
  invalid_reason: { status: 400 }, // suppression: neither bounce nor complaint
  invalid_responses: { status: 400 }, // scripted responses: not a list, or an invalid entry (extra: index, message)
  invalid_after: { status: 400 }, // await a captured request: not a ULID
  plan_max_keys_reached: { status: 409 }, // extra: limit
  invalid_plan: { status: 400 },
  invalid_limits: { status: 400 },
  invalid_wallet_cents: { status: 400 },
  invalid_scope: { status: 400 }, // malformed scopes, or one that names an object outside the workspace
  invalid_outbound_enabled: { status: 400 },
  invalid_allowlist: { status: 400 },
  invalid_addresses: { status: 400 }, // not a list of addresses and *@domain patterns (extra: index of the first invalid one)
  invalid_header: { status: 400 }, // local await: no field name before the colon
  invalid_code: { status: 400 }, // local await: neither 1 nor 0
  invalid_link: { status: 400 }, // local await: an unknown kind of link
  invalid_count: { status: 400 }, // local await: not a whole number
  invalid_to: { status: 400 }, // release: no address list of 1 to 100 recipients
  no_relay: { status: 409 }, // release: the server was started without --relay
  invalid_allow: { status: 400 }, // a view: not a list of hosts by kind
  address_taken: { status: 409 }, // another mailbox claims it (extra: address, mailboxId, mailboxName, workspaceId, workspaceName)
  invalid_clock: { status: 400 },
  invalid_faults: { status: 400 }, // extra: index of the first invalid rule, message
  invalid_secret: { status: 400 }, // authenticator: not base32, or empty
  invalid_uri: { status: 400 }, // authenticator: not a valid otpauth://totp/ URI
  invalid_algorithm: { status: 400 }, // neither SHA-1 nor SHA-256 nor SHA-512
  invalid_digits: { status: 400 }, // neither 6 nor 8
  invalid_period: { status: 400 }, // not whole, or outside 15 to 120 seconds
  daily_inbound_limit_reached: { status: 429 }, // storing a message: the mailbox has reached its daily limit (extra: limit)
  seeded_mailbox: { status: 409 }, // the inbox mailbox cannot be deleted
  seeded_workspace: { status: 409 }, // the workspace of the inbox cannot be deleted
} as const satisfies Record<string, { status: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** An error with a code of {@link ERRORS}. The fields of `extra` go beside `error` in the answer's body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, extra: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Creates the error to throw for a code: `throw refuse('subdomain_taken')`. */
export function refuse(code: ErrorCode, extra?: Readonly<Record<string, unknown>>, options?: ErrorOptions): ApiError {
  return new ApiError(code, extra, options);
}
