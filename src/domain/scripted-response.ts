import { refuse } from './errors.ts';
import { Flaw, parseEach } from './flaw.ts';
import type { ScriptedResponse, Webhook } from './webhook.ts';
import { isBodyText, isResponseStatus } from './webhook-settings.ts';

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

function parseResponse(value: unknown): ScriptedResponse {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Flaw('An answer is an object.');
  const given: Readonly<Record<string, unknown>> = { ...value };
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
/** The header fields that frame a message. Only the server may set them. */
export const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function parseHeaders(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Flaw('headers is an object.');
  const headers = Object.entries(value);
  if (headers.length > MOST_HEADERS) throw new Flaw(`There are more than ${MOST_HEADERS} headers.`);
  const wrong = headers.find((header) => !isHeader(header));
  if (wrong !== undefined) throw new Flaw(`The header ${JSON.stringify(wrong[0].slice(0, 40))} can't be sent.`);
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
