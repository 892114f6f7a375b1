import { isObject } from '../text/unknown.ts';
import { isUrl } from '../text/url.ts';
import { framesMessage } from './content.ts';
import { Flaw, parseEach, refuse } from './errors.ts';
import type { WebhookId, WorkspaceId } from './ids.ts';
import { parseRetention } from './mailbox.ts';
import { orWas, type Plan } from './workspace.ts';

/**
 * The forwarding mode. `async` answers first and then forwards. `sync` makes one attempt before it answers
 * (docs/webhooks.md#forwarding).
 */
type ForwardMode = 'off' | 'async' | 'sync';

/** A webhook. Its URL records requests, answers as configured, and may forward them. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly name: string | null;
  /** The key. Anyone who knows it may send requests. */
  readonly key: string;
  readonly responseStatus: number;
  readonly responseContentType: string | null;
  readonly responseBody: string;
  readonly forwardMode: ForwardMode;
  readonly forwardUrl: string | null;
  readonly retentionDays: number;
  readonly createdAt: number;
}

/** A response that serves one request. The configured response follows (docs/webhooks.md#answers-that-change). */
export type ScriptedResponse =
  | { readonly drop: true; readonly delayMs: number }
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly delayMs: number;
    };

// The settings of a webhook (docs/api.md#webhooks). The checks run in the order of the
// document's fields.

/** The fields of a webhook that a user can set. */
type WebhookSettings = Pick<
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
function isResponseStatus(value: unknown): value is number {
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
function isBodyText(value: unknown): value is string {
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

// Scripted responses (docs/webhooks.md#answers-that-change). Each serves one request; the configured response
// follows.

const MOST_RESPONSES = 1_000;
const MOST_HEADERS = 100;
const LONGEST_DELAY_MS = 60_000;

/**
 * Parses the list of a request. The defaults are status 200, no header fields, no body and no delay. Throws
 * `invalid_responses` with a `message`, which is a sentence, and the `index` of the first invalid response, or 0 if the
 * value is no list.
 */
export function parseScriptedResponses(value: unknown): ScriptedResponse[] {
  if (!Array.isArray(value)) throw refuse('invalid_responses', { index: 0, message: 'The body is a list of answers.' });
  return parseEach(value, { code: 'invalid_responses', most: MOST_RESPONSES, what: 'answers' }, parseResponse);
}

function parseResponse(given: unknown): ScriptedResponse {
  if (!isObject(given)) throw new Flaw('An answer is an object.');
  const delayMs = given['delayMs'] ?? 0;
  if (!isDelay(delayMs)) throw new Flaw(`delayMs is a whole number from 0 to ${LONGEST_DELAY_MS}.`);
  const { headers } = given;
  const status = given['status'] ?? 200;
  const body = given['body'] ?? '';
  const drop = given['drop'] ?? false;
  if (drop === true) {
    if ([given['status'], headers, given['body']].some((part) => part !== undefined))
      throw new Flaw('A dropped connection gets no status, headers or body: leave them or drop out.');
    return { drop, delayMs };
  }
  if (drop !== false) throw new Flaw('drop is true or false.');
  if (!isResponseStatus(status)) throw new Flaw('status is a whole number from 200 to 599.');
  if (!isBodyText(body)) throw new Flaw('body is a text of at most 1 MiB.');
  return { status, headers: parseHeaders(headers ?? {}), body, delayMs };
}

function isDelay(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LONGEST_DELAY_MS;
}

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** The field value of RFC 9110 5.5. It excludes CR, LF and NUL. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;
function parseHeaders(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new Flaw('headers is an object.');
  const headers = Object.entries(value);
  if (headers.length > MOST_HEADERS) throw new Flaw(`There are more than ${MOST_HEADERS} headers.`);
  const wrong = headers.find((header) => !isHeader(header));
  if (wrong !== undefined) throw new Flaw(`The header ${JSON.stringify(wrong[0].slice(0, 40))} can't be sent.`);
  return Object.fromEntries(headers.filter(isHeader));
}

function isHeader(header: [string, unknown]): header is [string, string] {
  const [name, value] = header;
  return NAME.test(name) && !framesMessage(name) && typeof value === 'string' && VALUE.test(value);
}

/** Returns the response of a webhook that has no scripted responses left. */
export function configuredResponse(webhook: Webhook): ScriptedResponse {
  const { responseStatus, responseContentType, responseBody } = webhook;
  const headers = responseContentType === null ? {} : { 'Content-Type': responseContentType };
  return { status: responseStatus, headers, body: responseBody, delayMs: 0 };
}
