/** A hash that webhooks are signed with. */
export type HashName = 'sha1' | 'sha256' | 'sha512';

/** The HMAC (RFC 2104) of the parts, one after the other. */
export type Hmac = (hash: HashName, key: Uint8Array, ...parts: readonly Uint8Array[]) => Uint8Array;
