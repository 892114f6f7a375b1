import { checkedField } from './schemes.ts';
import { isSecretHeader, leftOutParameters, withoutSecretParameters } from './secrets.ts';
import { WebhookError } from './webhook-error.ts';

// This module reads and writes recordings: captured requests as a file that people read and commit. A body is stored as
// JSON if that gives back its exact bytes, else as text, else as base64.

export const MAX_RECORDED = 10_000;
const VERSION = 1 as const;

/** A request of a recording. */
export interface RecordedRequest {
  /** The time after the first request of the recording, in milliseconds. */
  readonly afterMs: number;
  readonly method: string;
  /** The path after the capture key, still percent-encoded. */
  readonly path: string;
  /** The query without `?`; null if there was none. */
  readonly query: string | null;
  /** The header fields in their order. The value of a secret is null. */
  readonly headers: readonly (readonly [name: string, value: string | null])[];
  /** Null if there was no body. */
  readonly body: Uint8Array | null;
}

/** A captured request, as the server stores it. */
export interface HeldRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
  /** In milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Prepares captured requests, oldest first, for a recording, without their secrets. */
export function recorded(requests: readonly HeldRequest[]): RecordedRequest[] {
  const first = requests[0]?.receivedAt ?? 0;
  return requests.map(({ method, path, query, headers, body, receivedAt }) => ({
    // The clock may have been set back between two requests.
    afterMs: Math.max(0, receivedAt - first),
    method,
    path: encoded(path, /[^\x21-\x7e\x80-\xff]|[?#]/gu),
    query: query === null ? null : withoutSecretParameters(encoded(query, /[^\x21-\x7e\x80-\xff]/gu)),
    headers: headers.map(([name, value]) => [name, isSecretHeader(name, value) ? null : value]),
    body,
  }));
}

/** Encodes what no URL may hold in its path or query. Some clients send it all the same. */
function encoded(text: string, forbidden: RegExp): string {
  return text.replace(forbidden, (sign) => encodeURIComponent(/\p{Surrogate}/u.test(sign) ? '\ufffd' : sign));
}

/** Returns the names of the secrets that a recorded request lacks, for people to read. */
export function leftOutOf({ headers, query }: RecordedRequest): string[] {
  const names = headers.flatMap(([name, value]) => (value === null ? [name] : []));
  return [...names, ...leftOutParameters(query ?? '').map((name) => `?${name}`)];
}

/** A recording as JSON. */
export interface Recording {
  readonly mailcapRecording: typeof VERSION;
  readonly requests: readonly RequestJson[];
}

/**
 * A request of a recording as JSON. Its body is in one of `json`, `text` and `base64`; a request without a body has
 * none of them.
 */
export interface RequestJson extends Omit<RecordedRequest, 'body'> {
  readonly json?: unknown;
  /** The number of spaces by which `json` is indented; none if it is left out. */
  readonly indent?: 2;
  /** The text, or its lines. */
  readonly text?: string | readonly string[];
  readonly base64?: readonly string[];
}

/** Returns a recording as JSON. The same requests give the same JSON, so that a change of it can be reviewed. */
export function toRecording(requests: readonly RecordedRequest[]): Recording {
  const items = requests.map(({ body, ...rest }) => ({ ...rest, ...written(body) }));
  return { mailcapRecording: VERSION, requests: items };
}

/** Writes a recording as the text of a file, for people to read. */
export function writeRecording({ mailcapRecording, requests }: Recording): string {
  const items = requests.map((request) => {
    const text = JSON.stringify({ ...request, headers: {} }, null, 2);
    const lines = request.headers.map((field) => `    ${JSON.stringify(field)}`).join(',\n');
    // One line for each header is easier to read than four.
    const whole = text.replace('"headers": {}', () => `"headers": [${lines === '' ? '' : `\n${lines}\n  `}]`);
    return whole
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n');
  });
  const list = items.join(',\n');
  return `{\n  "mailcapRecording": ${mailcapRecording},\n  "requests": [${list === '' ? '' : `\n${list}\n  `}]\n}\n`;
}

function written(body: Uint8Array | null): Pick<RequestJson, 'json' | 'indent' | 'text' | 'base64'> {
  if (body === null) return {};
  const text = textOf(body);
  if (text === null) return { base64: base64Of(body).match(/.{1,100}/g) ?? [] };
  const json = jsonOf(text);
  return json ?? { text: text.includes('\n') ? text.split(/(?<=\n)/) : text };
}

/** Returns text as JSON if this JSON, written again, is the same text; else null. */
function jsonOf(text: string): { readonly json: unknown; readonly indent?: 2 } | null {
  try {
    const json: unknown = JSON.parse(text);
    // A plain text that happens to be JSON, such as a number, is easy to read as text.
    if (typeof json !== 'object' || json === null) return null;
    if (JSON.stringify(json) === text) return { json };
    return JSON.stringify(json, null, 2) === text ? { json, indent: 2 } : null;
  } catch {
    return null;
  }
}

/** Reads a recording. Throws a {@link WebhookError} that says what is wrong with it, and where. */
export function parseRecording(given: unknown): RecordedRequest[] {
  const { mailcapRecording: version, requests } = fieldsOf(given, 'it');
  if (version !== VERSION) throw wrong('it is not a recording of mailcap, or a later version wrote it');
  if (!Array.isArray(requests)) throw wrong('requests is not a list');
  if (requests.length > MAX_RECORDED) throw wrong(`it has more than ${MAX_RECORDED} requests`);
  return requests.map((request: unknown, at) => parseRequest(request, `request ${at + 1}`));
}

function parseRequest(given: unknown, what: string): RecordedRequest {
  const { afterMs = 0, method, path = '/', query = null, headers = [], ...rest } = fieldsOf(given, what);
  if (typeof afterMs !== 'number' || !(afterMs >= 0) || !Number.isFinite(afterMs))
    throw wrong(`${what}: afterMs is not a number of milliseconds`);
  if (typeof method !== 'string' || !/^[\w!#$%&'*+.^`|~-]{1,40}$/.test(method) || /^connect$/i.test(method))
    throw wrong(`${what}: method is not an HTTP method`);
  if (typeof path !== 'string' || !/^\/[\x21-\x7e\x80-\xff]*$/.test(path) || /[?#]/.test(path))
    throw wrong(`${what}: path is not a path such as /orders`);
  if (query !== null && (typeof query !== 'string' || !/^[\x21-\x7e\x80-\xff]*$/.test(query)))
    throw wrong(`${what}: query is not a query`);
  if (!Array.isArray(headers)) throw wrong(`${what}: headers is not a list of names and values`);
  return {
    afterMs,
    method,
    path,
    query,
    headers: headers.map((field) => parseField(field, what)),
    body: parseBody(rest, what),
  };
}

function parseField(field: unknown, what: string): [name: string, value: string | null] {
  const [name, value]: readonly unknown[] = Array.isArray(field) ? field : [];
  if (typeof name !== 'string' || (typeof value !== 'string' && value !== null))
    throw wrong(`${what}: a header is not a list of a name and a value`);
  try {
    checkedField(name, '');
  } catch {
    throw wrong(`${what}: ${JSON.stringify(name.slice(0, 100))} is not a name of a header`);
  }
  // A value may hold bytes beyond ASCII, written as Latin-1 characters.
  if (value !== null && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw wrong(`${what}: the header ${name} is not one line`);
  return [name, value];
}

function parseBody({ json, indent, text, base64 }: Readonly<Record<string, unknown>>, what: string): Uint8Array | null {
  if ([json, text, base64].filter((one) => one !== undefined).length > 1)
    throw wrong(`${what}: it has more than one of json, text and base64`);
  const utf8 = new TextEncoder();
  if (json !== undefined) return utf8.encode(writtenJson(json, indent === 2 ? 2 : 0, what));
  if (text !== undefined) return utf8.encode(joined(text, `${what}: text`));
  if (base64 === undefined) return null;
  const bytes = bytesIn(joined(base64, `${what}: base64`));
  if (bytes === null) throw wrong(`${what}: base64 is not valid base64`);
  return bytes;
}

function writtenJson(json: unknown, indent: number, what: string): string {
  try {
    return JSON.stringify(json, null, indent);
  } catch {
    // JSON.parse reads deep nesting without recursion, but JSON.stringify recurses.
    throw wrong(`${what}: json is nested too deeply`);
  }
}

/** Joins a text that stands in several lines. */
function joined(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join('');
  throw wrong(`${what} is neither a text nor a list of texts`);
}

function bytesIn(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\u0000') ? null : text;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${what} is not an object`);
  return Object.fromEntries(Object.entries(value));
}

function wrong(message: string): WebhookError {
  return new WebhookError(message, 'invalid_recording');
}
