/** Invisible characters: soft hyphens, zero-width characters, and marks that change the text direction. */
const UNSEEN = /(?:\u034F|[\u00AD\u061C\u115F\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\uFE0F)+/g;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/** Removes invisible characters and converts the decimal digits of all scripts to ASCII. */
export function cleanText(text: string): string {
  return text.replace(UNSEEN, '').replace(OTHER_DIGIT, (digit) => String(decimalOf(digit.codePointAt(0) ?? 0)));
}

/**
 * Returns the value of a decimal digit. Unicode encodes the digits of a script as ten characters in a row, from zero to
 * nine, and some scripts have several rows one after the other.
 */
function decimalOf(code: number): number {
  let zero = code;
  while (code - zero < MATHEMATICAL && IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}

const IS_DIGIT = /^\p{Nd}$/u;
/** The mathematical digits are five rows: the longest run. */
const MATHEMATICAL = 49;
