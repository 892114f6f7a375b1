import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import type { Method } from '../route.ts';
import type { JsonSchema } from './components.ts';

/** What an error code of the cloud API means, and the fields that stand beside it. */
interface Refusal {
  readonly when: string;
  readonly extra?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

const int32: JsonSchema = { type: 'integer', format: 'int32' };
const int64: JsonSchema = { type: 'integer', format: 'int64' };
const texts: JsonSchema = { type: 'array', items: { type: 'string' } };

/** The API document's table of errors (7), and the codes contract 3 adds to it. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  unauthorized: { when: 'The key is missing, malformed, unknown or revoked' },
  not_found: { when: 'Missing, or outside the key’s scope' },
  rate_limited: { when: 'Too many requests of this key or workspace' },
  internal_error: {
    when: 'An unexpected failure; quote the request id',
    extra: { requestId: { schema: { type: 'string' }, example: 'req_1' } },
  },
  shutting_down: { when: 'The server stops: nothing was done, ask again when it is back' },
  storage_unavailable: { when: 'The disk refused the write; nothing was stored' },

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
};

/** Every code an operation can fail with: its own, and those any request of its kind can. */
export function codesOf(method: Method, path: string, hasBody: boolean, own: readonly ErrorCode[]): ErrorCode[] {
  const any: ErrorCode[] = ['unauthorized', 'rate_limited', 'internal_error', 'shutting_down'];
  if (path.includes(':')) any.push('not_found');
  if (method === 'POST') any.push('invalid_idempotency_key');
  if (method !== 'GET') any.push('storage_unavailable');
  if (hasBody) any.push('invalid_body', 'payload_too_large', 'unsupported_media_type');
  return [...new Set([...own, ...any])];
}

export function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([one], [other]) => one - other);
}

/** The body of the refusals that share a status. */
export function refusalContent(codes: readonly ErrorCode[]): { schema: JsonSchema; examples: Examples } {
  const extras = codes.flatMap((code) => Object.entries(REFUSALS[code]?.extra ?? {}));
  const properties = {
    error: { type: 'string', enum: codes },
    ...Object.fromEntries(extras.map(([name, { schema }]) => [name, schema])),
  };
  return {
    schema: { type: 'object', properties, required: ['error'] },
    examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
  };
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

function exampleOf(code: ErrorCode): Examples[string] {
  const { when, extra = {} } = REFUSALS[code] ?? { when: code };
  const beside = Object.entries(extra).map(([name, { example }]) => [name, example]);
  return { summary: when, value: { error: code, ...Object.fromEntries(beside) } };
}
