/** The digits of a ULID in their order (Crockford's Base32). */
export const ULID_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Writes a whole number, from 0, with `length` digits of a ULID. */
export function ulidDigits(number: number, length: number): string {
  let digits = '';
  for (let rest = number, at = 0; at < length; at++, rest = Math.floor(rest / 32))
    digits = ULID_DIGITS.charAt(rest % 32) + digits;
  return digits;
}

/** Writes a time, in milliseconds since 1970, as the first ten digits of a ULID. */
export function ulidTimeDigits(time: number): string {
  return ulidDigits(time, 10);
}

/** Writes the smallest ULID of a time, in milliseconds since 1970. Every id that is made then or later is greater. */
export function firstUlidAt(time: number): string {
  return `${ulidTimeDigits(time)}${'0'.repeat(16)}`;
}
