import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** Bytes nobody can guess. */
export const nodeRandom: Random = { bytes: (count) => randomBytes(count) };
