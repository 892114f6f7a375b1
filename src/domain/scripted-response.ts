import { refuse } from './errors.ts';
import type { ScriptedResponse, Webhook } from './webhook.ts';
import { isBodyText, isResponseStatus } from './webhook-settings.ts';

// docs/contract.md#captured-requests-here: answers used one per request, then the configured one again.

const MOST_RESPONSES = 1_000;
const MOST_HEADERS = 100;
const LONGEST_DELAY_MS = 60_000;

/** The list as it comes from outside; what an answer leaves out is 200, no headers, no body, at once. Throws `invalid_responses`. */
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
    // Both can't be meant.
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
/** RFC 9110 5.5, without what would end the field: no CR, LF or NUL. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;
/** How the answer travels is the server's to say. */
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

/** What an interceptor answers where no scripted answer is left. */
export function configuredResponse(webhook: Webhook): ScriptedResponse {
  const { responseStatus, responseContentType, responseBody } = webhook;
  const headers = responseContentType === null ? {} : { 'Content-Type': responseContentType };
  return { status: responseStatus, headers, body: responseBody, delayMs: 0 };
}
