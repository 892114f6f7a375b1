/** A hash function of a webhook signature. */
export type HashName = 'sha1' | 'sha256' | 'sha512';

/** Computes the HMAC (RFC 2104) of the concatenated parts. */
export type Hmac = (hash: HashName, key: Uint8Array, ...parts: readonly Uint8Array[]) => Uint8Array;
