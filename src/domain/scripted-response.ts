import { refuse } from './errors.ts';
import type { ScriptedResponse, Webhook } from './webhook.ts';
import { isBodyText, isResponseStatus } from './webhook-settings.ts';

// Scripted responses (docs/contract.md#captured-requests-here). Each serves one request; the configured response
// follows.

const MOST_RESPONSES = 1_000;
const MOST_HEADERS = 100;
const LONGEST_DELAY_MS = 60_000;

/**
 * Parses the list of a request. The defaults are status 200, no header fields, no body and no delay. Throws
 * `invalid_responses`.
 */
export function parseScriptedResponses(value: unknown): ScriptedResponse[] {
  if (!Array.isArray(value) || value.length > MOST_RESPONSES) throw refuse('invalid_responses');
  return value.map(parseResponse);
}

function parseResponse(value: unknown): ScriptedResponse {
  if (typeof value !== 'object' || value === null) throw refuse('invalid_responses');
  const given: Readonly<Record<string, unknown>> = { ...value };
  const delayMs = given['delayMs'] ?? 0;
  if (!isDelay(delayMs)) throw refuse('invalid_responses');
  const { status, headers, body } = given;
  const drop = given['drop'] ?? false;
  if (drop === true) {
    // A response and a drop exclude each other.
    if ([status, headers, body].some((part) => part !== undefined)) throw refuse('invalid_responses');
    return { drop, delayMs };
  }
  const answer = { status: status ?? 200, body: body ?? '' };
  if (drop !== false || !isResponseStatus(answer.status) || !isBodyText(answer.body)) throw refuse('invalid_responses');
  return { status: answer.status, headers: parseHeaders(headers ?? {}), body: answer.body, delayMs };
}

function isDelay(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LONGEST_DELAY_MS;
}

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** The field value of RFC 9110 5.5. It excludes CR, LF and NUL. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;
/** The header fields that frame a message. Only the server may set them. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function parseHeaders(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('invalid_responses');
  const headers = Object.entries(value);
  if (headers.length > MOST_HEADERS || !headers.every(isHeader)) throw refuse('invalid_responses');
  return Object.fromEntries(headers);
}

function isHeader(header: [string, unknown]): header is [string, string] {
  const [name, value] = header;
  return NAME.test(name) && !FRAMING.has(name.toLowerCase()) && typeof value === 'string' && VALUE.test(value);
}

/** Returns the response of an interceptor that has no scripted responses left. */
export function configuredResponse(webhook: Webhook): ScriptedResponse {
  const { responseStatus, responseContentType, responseBody } = webhook;
  const headers = responseContentType === null ? {} : { 'Content-Type': responseContentType };
  return { status: responseStatus, headers, body: responseBody, delayMs: 0 };
}
