/** How many texts are looked up while a block is filled; when full it starts anew, so that no sender can make it grow. */
const REMEMBERED = 4_096;
/** The number that stands for null; no text has it. */
export const NO_TEXT = 0xffff;
/** Never the first byte of UTF-8: what follows is UTF-16, which keeps the half of a surrogate pair that UTF-8 can't. */
const UTF16_MARK = 0xff;
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** The texts of a block, by number. A text that is put again while it is remembered keeps its number. */
export class Texts {
  #bytes: Buffer;
  /** Where each text ends, 32 bits each, little-endian. */
  #ends: DataView;
  #count: number;
  #size: number;
  #numbers: Map<string, number> | null;

  private constructor(bytes: Buffer, ends: DataView, count: number, size: number, numbers: Map<string, number> | null) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#count = count;
    this.#size = size;
    this.#numbers = numbers;
  }

  /** None yet, to be filled. */
  static filling(): Texts {
    return new Texts(Buffer.allocUnsafeSlow(2_048), viewOf(256), 0, 0, new Map());
  }

  /** Texts that were packed: `ends` and `bytes` are kept, not copied. Throws where they don't fit each other. */
  static over(ends: DataView, bytes: Buffer): Texts {
    const count = ends.byteLength / 4;
    let before = 0;
    for (let number = 0; number < count; number++) {
      const end = ends.getUint32(number * 4, true);
      if (end < before) throw new Error('a text of a message block ends before it begins');
      before = end;
    }
    if (before !== bytes.length) throw new Error('the texts of a message block are not of the length told');
    return new Texts(bytes, ends, count, bytes.length, null);
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#size;
  }

  /** Exactly as it was put. */
  text(number: number): string {
    const { start, end } = this.#range(number);
    if (start < end && this.#bytes[start] === UTF16_MARK) return this.#bytes.toString('utf16le', start + 1, end);
    return this.#bytes.toString('utf8', start, end);
  }

  /** The number of a text; one not remembered is added. */
  number(text: string): number {
    const known = this.#numbers?.get(text);
    if (known !== undefined) return known;
    const added = this.#add(text);
    if (this.#numbers === null || this.#numbers.size >= REMEMBERED) this.#numbers = new Map();
    this.#numbers.set(text, added);
    return added;
  }

  /** Nothing is added any more: what was only needed for that is let go. */
  seal(): void {
    this.#numbers = null;
    const bytes = Buffer.allocUnsafeSlow(this.#size);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
    const ends = viewOf(this.#count);
    copyBytes(this.#ends, ends, this.#count * 4);
    this.#ends = ends;
  }

  /** These alone, numbered as they are listed. */
  only(numbers: readonly number[]): Texts {
    const ends = viewOf(numbers.length);
    const parts = numbers.map((number) => {
      const { start, end } = this.#range(number);
      return this.#bytes.subarray(start, end);
    });
    let size = 0;
    parts.forEach((part, index) => {
      size += part.length;
      ends.setUint32(index * 4, size, true);
    });
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const part of parts) at += part.copy(bytes, at);
    return new Texts(bytes, ends, numbers.length, size, null);
  }

  /** What {@link over} takes. */
  packed(): { readonly ends: Buffer; readonly bytes: Buffer } {
    const ends = Buffer.from(this.#ends.buffer, this.#ends.byteOffset, this.#count * 4);
    return { ends, bytes: this.#bytes.subarray(0, this.#size) };
  }

  #range(number: number): { start: number; end: number } {
    if (number >= this.#count) throw new Error(`a message block has no text ${number}`);
    return {
      start: number === 0 ? 0 : this.#ends.getUint32(number * 4 - 4, true),
      end: this.#ends.getUint32(number * 4, true),
    };
  }

  #add(text: string): number {
    if (this.#count >= NO_TEXT) throw new Error('a message block has too many texts');
    // No text is longer in UTF-8 than three bytes for each of its units.
    const most = this.#size + text.length * 3 + 1;
    if (most > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(most, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    if (this.#count * 4 >= this.#ends.byteLength) {
      const grown = viewOf(this.#count * 2);
      copyBytes(this.#ends, grown, this.#count * 4);
      this.#ends = grown;
    }
    if (LONE_SURROGATE.test(text)) {
      this.#bytes[this.#size++] = UTF16_MARK;
      this.#size += this.#bytes.write(text, this.#size, 'utf16le');
    } else this.#size += this.#bytes.write(text, this.#size, 'utf8');
    this.#ends.setUint32(this.#count * 4, this.#size, true);
    return this.#count++;
  }
}

function viewOf(numbers: number): DataView {
  return new DataView(new ArrayBuffer(numbers * 4));
}

function copyBytes(from: DataView, to: DataView, length: number): void {
  new Uint8Array(to.buffer, to.byteOffset, length).set(new Uint8Array(from.buffer, from.byteOffset, length));
}
