import { OptionError } from '../errors.ts';
import { checkOptions, filledText, oneOf, text } from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import type { HashName, Hmac } from './hmac.ts';

/**
 * The scheme of a signature: the name of a service, or a header that holds an HMAC of the body.
 *
 * @example request.verify('stripe', process.env.WEBHOOK_SECRET);
 */
export type SignatureScheme = 'stripe' | 'github' | 'slack' | 'svix' | 'standard-webhooks' | HmacScheme;

/**
 * A scheme whose signature is an HMAC of the body in a header.
 *
 * @example request.verify({ header: 'x-signature', prefix: 'sha256=' }, secret);
 */
export interface HmacScheme {
  /** The name of the header that holds the signature, in any case. */
  readonly header: string;
  /** The hash function; `sha256` if left out. */
  readonly algorithm?: HashName | undefined;
  /** The encoding of the signature; `hex` if left out. */
  readonly encoding?: 'hex' | 'base64' | undefined;
  /** The text before the signature in the header, such as `sha256=`; none if left out. */
  readonly prefix?: string | undefined;
}

/** The result of a verification. */
export interface Verdict {
  /** `true` if the secret signed these bytes and the timestamp is within 5 minutes. */
  readonly ok: boolean;
  /** The sentence that says whether secret, body, timestamp or header is wrong; absent if `ok`. */
  readonly reason?: string;
}

/** The parts of a request that a signature covers. */
export interface Signed {
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
  readonly receivedAt: Date;
}

/** The signature data that a scheme reads from the headers. */
interface Found {
  readonly signatures: readonly string[];
  /** The text that is signed before the body. */
  readonly before: string;
  /** The signed timestamp in seconds since 1970; null if there is none. */
  readonly timestamp: number | null;
}

interface Scheme {
  readonly algorithm: HashName;
  readonly encoding: 'hex' | 'base64';
  /** Reads the headers. Returns the reason as a text if they are not valid. */
  find(headers: Signed['headers']): Found | string;
  /** Decodes the secret; null if it is no secret of this scheme. */
  keyOf(secret: string): Uint8Array | null;
  /** The name of a custom HMAC's header. Its prefix, encoding and algorithm are options, so they may be wrong. */
  readonly header?: string;
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
export function verifySignature(request: Signed, scheme: SignatureScheme, secret: string, hmac: Hmac): Verdict {
  filledText('The secret', secret);
  const rules = rulesOf(scheme);
  const key = rules.keyOf(secret);
  if (key === null) return wrong('secret', 'it is no base64, as it is after whsec_ in this scheme');
  const isTried = request.rawBody.length <= MAX_TRIED_BYTES;
  const rightOtherwise = () => (isTried ? rightAs(request, rules, key, hmac) : null);
  const found = rules.find(request.headers);
  if (typeof found === 'string') return wrong('header', rightOtherwise() ?? found);
  const sign = (key: Uint8Array, body: Uint8Array) =>
    written(hmac(rules.algorithm, key, utf8.encode(found.before), body), rules.encoding);
  const isAnyCase = rules.header !== undefined && rules.encoding === 'hex';
  const signatures = found.signatures.map((one) => (isAnyCase ? one.toLowerCase() : one));
  const isSigned = (signature: string) => signatures.includes(signature);
  const mine = sign(key, request.rawBody);
  if (isSigned(mine)) return inTime(found.timestamp, request.receivedAt);

  for (const [what, body] of isTried ? otherBodies(request.rawBody) : []) {
    if (isSigned(sign(key, body))) return wrong('body', `it was signed ${what}, and other bytes were sent`);
  }
  for (const [what, other] of isTried ? otherKeys(secret) : []) {
    if (isSigned(sign(other, request.rawBody))) return wrong('secret', `the request is signed with it ${what}`);
  }
  const told = rightOtherwise();
  if (told !== null) return wrong('header', told);
  const untried = isTried ? '' : ` (its ${request.rawBody.length} bytes are too many to try what else was signed)`;
  return wrong(
    'secret or body',
    `the signature is ${found.signatures.join(' or ')}, with this secret it would be ${mine}: the secret is another one, or the body was changed after it was signed${untried}`,
  );
}

function rulesOf(scheme: SignatureScheme): Scheme {
  if (typeof scheme !== 'string') {
    checkOptions('A signature scheme', scheme, GENERIC, `${EXAMPLE} Or one of: ${Object.keys(SCHEMES).join(', ')}.`);
    if (scheme.header === undefined) throw new OptionError('A signature scheme must have a header.', EXAMPLE);
    return generic(scheme);
  }
  if (Object.hasOwn(SCHEMES, scheme)) return SCHEMES[scheme];
  throw new OptionError(`There is no scheme ${shown(scheme)}.`, `There are: ${Object.keys(SCHEMES).join(', ')}.`);
}

const hex = { algorithm: 'sha256', encoding: 'hex', keyOf: (secret: string) => utf8.encode(secret) } as const;

const STANDARD: Scheme = {
  algorithm: 'sha256',
  encoding: 'base64',
  keyOf: (secret) => fromBase64(secret.trim().replace(/^whsec_/, '')),
  find: (headers) => {
    const read = (name: string) => headers[`webhook-${name}`] ?? headers[`svix-${name}`];
    const [id, timestamp, signature] = [read('id'), read('timestamp'), read('signature')];
    if (id === undefined || timestamp === undefined || signature === undefined)
      return 'one of webhook-id, webhook-timestamp and webhook-signature (or svix-...) is missing';
    const signatures = signature.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
    if (signatures.length === 0) return 'no signature of version v1 is in it';
    return { signatures, before: `${id}.${timestamp}.`, timestamp: Number(timestamp) };
  },
};

const SCHEMES: Readonly<Record<Exclude<SignatureScheme, HmacScheme>, Scheme>> = {
  stripe: {
    ...hex,
    find: (headers) => {
      const header = headers['stripe-signature'];
      if (header === undefined) return 'there is no stripe-signature';
      const parts = header.split(',').map((part) => part.trim().split('='));
      const timestamp = parts.find(([name]) => name === 't')?.[1];
      const signatures = parts.flatMap(([name, value = '']) => (name === 'v1' ? [value] : []));
      if (timestamp === undefined || signatures.length === 0) return 'stripe-signature has no t= or no v1=';
      return { signatures, before: `${timestamp}.`, timestamp: Number(timestamp) };
    },
  },
  github: generic({ header: 'x-hub-signature-256', prefix: 'sha256=' }),
  slack: {
    ...hex,
    find: (headers) => {
      const [signature, timestamp] = [headers['x-slack-signature'], headers['x-slack-request-timestamp']];
      if (signature === undefined || timestamp === undefined)
        return 'x-slack-signature or x-slack-request-timestamp is missing';
      if (!signature.startsWith('v0=')) return 'x-slack-signature does not begin with v0=';
      return { signatures: [signature.slice(3)], before: `v0:${timestamp}:`, timestamp: Number(timestamp) };
    },
  },
  svix: STANDARD,
  'standard-webhooks': STANDARD,
};

const GENERIC = {
  header: filledText,
  algorithm: oneOf('sha1', 'sha256', 'sha512'),
  encoding: oneOf('hex', 'base64'),
  prefix: text,
};
const EXAMPLE = "As { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' }.";

function generic(scheme: HmacScheme): Scheme {
  const { header, algorithm = 'sha256', encoding = 'hex', prefix = '' } = scheme;
  return {
    header,
    algorithm,
    encoding,
    keyOf: hex.keyOf,
    find: (headers) => {
      const value = headers[header.toLowerCase()];
      if (value === undefined) return `there is no ${header}`;
      if (!value.startsWith(prefix)) return `${header} does not begin with ${prefix}`;
      return { signatures: [value.slice(prefix.length)], before: '', timestamp: null };
    },
  };
}

/**
 * Finds the algorithm, encoding and prefix with which the header of a custom HMAC would be right; null if there are
 * none.
 */
function rightAs({ headers, rawBody }: Signed, { header }: Scheme, key: Uint8Array, hmac: Hmac): string | null {
  const value = header === undefined ? undefined : headers[header.toLowerCase()];
  if (value === undefined) return null;
  for (const algorithm of ['sha256', 'sha1', 'sha512'] as const) {
    for (const encoding of ['hex', 'base64'] as const) {
      const mine = written(hmac(algorithm, key, rawBody), encoding);
      const text = encoding === 'hex' ? value.toLowerCase() : value;
      if (!text.endsWith(mine)) continue;
      const prefix = value.slice(0, value.length - mine.length);
      return `its signature is right as { header: '${header}', algorithm: '${algorithm}', encoding: '${encoding}', prefix: '${prefix}' }`;
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
    ? 'it is no number of seconds'
    : `it is ${Math.round(Math.abs(age))} s ${age > 0 ? 'before' : 'after'} the request came, and ${TOLERANCE_SECONDS} s are allowed`;
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
  yield ['without its whsec_', utf8.encode(bare)];
  const decoded = fromBase64(bare);
  if (decoded !== null) yield ['decoded from base64', decoded];
}

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function written(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return btoa(String.fromCharCode(...bytes));
}

function wrong(part: string, how: string): Verdict {
  return { ok: false, reason: `${part}: ${how}` };
}
