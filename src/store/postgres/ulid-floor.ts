import { ULID_DIGITS } from '../../text/ulid-digits.ts';

const LARGEST = 2 ** 48 - 1;

/** Returns a text that does not sort after any ULID of `time` or later. `time` is in milliseconds since 1970. */
export function ulidFloor(time: number): string {
  let rest = Math.min(Math.max(Math.ceil(time), 0), LARGEST);
  let text = '';
  for (let i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = ULID_DIGITS.charAt(rest % 32) + text;
  return text;
}
