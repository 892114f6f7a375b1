// The schemes by which services sign webhooks: one table for signing and for checking.

/** A scheme that is named after a service or a standard. */
export type SchemeName = (typeof SCHEME_NAMES)[number];

/** The scheme of a signature: the name of a service, or a header that holds an HMAC of the body. */
export type SignatureScheme = SchemeName | HmacScheme;

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

/** The data that a scheme signs in addition to the body, as the headers hold it. */
interface SignedData {
  readonly id: string;
  /** The time in seconds since 1970. */
  readonly timestamp: string;
}

/** The signatures that a scheme reads from the headers, and the data signed with the body. */
interface FoundSignatures {
  readonly signatures: readonly string[];
  /** Null if the scheme signs the body alone. */
  readonly stamp: SignedData | null;
}

export interface SigningScheme {
  /** The name that people read. */
  readonly title: string;
  readonly algorithm: HashName;
  readonly encoding: 'hex' | 'base64';
  /** The names of all headers of a signature, as the service writes them. The last one holds the signature. */
  readonly headers: readonly string[];
  /** `true` if the signature covers the body and nothing else. */
  readonly signsBodyAlone: boolean;
  /**
   * Decodes the secrets in a text, the one that signs first. While a secret is replaced, some services give two. It is
   * empty if the text is no secret of this scheme.
   */
  keysOf(secret: string): readonly Uint8Array[];
  /** Returns the text that is signed before the body. */
  before(stamp: SignedData): string;
  /** Writes the values of `headers`, in their order. */
  write(stamp: SignedData, signature: string): readonly string[];
  /** Reads the headers by their lower-case names. Returns the reason as a text if they are not valid. */
  find(headers: Readonly<Record<string, string>>): FoundSignatures | string;
}

export const SCHEME_NAMES = ['stripe', 'github', 'slack', 'shopify', 'svix', 'standard-webhooks'] as const;

const utf8 = new TextEncoder();
const plainKey = (secret: string) => [utf8.encode(secret)];

const SCHEMES: Readonly<Record<SchemeName, SigningScheme>> = {
  stripe: {
    title: 'Stripe',
    algorithm: 'sha256',
    encoding: 'hex',
    headers: ['Stripe-Signature'],
    signsBodyAlone: false,
    keysOf: plainKey,
    before: ({ timestamp }) => `${timestamp}.`,
    write: ({ timestamp }, signature) => [`t=${timestamp},v1=${signature}`],
    find: (headers) => {
      const header = headers['stripe-signature'];
      if (header === undefined) return 'there is no stripe-signature';
      const parts = header.split(',').map((part) => part.trim().split('='));
      const timestamp = parts.find(([name]) => name === 't')?.[1];
      const signatures = parts.flatMap(([name, value = '']) => (name === 'v1' ? [value] : []));
      if (timestamp === undefined || signatures.length === 0) return 'stripe-signature has no t= or no v1=';
      return { signatures, stamp: { id: '', timestamp } };
    },
  },
  github: named('GitHub', { header: 'X-Hub-Signature-256', prefix: 'sha256=' }),
  slack: {
    title: 'Slack',
    algorithm: 'sha256',
    encoding: 'hex',
    headers: ['X-Slack-Request-Timestamp', 'X-Slack-Signature'],
    signsBodyAlone: false,
    keysOf: plainKey,
    before: ({ timestamp }) => `v0:${timestamp}:`,
    write: ({ timestamp }, signature) => [timestamp, `v0=${signature}`],
    find: (headers) => {
      const [signature, timestamp] = [headers['x-slack-signature'], headers['x-slack-request-timestamp']];
      if (signature === undefined || timestamp === undefined)
        return 'x-slack-signature or x-slack-request-timestamp is missing';
      if (!signature.startsWith('v0=')) return 'x-slack-signature does not begin with v0=';
      return { signatures: [signature.slice(3)], stamp: { id: '', timestamp } };
    },
  },
  shopify: named('Shopify', { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' }),
  svix: standard('Svix', 'svix'),
  'standard-webhooks': standard('Standard Webhooks', 'webhook'),
};

/** Returns a scheme of the table; null for a name that it does not have. */
export function schemeNamed(name: string): SigningScheme | null {
  const known = SCHEME_NAMES.find((one) => one === name);
  return known === undefined ? null : SCHEMES[known];
}

/** Returns the scheme of an HMAC in a header. */
export function headerScheme({
  header,
  algorithm = 'sha256',
  encoding = 'hex',
  prefix = '',
}: HmacScheme): SigningScheme {
  return {
    title: header,
    algorithm,
    encoding,
    headers: [header],
    signsBodyAlone: true,
    keysOf: plainKey,
    before: () => '',
    write: (_stamp, signature) => [`${prefix}${signature}`],
    find: (headers) => {
      const value = headers[header.toLowerCase()];
      if (value === undefined) return `there is no ${header}`;
      if (!value.startsWith(prefix)) return `${header} does not begin with ${prefix}`;
      return { signatures: [value.slice(prefix.length)], stamp: null };
    },
  };
}

function named(title: string, scheme: HmacScheme): SigningScheme {
  return { ...headerScheme({ ...scheme, header: scheme.header.toLowerCase() }), title, headers: [scheme.header] };
}

/** Standard Webhooks, and Svix, whose headers have other names. Each reads the headers of both. */
function standard(title: string, prefix: 'svix' | 'webhook'): SigningScheme {
  return {
    title,
    algorithm: 'sha256',
    encoding: 'base64',
    headers: [`${prefix}-id`, `${prefix}-timestamp`, `${prefix}-signature`],
    signsBodyAlone: false,
    keysOf: standardKeys,
    before: ({ id, timestamp }) => `${id}.${timestamp}.`,
    write: ({ id, timestamp }, signature) => [id, timestamp, `v1,${signature}`],
    find: (headers) => {
      const read = (name: string) => headers[`webhook-${name}`] ?? headers[`svix-${name}`];
      const [id, timestamp, signature] = [read('id'), read('timestamp'), read('signature')];
      if (id === undefined || timestamp === undefined || signature === undefined)
        return 'one of webhook-id, webhook-timestamp and webhook-signature (or svix-...) is missing';
      const signatures = signature.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
      if (signatures.length === 0) return 'it holds no signature of version v1';
      return { signatures, stamp: { id, timestamp } };
    },
  };
}

/** The lower-case names of the headers that hold signatures and what they cover, of all services. */
export const SIGNATURE_HEADERS: ReadonlySet<string> = new Set(
  Object.values(SCHEMES).flatMap(({ headers }) => headers.map((name) => name.toLowerCase())),
);

/** Finds the service whose signature is in the headers, which have lower-case names; null if there is none. */
export function schemeOfHeaders(headers: Readonly<Record<string, string>>): SchemeName | null {
  return SCHEME_NAMES.find((name) => signatureHeaderOf(SCHEMES[name]) in headers) ?? null;
}

/** Returns the lower-case name of the header that holds the signature. */
export function signatureHeaderOf({ headers }: SigningScheme): string {
  return (headers.at(-1) ?? '').toLowerCase();
}

/** Signs a body. Returns the headers, with their names as the service writes them. Throws a {@link WebhookError}. */
export function signedHeaders(
  scheme: SigningScheme,
  { secret, body, stamp }: { readonly secret: string; readonly body: Uint8Array; readonly stamp: SignedData },
  hmac: Hmac,
): [name: string, value: string][] {
  if (secret === '') throw new WebhookError('the secret is empty');
  const [key] = scheme.keysOf(secret);
  if (key === undefined)
    throw new WebhookError(`the secret of ${scheme.title} must be base64, with or without whsec_ before it`);
  // An id with a line break would add a second header.
  if (!/^[\x21-\x7e]{1,200}$/.test(stamp.id))
    throw new WebhookError('the id must be 1 to 200 ASCII characters without spaces');
  const signature = encoded(hmac(scheme.algorithm, key, utf8.encode(scheme.before(stamp)), body), scheme.encoding);
  const values = scheme.write(stamp, signature);
  return scheme.headers.map((name, at) => checkedField(name, values[at] ?? ''));
}

/** Returns a header field (RFC 9110 section 5). Throws a {@link WebhookError} if it would not be one line of ASCII. */
export function checkedField(name: string, value: string): [name: string, value: string] {
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name))
    throw new WebhookError(`${JSON.stringify(name.slice(0, 100))} is not a name of a header`);
  if (!/^[\x20-\x7e]{0,8192}$/.test(value)) throw new WebhookError(`the header ${name} is not one line of ASCII`);
  return [name, value];
}

/** Encodes bytes, such as those of a signature. */
export function encoded(bytes: Uint8Array, encoding: 'hex' | 'base64'): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** What surrounds the base64 of a secret as dashboards and environment files write it: `"v1,whsec_..."`. */
const AROUND = /^["']*(?:v1,)?(?:whsec_)?|(?<!["'])["']+$/g;

/**
 * Decodes the secrets of Standard Webhooks in a text: with `whsec_` and `v1,` before them or not, in quotation marks, and
 * several with `|` or white space between them. Returns none if one of them is no base64.
 */
function standardKeys(text: string): readonly Uint8Array[] {
  const keys = text
    .split(/[|\s]+/)
    .map((word) => word.replace(AROUND, ''))
    .filter((word) => word !== '')
    .map(fromBase64);
  return keys.some((key) => key === null || key.length === 0) ? [] : keys.filter((key) => key !== null);
}

/** Decodes base64, also in its form for URLs (RFC 4648 section 5); null if it is none. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    const usual = text.trim().replaceAll('-', '+').replaceAll('_', '/');
    return Uint8Array.from(atob(usual), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** A hash function of a webhook signature. */
export type HashName = 'sha1' | 'sha256' | 'sha512';

/** Computes the HMAC (RFC 2104) of the concatenated parts. */
export type Hmac = (hash: HashName, key: Uint8Array, ...parts: readonly Uint8Array[]) => Uint8Array;

/** Returns the HMAC function of Node. The caller passes the module, because browsers lack it. */
export function hmacOf({ createHmac }: Pick<typeof import('node:crypto'), 'createHmac'>): Hmac {
  return (hash, key, ...parts) => {
    const made = createHmac(hash, key);
    for (const part of parts) made.update(part);
    return made.digest();
  };
}

/** The kind of error in a webhook to send or a recording to play. The API uses the same error codes. */
type WebhookErrorCode = 'invalid_delivery' | 'invalid_recording';

/** The error for an invalid scheme, sample, field or recording. Its message never holds a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(message: string, code: WebhookErrorCode = 'invalid_delivery', options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
