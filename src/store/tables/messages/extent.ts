// A blob reference, as the stores write it: `segment.offset.length`, several of them separated by commas.

const DOT = 46;
const ZERO = 48;

/** The numbers of one extent. */
export type ExtentNumbers = [segment: number, offset: number, length: number];

/**
 * Parses a reference with one extent of 32-bit numbers into `numbers`. Returns false for any other text, which would
 * not be written back identically.
 */
export function readExtent(ref: string, numbers: ExtentNumbers): boolean {
  let field = 0;
  let number = 0;
  let digits = 0;
  for (let i = 0; i <= ref.length; i++) {
    const code = i < ref.length ? ref.charCodeAt(i) : DOT;
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) {
      // A number with a leading zero would be written back differently.
      if (digits > 0 && number === 0) return false;
      number = number * 10 + digit;
      if (++digits > 10) return false;
    } else if (code === DOT && digits > 0 && field < 3 && number <= 0xffffffff) {
      numbers[field++] = number;
      number = 0;
      digits = 0;
    } else return false;
  }
  return field === 3;
}

/** Yields the extents of a reference. It yields nothing for another text. */
export function* extentsOf(ref: string): Generator<ExtentNumbers, void, void> {
  for (const part of ref.split(',')) {
    const numbers: ExtentNumbers = [0, 0, 0];
    if (readExtent(part, numbers)) yield numbers;
  }
}
