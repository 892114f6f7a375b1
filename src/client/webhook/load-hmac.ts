import type { Hmac } from '../../webhooks/hmac.ts';

// `request.verify(...)` is synchronous, and Web Crypto has only promises. Node's own hashes take 10 ms for 10 MB,
// hashes written in JavaScript take 100 ms.

/** Returns Node's HMAC function, or one from a library. The library is loaded only here. */
export async function loadHmac(): Promise<Hmac> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return (await import('./library-hmac.ts')).libraryHmac;
  return (hash, key, ...parts) => {
    const made = crypto.createHmac(hash, key);
    for (const part of parts) made.update(part);
    return made.digest();
  };
}
