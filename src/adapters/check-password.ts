import { timingSafeEqual } from 'node:crypto';
import { compareSync } from 'bcryptjs';
import { cryptLike } from '../domain/password-hash.ts';

/** Tells whether a password has a hash of bcrypt or crypt(3). It takes long, so it runs in a thread. */
export function hasHash(hash: string, password: string): boolean {
  // bcryptjs reads the variants of C libraries that differ in name only.
  if (/^\$2/.test(hash)) return compareSync(password, hash.replace(/^\$2[xy]?\$/, '$2b$'));
  const made = cryptLike(hash, password);
  return made !== null && made.length === hash.length && timingSafeEqual(Buffer.from(made), Buffer.from(hash));
}
