import type { Random } from '../ports/random.ts';

/** Ids that no other server or start gives out: a random beginning, then a count. */
export function createRequestIds(random: Random): () => string {
  const start = Buffer.from(random.bytes(9)).toString('base64url');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
