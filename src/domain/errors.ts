/** A JSON Schema of dialect 2020-12. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** An error code: its HTTP status, its meaning, and the further fields of the answer's body. */
interface ErrorFacts {
  readonly status: number;
  /** The sentence about the code in every document, without the full stop. */
  readonly when: string;
  readonly extra?: Readonly<Record<string, ExtraField>>;
}

interface ExtraField {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** `true` if only some answers with the code have the field. */
  readonly optional?: true;
}

const int32: JsonSchema = { type: 'integer', format: 'int32' };
const int64: JsonSchema = { type: 'integer', format: 'int64' };
const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };

/** Returns the extra fields of the health check. */
function ofHealth(status: string): Readonly<Record<string, ExtraField>> {
  return {
    status: { schema: text, example: status, optional: true },
    version: { schema: text, example: '0.1.0', optional: true },
    server: { schema: int64, example: 1, optional: true },
  };
}

const TABLE = {
  unauthorized: { status: 401, when: 'The key is missing, malformed, unknown or revoked' },
  forbidden: { status: 403, when: 'The Host is not allowed, or another site sends the request' },
  not_found: { status: 404, when: 'Missing, or outside the key’s scope' },
  method_not_allowed: { status: 405, when: 'The path does not have this method: Allow lists those that it has' },
  payload_too_large: { status: 413, when: 'The body is too large' },
  unsupported_media_type: { status: 415, when: 'The Content-Type is not application/json in UTF-8' },
  rate_limited: { status: 429, when: 'Too many requests of this key or workspace' },
  internal_error: {
    status: 500,
    when: 'An unexpected failure; quote the request id',
    extra: { requestId: { schema: text, example: 'req_1' } },
  },
  capture_quota_reached: {
    status: 507,
    when: 'The captured request does not fit into the quota, or other large bodies arrive at the moment; it was not recorded',
    extra: { limit_bytes: { schema: int64, example: 268_435_456 } },
  },
  disk_full: { status: 503, when: 'The disk is full; nothing was stored', extra: ofHealth('disk_full') },
  storage_unavailable: {
    status: 503,
    when: 'The disk refused the write; nothing was stored',
    extra: ofHealth('storage_unavailable'),
  },
  starting: { status: 503, when: 'The server starts', extra: ofHealth('starting') },
  shutting_down: {
    status: 503,
    when: 'The server stops: nothing was done, send the request again later',
    extra: ofHealth('stopping'),
  },
  bad_request: { status: 400, when: 'The bytes are not HTTP: an unknown method, a malformed header field, no Host' },
  request_timeout: { status: 408, when: 'The request did not come in time' },
  headers_too_large: { status: 431, when: 'The header is over 16 KiB' },

  invalid_body: { status: 400, when: 'The body is no JSON object, or a value in it is invalid' },
  invalid_idempotency_key: { status: 400, when: 'Idempotency-Key is over 255 characters' },
  invalid_limit: { status: 400, when: 'limit is not a whole number' },
  invalid_before: { status: 400, when: 'before is not a ULID' },
  invalid_since: { status: 400, when: 'since is not an ISO 8601 time' },
  invalid_timeout: { status: 400, when: 'timeout is not a whole number' },

  invalid_name: { status: 400, when: 'name is empty, too long, or holds control characters' },
  invalid_subdomain: { status: 400, when: 'subdomain is not one DNS label' },
  invalid_group_id: { status: 400, when: 'groupId is not a ULID' },
  group_not_found: { status: 400, when: 'No such group in the workspace' },
  invalid_retention: {
    status: 400,
    when: 'retentionDays is below 1, fractional, or above the plan’s maximum',
    extra: { max: { schema: int32, example: 90 } },
  },
  subdomain_taken: { status: 409, when: 'The subdomain is in use' },
  subdomain_reserved: { status: 409, when: 'The subdomain is reserved' },
  plan_max_mailboxes_reached: {
    status: 409,
    when: 'The plan’s number of mailboxes is reached',
    extra: { limit: { schema: int32, example: 1000 } },
  },
  hook_limit_reached: {
    status: 409,
    when: 'The plan’s number of webhooks is reached',
    extra: { limit: { schema: int32, example: 50 } },
  },

  outbound_disabled: { status: 403, when: 'Outbound is off for the mailbox or the plan' },
  invalid_from_domain: {
    status: 422,
    when: 'The domain of from is no verified identity, or is under the subdomain of another workspace',
    extra: { domain: { schema: text, example: 'elsewhere.example' } },
  },
  recipients_not_allowed: {
    status: 422,
    when: 'A recipient is not on the mailbox’s allowlist',
    extra: { recipients: { schema: texts, example: ['ada@elsewhere.example'] } },
  },
  suppressed_recipients: {
    status: 422,
    when: 'A recipient is on the suppression list',
    extra: { recipients: { schema: texts, example: ['ada@elsewhere.example'] } },
  },
  daily_outbound_limit_reached: {
    status: 429,
    when: 'The workspace has reached its daily limit of sent emails',
    extra: { count: { schema: int32, example: 1000 }, limit: { schema: int32, example: 1000 } },
  },
  storage_limit_reached: {
    status: 402,
    when: 'The workspace has no storage left',
    extra: { limit_bytes: { schema: int64, example: 10_737_418_240 } },
  },
  insufficient_funds: {
    status: 402,
    when: 'The wallet does not cover the cost',
    extra: { balance_cents: { schema: int64, example: 0 }, required_cents: { schema: int64, example: 1 } },
  },
  invalid_page: { status: 400, when: 'page is not a whole number' },
  invalid_page_size: { status: 400, when: 'pageSize is not a whole number' },
  invalid_response_status: { status: 400, when: 'responseStatus is not from 200 to 599' },
  invalid_response_content_type: { status: 400, when: 'responseContentType is no media type' },
  invalid_response_body: { status: 400, when: 'responseBody is no text, or over 1 MiB' },
  invalid_forward_mode: { status: 400, when: 'forwardMode is not off, async or sync' },
  invalid_forward_url: {
    status: 400,
    when: 'forwardUrl is no absolute http or https URL, or is missing although forwarding is on',
  },
  invalid_forward: { status: 400, when: 'Forwarding is not configured' },

  // Local API only
  no_matching_mail: {
    status: 422,
    when: 'No mail that arrives now can meet the condition',
    extra: { condition: { schema: text, example: 'query is:starred' } },
  },
  upgrade_required: { status: 426, when: 'The feed is a WebSocket' },
  too_many_subscribers: {
    status: 503,
    when: 'The feed has as many subscribers as it can have',
    extra: { limit: { schema: int32, example: 2_000 } },
  },
  invalid_query: {
    status: 400,
    when: 'A word of the search can’t be read: message says why, position is its place, counted from 0',
    extra: { message: { schema: text, example: 'This quote is not closed.' }, position: { schema: int32, example: 8 } },
  },
  invalid_types: { status: 400, when: 'types names an unknown event' },
  invalid_ids: { status: 400, when: 'ids is no list of ULIDs, or has too many' },
  invalid_marks: { status: 400, when: 'No mark to change is given, or read or starred is not true or false' },
  invalid_tags: {
    status: 400,
    when: 'There are over 50 tags, or one is empty, over 100 characters, or has other characters than letters, digits, spaces and - _ . @',
  },
  too_many_tags: { status: 409, when: 'The message would have over 50 tags, or its workspace over 2,000' },
  invalid_clients: { status: 400, when: 'clients names an unknown mail client' },
  invalid_rules: {
    status: 400,
    when: 'allow or deny names an unknown rule: rule says which',
    extra: { rule: { schema: text, example: 'image-altt' } },
  },
  too_many_names: {
    status: 400,
    when: 'clients, allow or deny has more names than limit',
    extra: { limit: { schema: int32, example: 100 } },
  },
  check_failed: {
    status: 503,
    when: 'The mail could not be read or checked with the time and memory for it: message says why',
  },
  invalid_reach: { status: 400, when: 'reach is neither 1 nor 0' },
  invalid_dark: { status: 400, when: 'dark names no mail program whose dark mode is simulated' },
  invalid_head: { status: 400, when: 'head is neither 1 nor 0' },
  invalid_inert: { status: 400, when: 'inert is neither 1 nor 0' },
  invalid_mailbox_id: { status: 400, when: 'mailboxId is not a ULID' },
  invalid_domain: { status: 400, when: 'domain is no domain name' },
  invalid_workspace_id: { status: 400, when: 'workspaceId is not a ULID, or names no workspace where one is needed' },
  invalid_recipient: { status: 400, when: 'recipient is not one address' },
  invalid_reason: { status: 400, when: 'reason is neither bounce nor complaint' },
  invalid_interaction: {
    status: 400,
    when: 'type is not opened, clicked, unsubscribed or complained, or link is no URL, or not given for clicked alone',
  },
  not_by_provider: {
    status: 409,
    when: 'The mail did not come by a provider’s API, or the provider no longer has its email',
  },
  invalid_text: {
    status: 400,
    when: 'The text can’t be sent: message says why',
    extra: { message: { schema: text, example: 'to is no phone number with its country code' } },
  },
  number_without_app: {
    status: 409,
    when: 'No number of the app at a provider has a URL for its texts',
  },
  invalid_responses: {
    status: 400,
    when: 'The list of answers is invalid: index says which answer, message why',
    extra: {
      index: { schema: { ...int32, description: 'The first of them' }, example: 0 },
      message: { schema: text, example: 'status is a whole number from 200 to 599.' },
    },
  },
  invalid_after: { status: 400, when: 'after is not a ULID' },
  plan_max_keys_reached: {
    status: 409,
    when: 'The plan’s number of active keys is reached',
    extra: { limit: { schema: int32, example: 100 } },
  },
  invalid_plan: { status: 400, when: 'plan is neither free nor business' },
  invalid_limits: { status: 400, when: 'limits is neither cloud nor off' },
  invalid_wallet_cents: { status: 400, when: 'walletCents is not a whole number from 0' },
  invalid_senders: { status: 400, when: 'senders is neither any nor verified' },
  invalid_scope: { status: 400, when: 'A scope is missing, or names what the workspace does not have' },
  invalid_outbound_enabled: { status: 400, when: 'outboundEnabled is neither true nor false' },
  invalid_allowlist: { status: 400, when: 'allowlist is no list of addresses, *@domain and *.domain patterns' },
  invalid_addresses: {
    status: 400,
    when: 'An entry is neither an address nor *@domain: index says which',
    extra: { index: { schema: { ...int32, description: 'The first that is none' }, example: 0, optional: true } },
  },
  invalid_header: { status: 400, when: 'header has no name of a header field before its colon' },
  invalid_caps: { status: 400, when: 'caps of /mcp names an unknown capability' },
  invalid_code: { status: 400, when: 'code is neither 1 nor 0' },
  invalid_mark_read: { status: 400, when: 'markRead is neither 1 nor 0' },
  invalid_partial: { status: 400, when: 'partial is neither 1 nor 0' },
  invalid_total: { status: 400, when: 'total is neither 1 nor 0' },
  invalid_newest: { status: 400, when: 'newest is neither 1 nor 0' },
  invalid_matches: { status: 400, when: 'matches is neither 1 nor 0' },
  invalid_link: { status: 400, when: 'link is neither a kind of link nor any' },
  invalid_kind: { status: 400, when: 'kind is none of email, sms and any' },
  invalid_count: { status: 400, when: 'count is not a whole number' },
  invalid_to: { status: 400, when: 'to is no address list of 1 to 100 recipients' },
  no_relay: { status: 409, when: 'No relay is set: start the server with --relay smtp://host:port' },
  invalid_allow: {
    status: 400,
    when: 'allow is no object with lists of hosts, such as cdn.example or cdn.example:8080',
  },
  address_taken: {
    status: 409,
    when: 'Another mailbox claims the address',
    extra: {
      address: { schema: text, example: 'alice@email.com' },
      mailboxId: { schema: text, example: '01KAH7R0ZD6E4N1KX3M5P7R9S2' },
      mailboxName: { schema: text, example: 'Sign up' },
      workspaceId: { schema: text, example: '01KAH7QZ0M8F3J9W2T5V6X7Y8Z' },
      workspaceName: { schema: text, example: 'Worker 1' },
    },
  },
  invalid_clock: {
    status: 400,
    when: 'The setting is neither offsetSeconds nor now nor null, or its time is impossible',
  },
  invalid_faults: {
    status: 400,
    when: 'A rule is wrong or could never apply: index says which, message why',
    extra: {
      index: { schema: { ...int32, description: 'The first of them' }, example: 0 },
      message: { schema: text, example: 'times is a whole number from 1.' },
    },
  },
  invalid_delivery: {
    status: 400,
    when: 'The event can’t be sent as asked: message says why',
    extra: { message: { schema: text, example: 'a signature of Stripe needs the secret.' } },
  },
  invalid_recording: {
    status: 400,
    when: 'The recording can’t be played: message says why, and at which request',
    extra: { message: { schema: text, example: 'request 2: method is no HTTP method.' } },
  },
  invalid_test: {
    status: 400,
    when: 'The report of a test is wrong: field says where',
    extra: { field: { schema: text, example: 'outcome' } },
  },
  invalid_until: { status: 400, when: 'until is no time' },
  invalid_secret: { status: 400, when: 'secret is no base32' },
  invalid_uri: { status: 400, when: 'uri is no otpauth://totp/ URI, or has a part that is wrong' },
  invalid_algorithm: { status: 400, when: 'algorithm is neither SHA1 nor SHA256 nor SHA512' },
  invalid_digits: { status: 400, when: 'digits is neither 6 nor 8' },
  invalid_period: { status: 400, when: 'period is not from 15 to 120' },
  daily_inbound_limit_reached: {
    status: 429,
    when: 'The mailbox has reached its daily limit of received messages',
    extra: { limit: { schema: int32, example: 10_000 } },
  },
  seeded_mailbox: { status: 409, when: 'The inbox can’t be deleted' },
  not_supported: {
    status: 501,
    when: 'mailcap does not serve this request of another mail catcher: message says why',
    extra: { message: { schema: text, example: 'mailcap has no tags.' } },
  },
  seeded_workspace: { status: 409, when: 'The seeded workspace can’t be deleted' },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof TABLE;

/** All error codes of the HTTP API. Routes refer to codes of this table, and every document explains them by it. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorFacts>> = TABLE;

/** An error with a code of {@link ERRORS}. The answer's body has the fields of `extra` besides `error`. */
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

/** Returns what was looked up. Throws `not_found` for null. */
export function there<Row>(row: Row | null): Row {
  if (row === null) throw refuse('not_found');
  return row;
}

/** The reason why an entry of a list is refused, as a sentence for the user. */
export class Flaw extends Error {}

/**
 * Parses the entries of a list with at most `most` of them. Throws `code` with the `index` of the first invalid entry
 * and, as its `message`, the {@link Flaw} that `parse` threw. `what` names the entries, as in `rules`.
 */
export function parseEach<Entry>(
  given: readonly unknown[],
  { code, most, what }: { readonly code: ErrorCode; readonly most: number; readonly what: string },
  parse: (value: unknown) => Entry,
): Entry[] {
  if (given.length > most) throw refuse(code, { index: most, message: `There are more than ${most} ${what}.` });
  return given.map((value, index) => {
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof Flaw) throw refuse(code, { index, message: error.message });
      throw error;
    }
  });
}

/** Marks the default branch of an exhaustive switch. A new member of the union then fails to compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
