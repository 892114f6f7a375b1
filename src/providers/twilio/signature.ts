import { _SHA1 } from '@noble/hashes/legacy.js';

// Twilio signs its requests to the app with the auth token (https://www.twilio.com/docs/usage/security). A request may be
// made long after the token was seen, and a token may be an API key of mailcap, of which only a hash is stored. So what is
// stored are the two states of HMAC (RFC 2104) after the block that the key fills: they sign, and nobody can sign in with
// them.

/** What signs requests instead of the auth token. It is JSON. */
export interface HmacState {
  readonly inner: readonly number[];
  readonly outer: readonly number[];
}

const BLOCK = 64;

/** SHA-1 whose state can be read after its first block, and set to one. */
class Sha1 extends _SHA1 {
  get state(): number[] {
    return this.get();
  }

  static after(state: readonly number[]): Sha1 {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    const hash = new Sha1();
    hash.set(a, b, c, d, e);
    hash.length = BLOCK;
    return hash;
  }
}

/** Returns what signs instead of an auth token. */
export function signingKeyOf(authToken: string): HmacState {
  const given = Buffer.from(authToken);
  const key = given.length > BLOCK ? new Sha1().update(given).digest() : given;
  const stateOf = (mask: number) => {
    const block = new Uint8Array(BLOCK).map((_zero, at) => (key[at] ?? 0) ^ mask);
    const hash = new Sha1();
    hash.update(block);
    return hash.state;
  };
  return { inner: stateOf(0x36), outer: stateOf(0x5c) };
}

/** Signs a request: its URL, and the name and value of each field in the order of the names. */
export function twilioSignature(
  { inner, outer }: HmacState,
  url: string,
  fields: Readonly<Record<string, string>>,
): string {
  const signed = Object.keys(fields)
    .sort()
    .reduce((text, name) => text + name + (fields[name] ?? ''), asRequested(url));
  const hash = Sha1.after(inner).update(Buffer.from(signed)).digest();
  return Buffer.from(Sha1.after(outer).update(hash).digest()).toString('base64');
}

/** Returns the URL as it is requested, which the app verifies: without a fragment or a lone question mark. */
export function asRequested(url: string): string {
  const [whole = ''] = new URL(url).href.split('#', 1);
  return whole.replace(/\?$/, '');
}
