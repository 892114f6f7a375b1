import { createHmac } from 'node:crypto';
import { isQuickUser, slowHashesOf } from '../domain/htpasswd.ts';
import type { Passwords } from '../ports/server.ts';
import type { Random } from '../ports/system.ts';
import { Semaphore } from '../semaphore.ts';
import { LruCache } from './lru-cache.ts';
import { ParseThread } from './parse-thread.ts';

/** A hash that takes longer lets nobody in. bcrypt of cost 14 takes a second and a half. */
const BOUNDS = { ms: 5_000, heapMb: 64 };
/** The sign-ins that wait for their hash at once. Whoever comes then is refused. */
const MOST_WAITING = 64;
/** The right passwords that are remembered, so that each request of a client does not compute its hash again. */
const MOST_REMEMBERED = 256;
/** A longer password is refused: no hash here tells it from its beginning. */
const MOST_CHARACTERS = 1_024;

/** Creates the check of names and passwords. Hashes that take long are computed in a thread of their own, one at a time. */
export function createPasswords(random: Random): Passwords {
  const thread = new ParseThread(BOUNDS);
  const turns = new Semaphore(1);
  const secret = random.bytes(32);
  const right = new LruCache<string, true>(MOST_REMEMBERED);
  let waiting = 0;

  const isRight = async (hash: string, password: string): Promise<boolean> => {
    const key = createHmac('sha256', secret).update(`${hash}\n${password}`).digest('base64');
    if (right.get(key) === true) return true;
    if (waiting >= MOST_WAITING) return false;
    waiting++;
    try {
      const outcome = await turns.run(() => thread.run({ kind: 'password', hash, password }));
      if (!('result' in outcome) || !outcome.result) return false;
    } finally {
      waiting--;
    }
    right.set(key, true);
    return true;
  };

  return {
    isUser: async (lines, name, password) => {
      if (isQuickUser(lines, name, password)) return true;
      if (password.length > MOST_CHARACTERS) return false;
      for (const { hash, isOfUser } of slowHashesOf(lines, name))
        if ((await isRight(hash, password)) && isOfUser) return true;
      return false;
    },
    close: () => thread.stop('The server is stopping.'),
  };
}
