import { isUrl } from '../text/url.ts';
import { type FreshValues, type Json, type Override, type SampleContent, withOverrides } from './sample.ts';
import { sampleNamed } from './samples.ts';
import {
  checkedField,
  type Hmac,
  headerScheme,
  SCHEME_NAMES,
  type SignatureScheme,
  type SigningScheme,
  schemeNamed,
  signedHeaders,
  WebhookError,
} from './schemes.ts';
import { type RequestSender, type SenderAnswer, type SenderName, senderNamed } from './senders.ts';

/** The largest body in bytes. A webhook URL takes no larger one. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The most tries after the first. */
export const MAX_RETRIES = 20;
const MAX_HEADERS = 100;

/** The headers that belong to the connection, or that the HTTP client writes. */
const OWN_HEADERS = new Set([
  ...['host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'expect'],
]);

type Field = readonly [name: string, value: string];

/** A webhook to send, with the scheme and secret of its signature. */
export interface WebhookSpec {
  /** The name of a sample event; null if the body is given. */
  readonly event: string | null;
  /** The scheme of the signature. Null means that of the event's service; `none` sends without a signature. */
  readonly scheme: SignatureScheme | 'none' | null;
  readonly secret: string | null;
  /** The exact body, instead of that of the sample. */
  readonly body: Uint8Array | null;
  readonly set: readonly Override[];
  /** Header fields that replace those of the same name. */
  readonly headers: readonly Field[];
  readonly id: string | null;
  /** The most tries after the first. The service itself may make fewer. */
  readonly retries: number;
  /** The pauses before the second try and the later ones, in seconds. Left out: those of the service. */
  readonly delays?: readonly number[];
}

/** A webhook ready to be sent. */
export interface SignedWebhook {
  readonly id: string;
  readonly body: Uint8Array;
  readonly sender: RequestSender;
  readonly retries: number;
  /**
   * Returns the header fields of a try, signed anew. `number` is 1 for the first, `at` is real time in milliseconds, and
   * `last` is the answer to the try before.
   */
  headersOf(number: number, at: number, last: SenderAnswer | null): Field[];
}

/** Prepares a webhook. Throws a {@link WebhookError}. */
export function signWebhook(spec: WebhookSpec, fresh: FreshValues, hmac: Hmac): SignedWebhook {
  const sample = spec.event === null ? null : sampleNamed(spec.event);
  const made = sample?.make(fresh) ?? null;
  const body = bodyOf(spec, made, sample?.indent ?? 0);
  const senderName: SenderName | null =
    typeof spec.scheme === 'string' && spec.scheme !== 'none' ? spec.scheme : (sample?.sender ?? null);
  const sender = { ...senderNamed(senderName), ...(spec.delays !== undefined && { delays: spec.delays }) };
  if (spec.scheme === null && sample === null)
    throw new WebhookError(`name the scheme of the signature: ${SCHEME_NAMES.join(', ')}, or none`);
  const scheme = rulesOf(spec.scheme ?? sender.scheme);
  const { secret } = spec;
  if (scheme !== null && secret === null) throw new WebhookError(`a signature of ${scheme.title} needs the secret`);
  const id = spec.id ?? idIn(made) ?? fresh.id('msg_', 24);
  const given = checkedHeaders(spec.headers);
  const signed: SignedWebhook = {
    id,
    body,
    sender,
    retries: spec.retries,
    headersOf: (number, at, last) => {
      const stamp = { id, timestamp: String(Math.floor(at / 1_000)) };
      return merged([
        ...(spec.body !== null ? [['Content-Type', typeOf(body)] as const] : []),
        ...(made?.headers ?? [
          ['User-Agent', 'mailcap'],
          ['Accept', '*/*'],
        ]),
        ...(last === null ? [] : (sender.fieldsOfRetry?.(number, last) ?? [])),
        ...(scheme === null || secret === null ? [] : signedHeaders(scheme, { secret, body, stamp }, hmac)),
        ...given,
      ]);
    },
  };
  // An invalid secret throws here, before anything is sent.
  signed.headersOf(1, fresh.at, null);
  return signed;
}

/** Returns the rules of a scheme; null for `none`. Throws a {@link WebhookError}. */
export function rulesOf(scheme: SignatureScheme | 'none'): SigningScheme | null {
  if (scheme === 'none') return null;
  if (typeof scheme !== 'string') return headerScheme(scheme);
  const known = schemeNamed(scheme);
  if (known !== null) return known;
  throw new WebhookError(
    `there is no scheme ${JSON.stringify(String(scheme).slice(0, 100))}; use ${SCHEME_NAMES.join(', ')} or none`,
  );
}

/** Parses the URL of a target. Throws a {@link WebhookError} unless it is an http or https URL without credentials. */
export function targetUrl(text: string): URL {
  const isHttp = /^https?:\/\//i.test(text) && isUrl(text);
  const url = isHttp ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '')
    throw new WebhookError(
      url === null
        ? `${JSON.stringify(text.slice(0, 200))} is not an http or https URL such as http://127.0.0.1:3000/hook`
        : 'the URL holds a user name or a password; send them in a header Authorization',
    );
  return url;
}

/** Returns the fields with the last value of each name, in the place of the first. */
function merged(fields: readonly Field[]): Field[] {
  const byName = new Map<string, Field>();
  for (const [name, value] of fields) byName.set(name.toLowerCase(), [name, value]);
  return [...byName.values()];
}

/** Checks header fields of a user. Throws a {@link WebhookError}. */
export function checkedHeaders(fields: readonly Field[]): Field[] {
  if (fields.length > MAX_HEADERS) throw new WebhookError(`there are more than ${MAX_HEADERS} headers`);
  return fields.map(([name, value]) => {
    if (OWN_HEADERS.has(name.toLowerCase())) throw new WebhookError(`the header ${name} is written by mailcap itself`);
    return checkedField(name, value);
  });
}

/** Tells whether a header belongs to the connection, or is written by the HTTP client. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase());
}

function bodyOf({ body, set }: WebhookSpec, made: SampleContent | null, indent: number): Uint8Array {
  if (body !== null && body.length > MAX_BODY_BYTES) throw new WebhookError('the body is larger than 10 MiB');
  if (body !== null && set.length === 0) return body;
  const json = body === null ? (made?.body ?? null) : parsed(body);
  if (made === null && body === null) throw new WebhookError('there is nothing to send: name an event, or give a body');
  return new TextEncoder().encode(JSON.stringify(withOverrides(json, set), null, indent));
}

function parsed(body: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new WebhookError('the body is not JSON, so no field of it can be set', 'invalid_delivery', { cause });
  }
}

/** Returns the id that the service gives its event. A scheme with an id signs it. */
function idIn(made: SampleContent | null): string | null {
  const found = made?.headers.find(([name]) => /^x-(github-delivery|shopify-webhook-id)$/i.test(name))?.[1];
  if (found !== undefined) return found;
  const { body = null } = made ?? {};
  const id = body !== null && typeof body === 'object' && 'id' in body ? body['id'] : null;
  return typeof id === 'string' && id.startsWith('evt_') ? id : null;
}

function typeOf(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  } catch {
    return 'application/octet-stream';
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
