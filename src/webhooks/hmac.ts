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
