import { refuse } from './errors.ts';
import { parseRetention } from './mailbox.ts';
import type { Plan } from './plan.ts';
import type { ForwardMode, Webhook } from './webhook.ts';

// docs/contract.md#settings-of-an-interceptor: what an interceptor may be set to. Checks in the order of the document's fields.

/** What a user sets of an interceptor. */
export type WebhookSettings = Pick<
  Webhook,
  'name' | 'responseStatus' | 'responseContentType' | 'responseBody' | 'forwardMode' | 'forwardUrl' | 'retentionDays'
>;

/** As they come from outside. Null counts as omitted. */
export type GivenSettings = { readonly [Name in keyof WebhookSettings]?: unknown };

/** Answers 200 with an empty body, forwards nothing, keeps requests as long as the plan does by default. */
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

/** The settings with what is given in place of what was. Throws `invalid_<field>`, `invalid_retention` with `max`. */
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
  // Of both together, so after each by itself.
  if (changed.forwardMode !== 'off' && changed.forwardUrl === null) throw refuse('invalid_forward_url');
  return changed;
}

function orWas<T>(value: unknown, parse: (value: unknown) => T, was: T): T {
  return value === undefined || value === null ? was : parse(value);
}

const MAX_NAME = 100;

function parseName(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : null;
  // The first look keeps a name of megabytes from being taken apart.
  if (name === null || name.length > 2 * MAX_NAME || [...name].length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) {
    throw refuse('invalid_name');
  }
  return name;
}

function parseResponseStatus(value: unknown): number {
  if (!isResponseStatus(value)) throw refuse('invalid_response_status');
  return value;
}

/** A status that ends an exchange: 200 to 599. */
export function isResponseStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"';
/** RFC 9110 8.3.1. */
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`);
const LONGEST_MEDIA_TYPE = 255;

function parseContentType(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_MEDIA_TYPE || !MEDIA_TYPE.test(value)) {
    throw refuse('invalid_response_content_type');
  }
  return value;
}

/** Bytes in UTF-8. */
const LONGEST_BODY = 1024 * 1024;

function parseResponseBody(value: unknown): string {
  if (!isBodyText(value)) throw refuse('invalid_response_body');
  return value;
}

/** Text that can be sent as a body: well-formed Unicode of at most 1 MiB. */
export function isBodyText(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_BODY) return false;
  return !/\p{Cs}/u.test(value) && new TextEncoder().encode(value).length <= LONGEST_BODY;
}

/** By the integer that stands for it on the wire. */
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
 * Scheme, two slashes, a host and its port, and what follows. URL would drop blanks, line breaks and controls, guess at slashes
 * and decode the host: what is kept is what was checked.
 */
const PLAIN_URL =
  /^https?:\/\/(?:\[[\da-f:.]+\]|[^\s\p{Cc}\p{Cs}\\/?#@:%[\]]+)(?::\d{0,5})?(?:[/?#][^\s\p{Cc}\p{Cs}\\]*)?$/iu;

/** Absolute http or https, with a host and no credentials in it. */
function parseForwardUrl(value: unknown): string {
  const isPlain = typeof value === 'string' && value.length <= LONGEST_URL && PLAIN_URL.test(value);
  if (!isPlain || !URL.canParse(value)) throw refuse('invalid_forward_url');
  const { hostname, port } = new URL(value);
  // Nothing listens on port 0, and no name has an empty label but for the root's at the end.
  if (port === '0' || /^\.|\.\./.test(hostname)) throw refuse('invalid_forward_url');
  return value;
}
