import type { Random } from '../ports/system.ts';
import { FENCE_ID } from '../text/fence.ts';

/** Returns a new random id for a fence. */
export function createFenceId(random: Random): string {
  const { characters, length } = FENCE_ID;
  // 256 is not a multiple of 36, so the first four characters are slightly more likely.
  return Array.from(random.bytes(length), (byte) => characters[byte % characters.length]).join('');
}
