import { incrementBase32, ulid } from 'ulid';
import { type Ulid, ulidTime } from '../domain/ids.ts';
import type { Ids } from '../ports/ids.ts';
import type { Random } from '../ports/random.ts';

/** ULIDs that increase strictly, whatever the clock does. */
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
        // A carry out of the random part moves the time on: the order holds.
        last = incrementBase32(last);
      }
      // ulid() writes what parseUlid accepts, 26 upper-case characters.
      return last as Id;
    },
  };
}

/** Numbers from 0 up to 1, taken from the source in large pieces: a call a character costs 29 us an id. */
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
