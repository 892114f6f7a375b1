import type { Random } from '../ports/random.ts';
import { FENCE_ID } from '../text/fence.ts';

/** Returns a new random id for a fence. */
export function createFenceId(random: Random): string {
  const { characters, length } = FENCE_ID;
  // A byte has no whole number of the 36 characters, so that the first four come a little more often.
  return Array.from(random.bytes(length), (byte) => characters[byte % characters.length]).join('');
}
