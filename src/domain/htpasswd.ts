import { createHash, timingSafeEqual } from 'node:crypto';

// Names and passwords as lines of an htpasswd file: `name:password`, the password plain or a hash. Other catchers read
// such files.

/** The hashes that can't be checked here, by how they begin. A line with one of them lets nobody in. */
const FOREIGN_HASHES: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\$2[abxy]?\$/, 'bcrypt'],
  [/^\$apr1\$/, 'MD5'],
  [/^\$1\$/, 'MD5'],
  [/^\$5\$/, 'SHA-256 crypt'],
  [/^\$6\$/, 'SHA-512 crypt'],
];

/** Splits the content of an htpasswd file, or of a variable with spaces between the entries, as Mailpit does. */
export function splitUsers(text: string): readonly string[] {
  return text.split(/\s+/).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Tells whether a name and a password are among the lines. */
export function isUser(lines: readonly string[], name: string, password: string): boolean {
  // Every line is compared, so that the time does not tell which names there are.
  return lines.map((line) => matches(line, name, password)).includes(true);
}

/** Returns the name of the hash that can't be checked; null if the line's password can be. */
export function uncheckedHash(line: string): string | null {
  return FOREIGN_HASHES.find(([start]) => start.test(passwordOf(line)))?.[1] ?? null;
}

function matches(line: string, name: string, password: string): boolean {
  const given = passwordOf(line);
  const isNamed = isEqual(line.slice(0, line.indexOf(':')), name);
  return uncheckedHash(line) === null && isNamed && isPassword(given, password);
}

function passwordOf(line: string): string {
  return line.slice(line.indexOf(':') + 1);
}

function isPassword(given: string, password: string): boolean {
  const [, salted, digest = ''] = /^\{(S?)SHA\}([A-Za-z0-9+/=]+)$/.exec(given) ?? [];
  if (salted === undefined) return isEqual(given, password);
  const bytes = Buffer.from(digest, 'base64');
  const made = createHash('sha1').update(password).update(bytes.subarray(20)).digest();
  return bytes.length >= 20 && timingSafeEqual(bytes.subarray(0, 20), made);
}

/** Compares texts by their hashes, so that the time does not tell even their length. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
