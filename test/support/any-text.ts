import fc, { type Arbitrary, type StringConstraints } from 'fast-check';

const LAST = 0x10ffff;
const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any character, apart from halves of surrogate pairs. */
const character = fc.nat(LAST - SURROGATES.count).map(
  (at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count),
  (value) => {
    const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
    if (code === undefined || value !== String.fromCodePoint(code)) throw new Error('this is no character');
    return code < SURROGATES.from ? code : code - SURROGATES.count;
  },
);

/**
 * Returns strings of any characters. It draws what fast-check's unit `binary` draws. That unit first makes a map of all
 * 1.1 million characters, which takes a second and 100 MB in each process.
 */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
