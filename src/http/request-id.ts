import type { Random } from '../ports/random.ts';

/**
 * Creates a generator of request ids. They are unique across servers and restarts: a random beginning, then a counter.
 */
export function createRequestIds(random: Random): () => string {
  const start = Buffer.from(random.bytes(9)).toString('base64url');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
