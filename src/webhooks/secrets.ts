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
export function isSecretHeader(name: string, value: string): boolean {
  const plain = name.toLowerCase();
  if (isSecretName(plain)) return true;
  return !PROOF.test(plain) && (CREDENTIAL.test(value) || JWT.test(value));
}

/**
 * Replaces the values of parameters that grant access. Names and values are decoded first, because `?t%6Fken=` is a
 * `token` to whoever receives it. The rest stays as it is, byte for byte.
 */
export function withoutSecretParameters(query: string): string {
  return query.split('&').map(withoutSecret).join('&');
}

/** Returns the names of the parameters whose values {@link withoutSecretParameters} replaced, as they were written. */
export function leftOutParameters(query: string): string[] {
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
