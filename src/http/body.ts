import { setImmediate } from 'node:timers/promises';
import { refuse } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';

export const JSON_LIMIT = 1024 * 1024;

/** The media types of a raw message. fetch sends a string as text/plain. */
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['', 'message/rfc822', 'application/octet-stream', 'text/plain']);

/** Reads a body into memory. Throws `payload_too_large`. */
export async function readBytes(exchange: Exchange, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyStream(exchange, limit)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Reads a JSON body into memory. `anyType` takes a body of any media type as JSON. Throws `payload_too_large`,
 * `unsupported_media_type`.
 */
export async function readJsonBytes(exchange: Exchange, limit: number, anyType = false): Promise<Buffer> {
  const bytes = await readBytes(exchange, limit);
  const isJson = anyType ? !isEncoded(exchange) : claimsJson(exchange);
  if (bytes.length > 0 && !isJson) throw refuse('unsupported_media_type');
  return bytes;
}

/**
 * Parses the bytes as JSON. Throws `invalid_body`, also for a text with a lone surrogate (RFC 7493 2.1): no answer and no
 * store could give it back, because UTF-8 has none.
 */
export function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
    if (!ESCAPED_SURROGATE.test(text)) return value;
  } catch (cause) {
    throw refuse('invalid_body', {}, { cause });
  }
  if (hasLoneSurrogate(value)) throw refuse('invalid_body');
  return value;
}

const ESCAPED_SURROGATE = /\\ud[89a-f]/i;
const LONE_SURROGATE = /\p{Surrogate}/u;

function hasLoneSurrogate(value: unknown): boolean {
  // A sender may nest values deeper than calls can.
  const rest = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one === 'string' && LONE_SURROGATE.test(one)) return true;
    if (typeof one === 'object' && one !== null) for (const [key, inner] of Object.entries(one)) rest.push(key, inner);
  }
  return false;
}

/** Reads a raw message as a stream. Throws `payload_too_large`, `unsupported_media_type`. */
export function messageStream(exchange: Exchange, limit: number): AsyncIterable<Buffer> {
  const { type } = contentType(exchange);
  if (!MESSAGE_TYPES.has(type) || isEncoded(exchange)) throw refuse('unsupported_media_type');
  return bodyStream(exchange, limit);
}

async function* bodyStream({ req }: Exchange, limit: number): AsyncGenerator<Buffer, void> {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw refuse('payload_too_large');
  let sizeBytes = 0;
  // The stream stays open after an early end, because the answer goes out on this connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length;
    if (sizeBytes > limit) throw refuse('payload_too_large');
    yield chunk;
  }
}

/** Tells whether the Content-Type is JSON in UTF-8. */
export function claimsJson(exchange: Exchange): boolean {
  if (isEncoded(exchange)) return false;
  const { type, charset } = contentType(exchange);
  return /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(type) && (charset === null || /^utf-?8$/.test(charset));
}

/** Tells whether a body is compressed. */
export function isEncoded({ req }: Exchange): boolean {
  return (req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

/** Returns the media type of the body in lower case, without parameters. */
export function contentType({ req }: Exchange): { type: string; charset: string | null } {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=');
    if (name?.trim() === 'charset' && value !== undefined)
      return { type: type.trim(), charset: value.trim().replaceAll('"', '') };
  }
  return { type: type.trim(), charset: null };
}

// A body of JSON from outside may be large: most of it are files in base64. Parsing takes the time of its values, not of its
// bytes, so their number and their depth are bounded first, in pieces, while the event loop serves others.

/** The deepest nesting. Functions that call themselves for each level have room for it. */
const DEEPEST = 64;
/** The objects and lists of a body, at most. */
const MOST_NESTED = 100_000;
/** The fields of all objects, at most. Each name of its own takes microseconds. */
const MOST_FIELDS = 50_000;
/** The values that follow another, at most. The SDK for Python sends the bytes of a file as a list of numbers. */
const MOST_VALUES = 2_000_000;
/** The bytes that are looked at in one turn of the event loop. */
const STEP_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Tells whether a text that may be JSON is nested no deeper, and has no more values, than a mail needs. */
export async function isModestJson(bytes: Buffer): Promise<boolean> {
  let [depth, nested, fields, values, lastTurn] = [0, 0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
      if (at === -1) return true; // It is no JSON: the parser says so.
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST || ++nested > MOST_NESTED) return false;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x3a) {
      if (++fields > MOST_FIELDS) return false;
    } else if (byte === 0x2c && ++values > MOST_VALUES) return false;
    if (at - lastTurn > STEP_BYTES) {
      lastTurn = at;
      await setImmediate();
    }
  }
  return true;
}

/** Returns where the text that begins at a quote ends. -1 if it does not. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (bytes[before] === BACKSLASH) before--;
    // The quote is part of the text if an odd number of backslashes stands before it.
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}
