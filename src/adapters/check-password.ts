import { createHash, timingSafeEqual } from 'node:crypto';
import { compareSync } from 'bcryptjs';

/** Tells whether a password has a hash of bcrypt or crypt(3). It takes long, so it runs in a thread. */
export function hasHash(hash: string, password: string): boolean {
  // bcryptjs reads the variants of C libraries that differ in name only.
  if (/^\$2/.test(hash)) return compareSync(password, hash.replace(/^\$2[xy]?\$/, '$2b$'));
  const made = cryptLike(hash, password);
  return made !== null && made.length === hash.length && timingSafeEqual(Buffer.from(made), Buffer.from(hash));
}

// The password hashes of crypt(3) that htpasswd files hold: MD5 (`$1$`, and `$apr1$` of Apache), SHA-256 (`$5$`) and
// SHA-512 (`$6$`). They repeat a digest a thousand times and more, so whoever calls this runs it in a thread.
// unixcrypt 3.0 hashes a password wrong whose length is that of a digest, such as 32 bytes, so no library does this.

/** The alphabet of their base64, whose digits come from the lowest bits. */
const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The most rounds of SHA-crypt that are computed. More would let a file stop a server. */
const MOST_ROUNDS = 1_000_000;

/** Hashes a password as `hash` was made. Null if it is of none of these kinds. */
export function cryptLike(hash: string, password: string): string | null {
  const [, md5, md5Salt = ''] = /^\$(1|apr1)\$([^$]{0,8})\$/.exec(hash) ?? [];
  if (md5 !== undefined) return md5Crypt(`$${md5}$`, md5Salt, password);
  const [, kind, given, salt = ''] = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$/.exec(hash) ?? [];
  if (kind === undefined) return null;
  const rounds = given === undefined ? 5_000 : Math.min(Math.max(Number(given), 1_000), 999_999_999);
  if (rounds > MOST_ROUNDS) return null;
  const start = `$${kind}$${given === undefined ? '' : `rounds=${rounds}$`}${salt}$`;
  return start + (kind === '5' ? sha256Crypt(password, salt, rounds) : sha512Crypt(password, salt, rounds));
}

type Bytes = Buffer | string;

function digestOf(algorithm: string, ...parts: readonly Bytes[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Returns one of two values for each bit of a length, the lowest bit first. */
function ofBits(length: number, one: Buffer, zero: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let left = length; left > 0; left >>>= 1) parts.push((left & 1) === 1 ? one : zero);
  return parts;
}

/** Writes three bytes as four digits, or fewer as fewer. */
function digits(value: number, count: number): string {
  let text = '';
  for (let left = value, at = 0; at < count; at++, left >>>= 6) text += DIGITS[left & 0x3f];
  return text;
}

function md5Crypt(magic: string, salt: string, text: string): string {
  const password = Buffer.from(text);
  const md5 = (...parts: Bytes[]) => digestOf('md5', ...parts);
  const inner = md5(password, salt, password);
  const bits = ofBits(password.length, Buffer.alloc(1), password.subarray(0, 1));
  let digest = md5(password, magic, salt, Buffer.alloc(password.length, inner), ...bits);
  for (let round = 0; round < 1_000; round++) {
    const [first, last] = round % 2 === 1 ? [password, digest] : [digest, password];
    digest = md5(first, round % 3 === 0 ? '' : salt, round % 7 === 0 ? '' : password, last);
  }
  const at = (index: number) => digest[index] ?? 0;
  let out = '';
  for (let index = 0; index < 5; index++)
    out += digits((at(index) << 16) | (at(index + 6) << 8) | at(index === 4 ? 5 : index + 12), 4);
  return `${magic}${salt}$${out}${digits(at(11), 2)}`;
}

/** The digest of SHA-crypt by Ulrich Drepper's specification. */
function shaCrypt(algorithm: 'sha256' | 'sha512', text: string, saltText: string, rounds: number): Buffer {
  const [password, salt] = [Buffer.from(text), Buffer.from(saltText)];
  const sha = (...parts: Bytes[]) => digestOf(algorithm, ...parts);
  const inner = sha(password, salt, password);
  const bits = ofBits(password.length, inner, password);
  let digest = sha(password, salt, Buffer.alloc(password.length, inner), ...bits);
  const repeated = (bytes: Buffer, times: number) => sha(...Array.from({ length: times }, () => bytes));
  const p = Buffer.alloc(password.length, repeated(password, password.length));
  const s = Buffer.alloc(salt.length, repeated(salt, 16 + (digest[0] ?? 0)));
  for (let round = 0; round < rounds; round++) {
    const isOdd = round % 2 === 1;
    digest = sha(isOdd ? p : digest, round % 3 === 0 ? '' : s, round % 7 === 0 ? '' : p, isOdd ? digest : p);
  }
  return digest;
}

/** Writes a digest of SHA-crypt: three bytes a time, whose places rotate. */
function shaText(digest: Buffer, third: number, turn: (places: readonly number[]) => readonly number[]): string {
  let places: readonly number[] = [0, third, 2 * third];
  let out = '';
  for (let group = 0; group < third; group++) {
    const [a, b, c] = places.map((place) => digest[place] ?? 0);
    out += digits(((a ?? 0) << 16) | ((b ?? 0) << 8) | (c ?? 0), 4);
    places = turn(places).map((place) => place + 1);
  }
  return out;
}

function sha256Crypt(password: string, salt: string, rounds: number): string {
  const digest = shaCrypt('sha256', password, salt, rounds);
  const rest = digits(((digest[31] ?? 0) << 8) | (digest[30] ?? 0), 3);
  return shaText(digest, 10, ([a = 0, b = 0, c = 0]) => [c, a, b]) + rest;
}

function sha512Crypt(password: string, salt: string, rounds: number): string {
  const digest = shaCrypt('sha512', password, salt, rounds);
  return shaText(digest, 21, ([a = 0, b = 0, c = 0]) => [b, c, a]) + digits(digest[63] ?? 0, 2);
}
