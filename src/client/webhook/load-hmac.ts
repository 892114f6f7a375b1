import { type Hmac, hmacOf } from '../../webhooks/hmac.ts';

// `request.verify(...)` is synchronous, and Web Crypto has only promises. Node's own hashes take 10 ms for 10 MB,
// hashes written in JavaScript take 100 ms.

/** Returns Node's HMAC function, or one from a library. The library is loaded only here. */
export async function loadHmac(): Promise<Hmac> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined ? (await import('./library-hmac.ts')).libraryHmac : hmacOf(crypto);
}
