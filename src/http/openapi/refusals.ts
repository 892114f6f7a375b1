import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import type { Endpoint } from '../route.ts';
import type { JsonSchema } from './components.ts';

/** The meaning of an error code, and the fields of the answer beside it. */
interface Refusal {
  readonly when: string;
  readonly extra?: Readonly<Record<string, Extra>>;
}

interface Extra {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** `true` if only some answers with the code have the field. */
  readonly optional?: true;
}

const int32: JsonSchema = { type: 'integer', format: 'int32' };
const int64: JsonSchema = { type: 'integer', format: 'int64' };
const texts: JsonSchema = { type: 'array', items: { type: 'string' } };

const text: JsonSchema = { type: 'string' };

/** Returns the extra fields of the health check. */
function ofHealth(status: string): Readonly<Record<string, Extra>> {
  return {
    status: { schema: text, example: status, optional: true },
    version: { schema: text, example: '0.1.0', optional: true },
  };
}

/**
 * The error codes of docs/api.md#errors: those of the API document, those that this server adds, and those of the local
 * API.
 */
export const REFUSALS: Readonly<Partial<Record<ErrorCode, Refusal>>> = {
  unauthorized: { when: 'The key is missing, malformed, unknown or revoked' },
  not_found: { when: 'Missing, or outside the key’s scope' },
  rate_limited: { when: 'Too many requests of this key or workspace' },
  internal_error: {
    when: 'An unexpected failure; quote the request id',
    extra: { requestId: { schema: { type: 'string' }, example: 'req_1' } },
  },
  shutting_down: {
    when: 'The server stops: nothing was done, ask again when it is back',
    extra: ofHealth('stopping'),
  },
  starting: { when: 'The server starts', extra: ofHealth('starting') },
  forbidden: { when: 'The Host or the page that asks is a foreign one' },
  disk_full: { when: 'The disk is full; nothing was stored', extra: ofHealth('disk_full') },
  storage_unavailable: {
    when: 'The disk refused the write; nothing was stored',
    extra: ofHealth('storage_unavailable'),
  },

  invalid_body: { when: 'The body is no JSON object, or what it says can’t be used' },
  payload_too_large: { when: 'The body is too large' },
  unsupported_media_type: { when: 'The body is not declared as application/json in UTF-8' },
  invalid_idempotency_key: { when: 'Idempotency-Key is over 255 characters' },

  invalid_limit: { when: 'limit is not a whole number' },
  invalid_before: { when: 'before is not a ULID' },
  invalid_since: { when: 'since is not an ISO 8601 time' },
  invalid_timeout: { when: 'timeout is not a whole number' },
  invalid_page: { when: 'page is not a whole number' },
  invalid_page_size: { when: 'pageSize is not a whole number' },

  invalid_name: { when: 'name is empty, too long, or holds control characters' },
  invalid_subdomain: { when: 'subdomain is not one DNS label' },
  invalid_group_id: { when: 'groupId is not a ULID' },
  group_not_found: { when: 'No such group in the workspace' },
  invalid_retention: {
    when: 'retentionDays is below 1, fractional, or above the plan’s maximum',
    extra: { max: { schema: int32, example: 90 } },
  },
  subdomain_taken: { when: 'The subdomain is in use' },
  subdomain_reserved: { when: 'The subdomain is reserved' },
  plan_max_mailboxes_reached: {
    when: 'The plan’s number of mailboxes is reached',
    extra: { limit: { schema: int32, example: 1000 } },
  },

  outbound_disabled: { when: 'Outbound is off for the mailbox or the plan' },
  invalid_from_domain: {
    when: 'The domain of from is no verified identity',
    extra: { domain: { schema: { type: 'string' }, example: 'elsewhere.example' } },
  },
  recipients_not_allowed: {
    when: 'A recipient is not on the mailbox’s allowlist',
    extra: { recipients: { schema: texts, example: ['ada@elsewhere.example'] } },
  },
  suppressed_recipients: {
    when: 'A recipient is on the suppression list',
    extra: { recipients: { schema: texts, example: ['ada@elsewhere.example'] } },
  },
  daily_outbound_limit_reached: {
    when: 'The workspace’s day is full',
    extra: { count: { schema: int32, example: 1000 }, limit: { schema: int32, example: 1000 } },
  },
  storage_limit_reached: {
    when: 'The workspace has no storage left',
    extra: { limit_bytes: { schema: int64, example: 10_737_418_240 } },
  },
  insufficient_funds: {
    when: 'The wallet does not cover the cost',
    extra: { balance_cents: { schema: int64, example: 0 }, required_cents: { schema: int64, example: 1 } },
  },

  invalid_response_status: { when: 'responseStatus is not from 200 to 599' },
  invalid_response_content_type: { when: 'responseContentType is no media type' },
  invalid_response_body: { when: 'responseBody is no text, or over 1 MiB' },
  invalid_forward_mode: { when: 'forwardMode is not off, async or sync' },
  invalid_forward_url: { when: 'forwardUrl is no absolute http or https URL, or is missing where forwarding is on' },
  invalid_forward: { when: 'Forwarding is not configured' },
  hook_limit_reached: {
    when: 'The plan’s number of interceptors is reached',
    extra: { limit: { schema: int32, example: 50 } },
  },

  invalid_ids: { when: 'ids are no ULIDs with commas between them, or too many' },
  upgrade_required: { when: 'The feed is a WebSocket' },
  too_many_subscribers: {
    when: 'As many as there can be follow the feed',
    extra: { limit: { schema: int32, example: 2_000 } },
  },
  invalid_query: {
    when: 'A word of the search can’t be read: message says why, position where, the first character being 0',
    extra: {
      message: { schema: text, example: 'This quote is not closed.' },
      position: { schema: int32, example: 8 },
    },
  },
  invalid_types: { when: 'types names an event there is not' },
  invalid_mailbox_id: { when: 'mailboxId is not a ULID' },
  invalid_workspace_id: { when: 'workspaceId is not a ULID' },
  invalid_after: { when: 'after is not a ULID' },
  invalid_domain: { when: 'domain is no domain name' },
  invalid_recipient: { when: 'recipient is not one address' },
  invalid_reason: { when: 'reason is neither bounce nor complaint' },
  invalid_responses: {
    when: 'No list of answers, or one that can’t be given: index says which, message why',
    extra: {
      index: { schema: { ...int32, description: 'The first of them' }, example: 0 },
      message: { schema: text, example: 'status is a whole number from 200 to 599.' },
    },
  },
  plan_max_keys_reached: {
    when: 'The plan’s number of active keys is reached',
    extra: { limit: { schema: int32, example: 100 } },
  },
  invalid_plan: { when: 'plan is neither free nor business' },
  invalid_limits: { when: 'limits is neither cloud nor off' },
  invalid_wallet_cents: { when: 'walletCents is not a whole number from 0' },
  invalid_scope: { when: 'No scopes, or one that names what the workspace has not' },
  invalid_outbound_enabled: { when: 'outboundEnabled is neither true nor false' },
  invalid_allowlist: { when: 'allowlist is no list of addresses, *@domain and *.domain patterns' },
  invalid_addresses: {
    when: 'No list of addresses and *@domain patterns, or one of them is none',
    extra: { index: { schema: { ...int32, description: 'The first that is none' }, example: 0, optional: true } },
  },
  invalid_header: { when: 'header has no name of a header field before its colon' },
  invalid_code: { when: 'code is neither 1 nor 0' },
  invalid_link: { when: 'link is no kind of link, nor any' },
  invalid_count: { when: 'count is not a whole number' },
  invalid_to: { when: 'to is no address list of 1 to 100 recipients' },
  no_relay: { when: 'No relay is set: start the server with --relay smtp://host:port' },
  invalid_allow: { when: 'allow is no object of lists of hosts, as cdn.example or cdn.example:8080' },
  address_taken: {
    when: 'Another mailbox claims the address',
    extra: {
      address: { schema: text, example: 'alice@email.com' },
      mailboxId: { schema: text, example: '01KAH7R0ZD6E4N1KX3M5P7R9S2' },
      mailboxName: { schema: text, example: 'Sign up' },
      workspaceId: { schema: text, example: '01KAH7QZ0M8F3J9W2T5V6X7Y8Z' },
      workspaceName: { schema: text, example: 'Worker 1' },
    },
  },
  invalid_clock: { when: 'Neither offsetSeconds nor now nor null, or a time that can’t be' },
  invalid_faults: {
    when: 'A rule is wrong or could never apply: index says which, message why',
    extra: {
      index: { schema: { ...int32, description: 'The first of them' }, example: 0 },
      message: { schema: text, example: 'times is a whole number from 1.' },
    },
  },
  invalid_secret: { when: 'secret is no base32' },
  invalid_uri: { when: 'uri is no otpauth://totp/ URI, or has a part that is wrong' },
  invalid_algorithm: { when: 'algorithm is neither SHA1 nor SHA256 nor SHA512' },
  invalid_digits: { when: 'digits is neither 6 nor 8' },
  invalid_period: { when: 'period is not from 15 to 120' },
  daily_inbound_limit_reached: {
    when: 'The mailbox’s day is full',
    extra: { limit: { schema: int32, example: 10_000 } },
  },
  seeded_mailbox: { when: 'The inbox can’t be deleted' },
  seeded_workspace: { when: 'The seeded workspace can’t be deleted' },
  method_not_allowed: { when: 'The path is known, the method is not: Allow names those that are' },
};

/**
 * Returns every code that an operation of the cloud API can fail with: its own, and those of any request of its kind.
 */
export function cloudCodes({ method, path, declared }: Described): ErrorCode[] {
  const any: ErrorCode[] = ['unauthorized', 'rate_limited', ...anyCodes({ method, path, declared })];
  if (method === 'POST') any.push('invalid_idempotency_key');
  return [...new Set([...declared.fails, ...any])];
}

/** Returns every code that an operation of the local API can fail with. */
export function localCodes(route: Described): ErrorCode[] {
  return [...new Set([...route.declared.fails, 'unauthorized' as const, 'forbidden' as const, ...anyCodes(route)])];
}

type Described = Pick<Endpoint<never>, 'method' | 'path' | 'declared'>;

function anyCodes({ method, path, declared }: Described): ErrorCode[] {
  const any: ErrorCode[] = ['internal_error', 'shutting_down'];
  if (path.includes(':')) any.push('not_found');
  if (method !== 'GET') any.push('disk_full', 'storage_unavailable');
  if (declared.body !== undefined) any.push('invalid_body', 'payload_too_large', 'unsupported_media_type');
  return any;
}

/** The codes that the API document names for any operation, by their status at least. */
const OF_ANY: readonly ErrorCode[] = ['not_found', 'rate_limited'];

const OF_SETTINGS: readonly ErrorCode[] = [
  ...(['invalid_name', 'invalid_response_status', 'invalid_response_content_type'] as const),
  ...(['invalid_response_body', 'invalid_forward_mode', 'invalid_forward_url', 'invalid_retention'] as const),
];

/** The API document's table of errors, by operation (docs/api.md#errors). */
const IN_THE_DOCUMENT: Readonly<Record<string, readonly ErrorCode[]>> = {
  createMailbox: [
    ...(['invalid_name', 'invalid_subdomain', 'invalid_group_id', 'group_not_found', 'invalid_retention'] as const),
    ...(['subdomain_taken', 'subdomain_reserved', 'plan_max_mailboxes_reached'] as const),
  ],
  sendEmail: [
    ...(['invalid_body', 'outbound_disabled', 'invalid_from_domain', 'recipients_not_allowed'] as const),
    ...(['suppressed_recipients', 'daily_outbound_limit_reached', 'insufficient_funds'] as const),
    'storage_limit_reached',
  ],
  listSuppression: ['outbound_disabled'],
  deleteSuppression: ['outbound_disabled'],
  createWebhook: [...OF_SETTINGS, 'hook_limit_reached'],
  updateWebhook: OF_SETTINGS,
  replayWebhookRequest: ['invalid_forward'],
};

/** Tells whether a code is an addition of this server that the API document does not have for the operation. */
export function isAddition(operationId: string, code: ErrorCode): boolean {
  return !OF_ANY.includes(code) && !(IN_THE_DOCUMENT[operationId] ?? []).includes(code);
}

export function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([one], [other]) => one - other);
}

/** Returns the content of the refusals that share a status: the Error schema, and an example of each code. */
export function refusalContent(codes: readonly ErrorCode[]): { schema: JsonSchema; examples: ExampleRefs } {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) };
}

/** Returns the Error schema: a choice of the plain error and of the errors with extra fields, each tied to its code. */
export function errorSchemas(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const withExtra = codes.filter((code) => REFUSALS[code]?.extra !== undefined);
  const plain = codes.filter((code) => !withExtra.includes(code));
  const named = Object.fromEntries(withExtra.map((code) => [nameOf(code), extendedError(code)]));
  const refs = ['PlainError', ...Object.keys(named)].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const error = { type: 'string', enum: plain };
  return {
    Error: { oneOf: refs, description: 'Told apart by the code in error' },
    PlainError: { type: 'object', properties: { error }, required: ['error'] },
    ...named,
  };
}

/** Converts a code such as `invalid_retention` to the schema name `InvalidRetentionError`. */
function nameOf(code: ErrorCode): string {
  return `${code.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())}Error`.replace(
    /ErrorError$/,
    'Error',
  );
}

function extendedError(code: ErrorCode): JsonSchema {
  const { when, extra = {} } = REFUSALS[code] ?? { when: code };
  const fields = Object.entries(extra);
  return {
    type: 'object',
    description: when,
    properties: {
      error: { type: 'string', const: code },
      ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    },
    required: ['error', ...fields.filter(([, { optional }]) => !optional).map(([name]) => name)],
  };
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type ExampleRefs = Readonly<Record<string, { readonly $ref: string }>>;

/** Returns an example answer of each code. */
export function refusalExamples(codes: readonly ErrorCode[]): Record<string, Example> {
  return Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
}

function exampleOf(code: ErrorCode): Example {
  const { when, extra = {} } = REFUSALS[code] ?? { when: code };
  const always = Object.entries(extra).filter(([, { optional }]) => !optional);
  const beside = always.map(([name, { example }]) => [name, example]);
  return { summary: when, value: { error: code, ...Object.fromEntries(beside) } };
}
