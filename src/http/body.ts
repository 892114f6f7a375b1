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
