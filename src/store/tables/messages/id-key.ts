import { ULID_DIGITS } from '../../../text/ulid-digits.ts';

// A ULID takes 16 bytes: four little-endian 32-bit words, the most significant word first.

const NO_DIGIT = 255;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < 32; digit++) DIGITS[ULID_DIGITS.charCodeAt(digit)] = digit;

/**
 * A position in the order of ids. A ULID becomes four 32-bit words that compare like its text. Any other text is kept
 * as it is, also a ULID that is not in upper case.
 */
export class IdKey {
  a = 0;
  b = 0;
  c = 0;
  d = 0;
  /** The text. Null if the words hold the position. */
  text: string | null = null;

  static of(text: string): IdKey {
    return new IdKey().setText(text);
  }

  setText(text: string): this {
    this.text = this.#parse(text) ? null : text;
    return this;
  }

  setWords(a: number, b: number, c: number, d: number): this {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
    this.text = null;
    return this;
  }

  toString(): string {
    if (this.text !== null) return this.text;
    writeUlid(this, written, 0);
    return written.toString('latin1');
  }

  #parse(text: string): boolean {
    const first = digitAt(text, 0);
    if (text.length !== 26 || first > 7) return false;
    let word = first;
    let bits = 3;
    let words = 0;
    for (let i = 1; i < 26; i++) {
      const digit = digitAt(text, i);
      if (digit === NO_DIGIT) return false;
      const room = 32 - bits;
      if (room > 5) {
        word = (word << 5) | digit;
        bits += 5;
        continue;
      }
      const left = 5 - room;
      this.#setWord(words++, ((word << room) | (digit >>> left)) >>> 0);
      word = digit & ((1 << left) - 1);
      bits = left;
    }
    return true;
  }

  #setWord(index: number, word: number): void {
    if (index === 0) this.a = word;
    else if (index === 1) this.b = word;
    else if (index === 2) this.c = word;
    else this.d = word;
  }
}

export function idKey(position: string | undefined): IdKey | undefined {
  return position === undefined ? undefined : IdKey.of(position);
}

const written = Buffer.alloc(26);
const CHARACTERS = Buffer.from(ULID_DIGITS, 'latin1');

/** Writes a ULID as text into a buffer. */
export function writeUlid({ a, b, c, d }: IdKey, into: Buffer, at: number): void {
  writeDigits(d, c, 0, into, at + 25);
  writeDigits(c, b, 3, into, at + 18);
  writeDigits(b, a, 1, into, at + 12);
  writeDigits(a, 0, 4, into, at + 5);
}

/**
 * Writes the digits that start in a word, the lowest first, leftwards from `at`. The last digit may extend into the
 * next word.
 */
function writeDigits(word: number, next: number, firstBit: number, into: Buffer, at: number): void {
  for (let bit = firstBit, index = at; bit < 32; bit += 5, index--) {
    const digit = (bit > 27 ? (word >>> bit) | (next << (32 - bit)) : word >>> bit) & 31;
    into[index] = CHARACTERS[digit] ?? 0;
  }
}

function digitAt(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? NO_DIGIT;
}
