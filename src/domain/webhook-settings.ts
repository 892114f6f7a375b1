import { isUrl } from '../text/is-url.ts';
import { refuse } from './errors.ts';
import { parseRetention } from './mailbox.ts';
import type { Plan } from './plan.ts';
import type { ForwardMode, Webhook } from './webhook.ts';

// The settings of an interceptor (docs/api.md#webhooks). The checks run in the order of the
// document's fields.

/** The fields of an interceptor that a user can set. */
export type WebhookSettings = Pick<
  Webhook,
  'name' | 'responseStatus' | 'responseContentType' | 'responseBody' | 'forwardMode' | 'forwardUrl' | 'retentionDays'
>;

/** The settings of a request, not yet checked. Null counts as omitted. */
export type GivenSettings = { readonly [Name in keyof WebhookSettings]?: unknown };

/** Returns the default settings: status 200, an empty body, no forwarding, and the plan's default retention. */
export function defaultSettings(plan: Plan): WebhookSettings {
  return {
    name: null,
    responseStatus: 200,
    responseContentType: null,
    responseBody: '',
    forwardMode: 'off',
    forwardUrl: null,
    retentionDays: plan.retentionDefaultDays,
  };
}

/** Merges the given settings into the old ones. Throws `invalid_<field>`, and `invalid_retention` with `max`. */
export function changeSettings(was: WebhookSettings, given: GivenSettings, plan: Plan): WebhookSettings {
  const changed: WebhookSettings = {
    name: orWas(given.name, parseName, was.name),
    responseStatus: orWas(given.responseStatus, parseResponseStatus, was.responseStatus),
    responseContentType: orWas(given.responseContentType, parseContentType, was.responseContentType),
    responseBody: orWas(given.responseBody, parseResponseBody, was.responseBody),
    forwardMode: orWas(given.forwardMode, parseForwardMode, was.forwardMode),
    forwardUrl: orWas(given.forwardUrl, parseForwardUrl, was.forwardUrl),
    retentionDays: orWas(given.retentionDays, (value) => parseRetention(value, plan), was.retentionDays),
  };
  // This rule concerns two fields, so it follows the checks of each.
  if (changed.forwardMode !== 'off' && changed.forwardUrl === null) throw refuse('invalid_forward_url');
  return changed;
}

function orWas<T>(value: unknown, parse: (value: unknown) => T, was: T): T {
  return value === undefined || value === null ? was : parse(value);
}

const MAX_NAME = 100;

function parseName(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : null;
  // The length is checked first, so that a huge name is not split into characters.
  if (name === null || name.length > 2 * MAX_NAME || [...name].length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) {
    throw refuse('invalid_name');
  }
  return name;
}

function parseResponseStatus(value: unknown): number {
  if (!isResponseStatus(value)) throw refuse('invalid_response_status');
  return value;
}

/** Tells whether a value is a final status: 200 to 599. */
export function isResponseStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"';
/** The media type of RFC 9110 8.3.1. */
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*(?:[ \\t]*;[ \\t]+)?$`,
);
const LONGEST_MEDIA_TYPE = 255;

function parseContentType(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_MEDIA_TYPE || !MEDIA_TYPE.test(value)) {
    throw refuse('invalid_response_content_type');
  }
  return value;
}

/** The longest response body, in bytes of UTF-8. */
const LONGEST_BODY = 1024 * 1024;

function parseResponseBody(value: unknown): string {
  if (!isBodyText(value)) throw refuse('invalid_response_body');
  return value;
}

/** Tells whether a value can be a body: well-formed Unicode of at most 1 MiB. */
export function isBodyText(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_BODY) return false;
  return !/\p{Cs}/u.test(value) && new TextEncoder().encode(value).length <= LONGEST_BODY;
}

/** The modes, indexed by their integer on the wire. */
export const FORWARD_MODES = ['off', 'async', 'sync'] as const satisfies readonly ForwardMode[];

function parseForwardMode(value: unknown): ForwardMode {
  const mode =
    typeof value === 'number'
      ? FORWARD_MODES[value]
      : FORWARD_MODES.find((name) => typeof value === 'string' && name === value.toLowerCase());
  if (mode === undefined) throw refuse('invalid_forward_mode');
  return mode;
}

const LONGEST_URL = 2_048;

/**
 * The syntax of a forward URL: scheme, two slashes, host, port, and the rest. `new URL` would drop white space and
 * control characters, repair slashes and decode the host, so the text that is stored must be the text that was checked.
 */
const PLAIN_URL =
  /^https?:\/\/(?:\[[\da-f:.]+\]|[^\s\p{Cc}\p{Cs}\\/?#@:%[\]]+)(?::\d{0,5})?(?:[/?#][^\s\p{Cc}\p{Cs}\\]*)?$/iu;

/** Parses an absolute http or https URL with a host and without credentials. Throws `invalid_forward_url`. */
function parseForwardUrl(value: unknown): string {
  const isPlain = typeof value === 'string' && value.length <= LONGEST_URL && PLAIN_URL.test(value);
  if (!isPlain || !isUrl(value)) throw refuse('invalid_forward_url');
  const { hostname, port } = new URL(value);
  // Nothing listens on port 0. Only the final label of a name, the root, may be empty.
  if (port === '0' || /^\.|\.\./.test(hostname)) throw refuse('invalid_forward_url');
  return value;
}
