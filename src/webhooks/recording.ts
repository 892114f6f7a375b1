import { checkedField, encoded, WebhookError } from './schemes.ts';

// This module reads and writes recordings: captured requests as a file that people read and commit. A body is stored as
// JSON if that gives back its exact bytes, else as text, else as base64.

const MAX_RECORDED = 10_000;
const VERSION = 1 as const;

/** A request of a recording. */
export interface RecordedRequest {
  /** The time after the first request of the recording, in milliseconds. */
  readonly afterMs: number;
  readonly method: string;
  /** The path after the key, still percent-encoded. */
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
    path: urlEncoded(path, /[^\x21-\x7e\x80-\xff]|[?#]/gu),
    query: query === null ? null : withoutSecretParameters(urlEncoded(query, /[^\x21-\x7e\x80-\xff]/gu)),
    headers: headers.map(([name, value]) => [name, isSecretHeader(name, value) ? null : value]),
    body,
  }));
}

/** Encodes what no URL may hold in its path or query. Some clients send it all the same. */
function urlEncoded(text: string, forbidden: RegExp): string {
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
interface RequestJson extends Omit<RecordedRequest, 'body'> {
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
  if (text === null) return { base64: encoded(body, 'base64').match(/.{1,100}/g) ?? [] };
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

// This module decides what of a captured request grants access, by the names and forms in common use. It errs on the
// side of leaving out, because people commit recordings.

/** What stands in a recorded query for the value of a secret. */
const LEFT_OUT = 'left-out';

/** Words in the name of a header or a parameter whose value grants access. */
const SECRET_WORD =
  /authorization|cookie|token|secret|passw|pwd|passphrase|credential|jwt|session|assertion|bearer|csrf|xsrf|(?:^|[-_.])(?:auth|otp|pin)$/;
/** A name that ends with a key that grants access: `X-Functions-Key`, `apikey`, `subscription_key`. */
const SECRET_KEY =
  /(?:^|[-_.])key$|(?:api|access|auth|private|signing|secret|subscription|functions?|license|app|account|shared|master|admin|service|client|user|encryption)[-_.]?keys?(?:$|[-_.])/;
/** Keys that only name something. */
const PLAIN_KEY =
  /(?:idempotency|websocket|surrogate|cache|partition|routing|sort|group|event|message|request|object|public|primary|foreign|key-pair)[-_.]?key$/;
/** Names of parameters alone. A URL with a signature, such as that of a storage, grants access by it. */
const SECRET_PARAMETER =
  /^(?:code|sid|sig|hmac)$|signature|(?:^|[-_.])sig$|auth(?:orization)?[-_.]?code|(?:^|[-_.])hmac$/;
/** Headers that prove who sent a body. Their values stay, because a recording is played with them. */
const PROOF = /signature|verification|^digest$|^content-digest$|hmac/;

/** The value of a header that is a credential under any name (RFC 9110 11.4), and a JWT (RFC 7519). */
const CREDENTIAL = /^\s*(?:bearer|basic|digest|negotiate|ntlm|hoba|mutual|token|apikey)\s+\S/i;
const JWT = /(?:^|[^\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\./;

/** Tells whether a header grants access, by its name, or by its value unless that is a signature. */
function isSecretHeader(name: string, value: string): boolean {
  const plain = name.toLowerCase();
  if (isSecretName(plain)) return true;
  return !PROOF.test(plain) && (CREDENTIAL.test(value) || JWT.test(value));
}

/**
 * Replaces the values of parameters that grant access. Names and values are decoded first, because `?t%6Fken=` is a
 * `token` to whoever receives it. The rest stays as it is, byte for byte.
 */
function withoutSecretParameters(query: string): string {
  return query.split('&').map(withoutSecret).join('&');
}

/** Returns the names of the parameters whose values {@link withoutSecretParameters} replaced, as they were written. */
function leftOutParameters(query: string): string[] {
  return query
    .split('&')
    .filter((pair) => pair.endsWith(`=${LEFT_OUT}`))
    .map((pair) => pair.slice(pair.lastIndexOf(';') + 1, -LEFT_OUT.length - 1));
}

/** Replaces the value in a part of a query between two `&`. Some servers divide such a part at `;` too. */
function withoutSecret(part: string): string {
  let from = 0;
  for (const pair of part.split(';')) {
    const mark = pair.indexOf('=');
    const name = mark === -1 ? '' : pair.slice(0, mark);
    // A secret may hold `;` itself, so nothing after it stays.
    if (isSecretParameter(name, pair.slice(mark + 1))) return `${part.slice(0, from)}${name}=${LEFT_OUT}`;
    from += pair.length + 1;
  }
  return part;
}

function isSecretParameter(name: string, value: string): boolean {
  const plain = plainName(name);
  return isSecretName(plain) || SECRET_PARAMETER.test(plain) || JWT.test(decoded(value));
}

function isSecretName(plain: string): boolean {
  return SECRET_WORD.test(plain) || (SECRET_KEY.test(plain) && !PLAIN_KEY.test(plain));
}

/** Returns a name as a receiver reads it: decoded, in lower case, `user[api_key]` as `user.api_key`. */
function plainName(name: string): string {
  return decoded(name)
    .toLowerCase()
    .replace(/[[\]\s]+/g, '.')
    .replace(/^\.|\.$/g, '');
}

/** The times that a text is decoded. A proxy may decode once more than the app. */
const DECODED = 3;

/** Decodes percent-encoded bytes as Latin-1, because a secret is named and written in ASCII. Invalid ones stay. */
function decoded(text: string): string {
  let plain = text.replaceAll('+', ' ');
  for (let at = 0; at < DECODED && plain.includes('%'); at++)
    plain = plain.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain;
}
