import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** Cryptographically secure random bytes. */
export const nodeRandom: Random = { bytes: (count) => randomBytes(count) };
