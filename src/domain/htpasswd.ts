import { createHash, timingSafeEqual } from 'node:crypto';
import { isSameSecret } from './api-key.ts';

// Names and passwords as lines of an htpasswd file: `name:password`, the password plain or a hash. Other catchers read
// such files.

/** The hashes that take long on purpose, by how they begin: bcrypt, and those of crypt(3). */
const SLOW_HASH = /^\$(?:2[abxy]?|apr1|[156])\$/;

/** Splits the content of an htpasswd file, or of a variable with spaces between the entries, as Mailpit does. */
export function splitUsers(text: string): readonly string[] {
  return text.split(/\s+/).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Tells whether a name and a password are among the lines whose passwords are plain, {SHA} or {SSHA}. */
export function isQuickUser(lines: readonly string[], name: string, password: string): boolean {
  // Every line is compared, so that the time does not tell which names there are.
  return lines.map((line) => matches(line, name, password)).includes(true);
}

/** A hash that takes long, and whether its password lets its user in. */
export interface SlowHash {
  readonly hash: string;
  readonly isOfUser: boolean;
}

/**
 * Lists the hashes to compute for a name. For an unknown name it is one of somebody else, so that the time does not tell
 * which names there are.
 */
export function slowHashesOf(lines: readonly string[], name: string): readonly SlowHash[] {
  const slow = lines.filter((line) => SLOW_HASH.test(passwordOf(line)));
  const own = slow.filter((line) => isSameSecret(nameOf(line), name));
  return (own.length > 0 ? own : slow.slice(0, 1)).map((line) => ({
    hash: passwordOf(line),
    isOfUser: own.length > 0,
  }));
}

function matches(line: string, name: string, password: string): boolean {
  const given = passwordOf(line);
  const isNamed = isSameSecret(nameOf(line), name);
  return !SLOW_HASH.test(given) && isNamed && isPassword(given, password);
}

function nameOf(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(':')));
}

function passwordOf(line: string): string {
  return line.slice(line.indexOf(':') + 1);
}

function isPassword(given: string, password: string): boolean {
  const [, salted, digest = ''] = /^\{(S?)SHA\}([A-Za-z0-9+/=]+)$/.exec(given) ?? [];
  if (salted === undefined) return isSameSecret(given, password);
  const bytes = Buffer.from(digest, 'base64');
  const made = createHash('sha1').update(password).update(bytes.subarray(20)).digest();
  return bytes.length >= 20 && timingSafeEqual(bytes.subarray(0, 20), made);
}
