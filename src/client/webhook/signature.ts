import {
  encoded,
  fromBase64,
  type Hmac,
  headerScheme,
  hmacOf,
  SCHEME_NAMES,
  type SignatureScheme,
  type SigningScheme,
  schemeNamed,
  signatureHeaderOf,
  signedHeaders,
  WebhookError,
} from '../../webhooks/schemes.ts';
import { now, randomName } from '../environment.ts';
import { OptionError } from '../errors.ts';
import { asServerSays, checkOptions, filledText, oneOf, shown, text, time } from '../options/check-options.ts';
import { located } from '../waiting/call-site.ts';

/** The body that {@link sign} signs, its secret and its scheme. */
export interface SignOptions {
  /** The scheme: the name of a service, or the header of an HMAC. */
  readonly scheme: SignatureScheme;
  /** The secret as the service shows it; `whsec_...` for Svix and Standard Webhooks. */
  readonly secret: string;
  /** The exact body that is sent. */
  readonly body: string | Uint8Array;
  /** The time of the signature, for schemes that sign a time; now if left out. */
  readonly timestamp?: Date | string | undefined;
  /** The id of the message, for schemes that sign an id; a new id if left out. */
  readonly id?: string | undefined;
}

const OPTIONS = { scheme: asServerSays, secret: asServerSays, body: asServerSays, timestamp: time, id: filledText };

/**
 * Signs a body as a service does, and returns the headers to send with it. It needs no server. `request.verify()` and
 * the service's own library accept the signature. Throws an OptionError for an unknown scheme, a secret that the scheme
 * does not allow, or a body that is neither a string nor bytes.
 *
 * @example
 * const headers = await sign({ scheme: 'stripe', secret: 'whsec_test', body });
 * await fetch('http://127.0.0.1:3000/stripe', { method: 'POST', headers, body });
 */
export const sign: (options: SignOptions) => Promise<Record<string, string>> = located(async (options) => {
  checkOptions('The argument of sign()', options, OPTIONS, "Write sign({ scheme: 'stripe', secret, body }).");
  const { scheme, secret, body, timestamp = new Date(now()), id = `msg_${randomName(24)}` } = options;
  // An error message must never contain the secret.
  if (typeof secret !== 'string') throw new OptionError('The secret must be a string.');
  const at = new Date(timestamp).getTime();
  if (Number.isNaN(at)) throw new OptionError(`timestamp must be a time; it is ${shown(timestamp)}.`);
  const stamp = { id, timestamp: String(Math.floor(at / 1_000)) };
  const hmac = await loadHmac();
  return asOptionError(() =>
    Object.fromEntries(signedHeaders(schemeRules(scheme), { secret, body: bytesOf(body), stamp }, hmac)),
  );
});

/** Returns the bytes of a body. Throws an OptionError for anything but a string and bytes. */
export function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new OptionError(
    `The body must be a string or bytes; it is ${shown(body)}.`,
    'A signature covers the exact bytes that are sent: call JSON.stringify once, then sign and send its result.',
  );
}

/** Runs a function, and converts a {@link WebhookError} that it throws to an OptionError. */
export function asOptionError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { message } = error;
    throw new OptionError(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`);
  }
}

/** The result of a verification. */
export interface Verdict {
  /** `true` if the secret signed these bytes and the timestamp is within 5 minutes. */
  readonly ok: boolean;
  /** The sentence that says whether secret, body, timestamp or header is wrong; absent if `ok`. */
  readonly reason?: string;
}

/** The parts of a request that a signature covers. */
export interface SignedRequest {
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
  readonly receivedAt: Date;
}

/** The tolerance of a timestamp in seconds. The libraries of the services refuse older ones. */
const TOLERANCE_SECONDS = 300;
/** The largest body that is checked for likely mistakes. Each attempt hashes the whole body. */
const MAX_TRIED_BYTES = 128 * 1_024;
const utf8 = new TextEncoder();

/**
 * Verifies the signature of a request over its exact bytes. The timestamp is compared with the time of receipt. Throws
 * an OptionError for an unknown scheme or an empty secret.
 */
export function verifySignature(request: SignedRequest, scheme: SignatureScheme, secret: string, hmac: Hmac): Verdict {
  filledText('The secret', secret);
  const rules = schemeRules(scheme);
  const [key, ...others] = rules.keysOf(secret);
  if (key === undefined) return wrong('secret', 'the part after whsec_ must be base64 in this scheme');
  const isTried = request.rawBody.length <= MAX_TRIED_BYTES;
  const rightOtherwise = () => (isTried ? rightAs(request, rules, key, hmac) : null);
  const found = rules.find(request.headers);
  if (typeof found === 'string') return wrong('header', rightOtherwise() ?? found);
  const before = utf8.encode(found.stamp === null ? '' : rules.before(found.stamp));
  const sign = (key: Uint8Array, body: Uint8Array) => encoded(hmac(rules.algorithm, key, before, body), rules.encoding);
  const isAnyCase = found.stamp === null && rules.encoding === 'hex';
  const signatures = found.signatures.map((one) => (isAnyCase ? one.toLowerCase() : one));
  const isSigned = (signature: string) => signatures.includes(signature);
  const mine = sign(key, request.rawBody);
  if (isSigned(mine) || others.some((other) => isSigned(sign(other, request.rawBody))))
    return inTime(found.stamp === null ? null : Number(found.stamp.timestamp), request.receivedAt);

  for (const [what, body] of isTried ? otherBodies(request.rawBody) : []) {
    if (isSigned(sign(key, body))) return wrong('body', `the sender signed it ${what}, but sent other bytes`);
  }
  for (const [what, other] of isTried ? otherKeys(secret) : []) {
    if (isSigned(sign(other, request.rawBody))) return wrong('secret', `the sender signed with the secret ${what}`);
  }
  const told = rightOtherwise();
  if (told !== null) return wrong('header', told);
  const untried = isTried
    ? ''
    : ` (the body has ${request.rawBody.length} bytes, too many to look for likely mistakes)`;
  return wrong(
    'secret or body',
    `the signature is ${found.signatures.join(' or ')}, but this secret gives ${mine}: the sender used another secret, or the body changed after it was signed${untried}`,
  );
}

/** Returns the rules of a scheme. Throws an OptionError if there is no such scheme. */
export function schemeRules(scheme: SignatureScheme): SigningScheme {
  if (typeof scheme !== 'string') {
    checkOptions('A signature scheme', scheme, GENERIC, `${EXAMPLE} Or one of: ${SCHEME_NAMES.join(', ')}.`);
    if (scheme.header === undefined) throw new OptionError('A signature scheme must have a header.', EXAMPLE);
    return headerScheme(scheme);
  }
  const known = schemeNamed(scheme);
  if (known !== null) return known;
  throw new OptionError(`There is no scheme ${shown(scheme)}.`, `There are: ${SCHEME_NAMES.join(', ')}.`);
}

const GENERIC = {
  header: filledText,
  algorithm: oneOf('sha1', 'sha256', 'sha512'),
  encoding: oneOf('hex', 'base64'),
  prefix: text,
};
const EXAMPLE = "Write { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' }.";

/**
 * Finds the algorithm, encoding and prefix with which the signature in the header of an HMAC would be valid; null if
 * there are none.
 */
function rightAs(
  { headers, rawBody }: SignedRequest,
  scheme: SigningScheme,
  key: Uint8Array,
  hmac: Hmac,
): string | null {
  if (!scheme.signsBodyAlone) return null;
  const header = signatureHeaderOf(scheme);
  const value = headers[header];
  if (value === undefined) return null;
  for (const algorithm of ['sha256', 'sha1', 'sha512'] as const) {
    for (const encoding of ['hex', 'base64'] as const) {
      const mine = encoded(hmac(algorithm, key, rawBody), encoding);
      const text = encoding === 'hex' ? value.toLowerCase() : value;
      if (!text.endsWith(mine)) continue;
      const prefix = value.slice(0, value.length - mine.length);
      return `the signature is valid as { header: '${header}', algorithm: '${algorithm}', encoding: '${encoding}', prefix: '${prefix}' }`;
    }
  }
  return null;
}

function inTime(timestamp: number | null, receivedAt: Date): Verdict {
  if (timestamp === null) return { ok: true };
  const age = receivedAt.getTime() / 1_000 - timestamp;
  // A NaN is never within the tolerance.
  if (Math.abs(age) <= TOLERANCE_SECONDS) return { ok: true };
  const when = Number.isNaN(age)
    ? 'it is not a number of seconds'
    : `it is ${Math.round(Math.abs(age))} s ${age > 0 ? 'before' : 'after'} the request came, and ${TOLERANCE_SECONDS} s are the limit`;
  return wrong('timestamp', when);
}

function* otherBodies(bytes: Uint8Array): Generator<readonly [string, Uint8Array]> {
  const text = new TextDecoder().decode(bytes);
  yield ['without the white space around it', utf8.encode(text.trim())];
  yield ['with another line ending', utf8.encode(text.replace(/\r?\n/g, text.includes('\r\n') ? '\n' : '\r\n'))];
  yield ['as an empty body', new Uint8Array()];
  try {
    const value: unknown = JSON.parse(text);
    yield ['as JSON without white space', utf8.encode(JSON.stringify(value))];
    yield ['as JSON indented by two', utf8.encode(JSON.stringify(value, null, 2))];
  } catch {
    // The body is no JSON, so it can't have been formatted again.
  }
}

function* otherKeys(secret: string): Generator<readonly [string, Uint8Array]> {
  yield ['without the white space around it', utf8.encode(secret.trim())];
  yield ['as text, not decoded', utf8.encode(secret)];
  const bare = secret.trim().replace(/^whsec_/, '');
  yield ['without the prefix whsec_', utf8.encode(bare)];
  const decoded = fromBase64(bare);
  if (decoded !== null) yield ['decoded from base64', decoded];
}

function wrong(part: string, how: string): Verdict {
  return { ok: false, reason: `${part}: ${how}` };
}

// `request.verify(...)` is synchronous, and Web Crypto has only promises. Node's own hashes take 10 ms for 10 MB,
// hashes written in JavaScript take 100 ms.

/** Returns Node's HMAC function, or one from a library. The library is loaded only here. */
export async function loadHmac(): Promise<Hmac> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined ? (await import('./library-hmac.ts')).libraryHmac : hmacOf(crypto);
}
