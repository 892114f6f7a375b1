import type { Hmac } from './hmac.ts';

// `request.verify(...).ok` is an answer, not a promise, and Web Crypto has promises alone. Node's own hashes take 10 ms for 10 MB,
// where those written in JavaScript take 100.

/** Node's HMAC where there is one, else that of a library, which is loaded here and nowhere before. */
export async function loadHmac(): Promise<Hmac> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return (await import('./library-hmac.ts')).libraryHmac;
  return (hash, key, ...parts) => {
    const made = crypto.createHmac(hash, key);
    for (const part of parts) made.update(part);
    return made.digest();
  };
}
