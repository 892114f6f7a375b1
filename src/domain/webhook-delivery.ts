import { isObject } from '../text/unknown.ts';
import type { Json, Override } from '../webhooks/sample.ts';
import { type HmacScheme, type SignatureScheme, WebhookError } from '../webhooks/schemes.ts';
import { MAX_BODY_BYTES, MAX_RETRIES, type WebhookSpec } from '../webhooks/signed-webhook.ts';
import { refuse } from './errors.ts';

// This module parses requests of the local API to send a webhook (docs/webhooks.md#send-events-to-your-app).

/** The fields of a request, not yet checked. Null counts as omitted. */
export type GivenDelivery = Readonly<Record<string, unknown>>;

/** The longest and the default time in seconds for which the request waits for the delivery. */
const LONGEST_SECONDS = 600;
const DEFAULT_SECONDS = 30;

/** Parses the webhook to send. Throws `invalid_delivery` with the reason. */
export function parseOrder(given: GivenDelivery): WebhookSpec {
  const body = bodyIn(given);
  return {
    event: textIn(given, 'event'),
    scheme: readScheme(given),
    secret: textIn(given, 'secret'),
    body,
    set: overridesIn(given['set']),
    headers: headersIn(given),
    id: textIn(given, 'id'),
    retries: retriesIn(given['retries']),
  };
}

/** Parses the time for which the request waits for the delivery. Returns milliseconds. Throws `invalid_delivery`. */
export function heldMsIn(given: GivenDelivery): number {
  const seconds = given['timeout'] ?? DEFAULT_SECONDS;
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= LONGEST_SECONDS) return seconds * 1_000;
  throw wrong(`timeout is no number of seconds up to ${LONGEST_SECONDS}`);
}

/** Reads a text field. Returns null if it is absent. Throws `invalid_delivery` if it is no text. */
export function textIn(given: GivenDelivery, name: string): string | null {
  const value = given[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw wrong(`${name} is no text`);
}

/**
 * Reads a signature scheme: its name, or an object that describes its header. Returns null if it is absent. Throws
 * `invalid_delivery`.
 */
export function readScheme(given: GivenDelivery): SignatureScheme | 'none' | null {
  const value = given['scheme'] ?? null;
  if (typeof value !== 'object' || value === null) {
    // The table of schemes refuses an unknown name later.
    return textIn(given, 'scheme') as SignatureScheme | 'none' | null;
  }
  const {
    header,
    algorithm = 'sha256',
    encoding = 'hex',
    prefix = '',
  }: { [Name in keyof HmacScheme]?: unknown } = value;
  if (typeof header !== 'string' || typeof prefix !== 'string')
    throw wrong('a scheme has a header, and may have a prefix');
  if (algorithm !== 'sha1' && algorithm !== 'sha256' && algorithm !== 'sha512')
    throw wrong('algorithm is sha1, sha256 or sha512');
  if (encoding !== 'hex' && encoding !== 'base64') throw wrong('encoding is hex or base64');
  return { header, algorithm, encoding, prefix };
}

/** Reads `headers`, an object of texts. Throws `invalid_delivery`. */
export function headersIn(given: GivenDelivery): [name: string, value: string][] {
  const value = given['headers'] ?? {};
  if (!isObject(value)) throw wrong('headers is no object of texts');
  return Object.entries(value).map(([name, one]) => {
    if (typeof one !== 'string') throw wrong('headers is no object of texts');
    return [name, one];
  });
}

function bodyIn(given: GivenDelivery): Uint8Array | null {
  const [text, base64] = [given['body'] ?? null, given['bodyBase64'] ?? null];
  if (text !== null && base64 !== null) throw wrong('body and bodyBase64 are given, and a webhook has one body');
  if (text === null && base64 === null) return null;
  if (typeof text === 'string') return bounded(Buffer.from(text));
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/\s]*(?:={1,2}\s*)?$/.test(base64))
    throw wrong('body is a text, and bodyBase64 is base64');
  return bounded(Buffer.from(base64, 'base64'));
}

function bounded(body: Buffer): Buffer {
  if (body.length > MAX_BODY_BYTES) throw wrong('the body is larger than 10 MiB');
  return body;
}

function overridesIn(given: unknown): Override[] {
  if (given === undefined || given === null) return [];
  if (!isObject(given)) throw wrong('set is no object of paths and values');
  // The body was parsed from JSON, so its values are JSON.
  return Object.entries(given).map(([path, json]) => ({ path, json: json as Json }));
}

function retriesIn(given: unknown): number {
  if (given === undefined || given === null || given === false) return 0;
  if (given === true) return MAX_RETRIES;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0) return Math.min(MAX_RETRIES, given);
  throw wrong('retries is a whole number, or true for as many as the service makes');
}

function wrong(message: string) {
  return refuse('invalid_delivery', { message: `${message}.` });
}

/** Runs a function and throws a {@link WebhookError} of it as `invalid_delivery`. */
export function asRefusal<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asApiError(error);
  }
}

/** Translates a {@link WebhookError} into `invalid_delivery`. Returns any other error unchanged. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof WebhookError)) return error;
  return refuse(error.code, { message: `${error.message}.` }, { cause: error });
}
