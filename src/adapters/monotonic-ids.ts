import { incrementBase32, ulid } from 'ulid';
import { type Ulid, ulidTime } from '../domain/ids.ts';
import type { Ids } from '../ports/ids.ts';
import type { Random } from '../ports/random.ts';

/** Creates ids: ULIDs that increase strictly, even if the clock goes back. */
export function createIds(random: Random): Ids {
  const fraction = fractions(random);
  let last = '';
  let lastTime = 0;
  return {
    next<Id extends Ulid>(now: number, after?: Ulid | null): Id {
      if (after !== undefined && after !== null && after > last) {
        last = after;
        lastTime = ulidTime(after);
      }
      if (now > lastTime) {
        lastTime = now;
        last = ulid(now, fraction);
      } else {
        // A carry out of the random part increments the time part, which keeps the order.
        last = incrementBase32(last);
      }
      // The cast is safe: ulid() writes 26 upper-case characters, as parseUlid does.
      return last as Id;
    },
  };
}

/**
 * Returns a source of numbers from 0 to below 1. It reads random bytes in large blocks, because one read per character
 * costs 29 µs per id.
 */
function fractions(random: Random): () => number {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return () => {
    if (at >= pool.length) {
      pool = random.bytes(1024);
      at = 0;
    }
    return (pool[at++] ?? 0) / 256;
  };
}
