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
    return this.text ?? ulidText(this.a, this.b, this.c, this.d);
  }

  /** Compares the ULID of these words with this position. The result is negative, 0 or positive, as in `Array.sort`. */
  compareWords(a: number, b: number, c: number, d: number): number {
    if (this.text !== null) {
      const id = ulidText(a, b, c, d);
      return id < this.text ? -1 : id === this.text ? 0 : 1;
    }
    if (a !== this.a) return a - this.a;
    if (b !== this.b) return b - this.b;
    if (c !== this.c) return c - this.c;
    return d - this.d;
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

const written = Buffer.alloc(26);
const CHARACTERS = Buffer.from(ULID_DIGITS, 'latin1');

/** Writes a ULID as text. */
export function ulidText(a: number, b: number, c: number, d: number): string {
  writeUlid(a, b, c, d);
  return written.toString('latin1');
}

/** Writes a ULID as text into a buffer. */
export function ulidTextInto(a: number, b: number, c: number, d: number, into: Buffer, at: number): void {
  writeUlid(a, b, c, d);
  written.copy(into, at);
}

function writeUlid(a: number, b: number, c: number, d: number): void {
  writeDigits(d, c, 0, 25);
  writeDigits(c, b, 3, 18);
  writeDigits(b, a, 1, 12);
  writeDigits(a, 0, 4, 5);
}

/**
 * Writes the digits that start in a word, the lowest first, leftwards from `at`. The last digit may extend into the
 * next word.
 */
function writeDigits(word: number, next: number, firstBit: number, at: number): void {
  for (let bit = firstBit, index = at; bit < 32; bit += 5, index--) {
    const digit = (bit > 27 ? (word >>> bit) | (next << (32 - bit)) : word >>> bit) & 31;
    written[index] = CHARACTERS[digit] ?? 0;
  }
}

function digitAt(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? NO_DIGIT;
}
