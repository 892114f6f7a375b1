// The clues about a candidate for a code, and what each weighs: a share of the logarithm of the odds that it is the code.
// .build/fit-codes.ts fits the weights and writes this file: test/corpus/FIGURES.md. A new clue begins with 0.

export const BIAS = -0.34;

/** The clues that can only speak for a code. */
export const FOR = {
  'strong word, explicitly': 1.66,
  'strong word, at once': 0.75,
  'strong word, loosely': 0.69,
  'code word, explicitly': 0.88,
  'code word, at once': 0.57,
  'code word, loosely': 0.0,
  'weak word, explicitly': 0.0,
  'weak word, at once': 1.22,
  'weak word, loosely': 0.5,
  'strong word behind, naming it': 0.89,
  'strong word behind': 0.54,
  'code word behind, naming it': 0.79,
  'code word behind': 0.52,
  'weak word behind': 0.77,
  'to enter': 1.38,
  'to enter, nearby': 0.61,
  'close to its word': 0.49,
  'named, ends its sentence': 0.6,
  'named, alone': 1.37,
  'unnamed, alone': 1.03,
  'unnamed, a paragraph': 1.16,
  'unnamed, first': 0.58,
  large: 0.62,
  bold: 0.7,
  'unnamed, large': 0.37,
  'unnamed, after a colon': 0.72,
  'in subject and body': 0.45,
  'in text and HTML': 0.28,
  'named, only candidate': 2.04,
  'unnamed, only candidate': 0.0,
  'unnamed, six signs': 0.49,
  'unnamed, subject names a code': 0.17,
  'unnamed, mail names a code': 0.0,
  'unnamed, mail has a word for codes': 0.0,
  'unnamed, mail asks to enter': 0.0,
  'unnamed, mail verifies': 0.0,
  'unnamed, mail is about a sign-in': 0.17,
  'unnamed, mail expires': 0.41,
  'unnamed, mail is in an unknown language': 1.23,
};

/** The clues that can only speak against one. */
export const AGAINST = {
  'not in both of text and HTML': -0.34,
  'named, many candidates': -1.76,
  'unnamed, many candidates': -0.34,
  'in an alt': -0.68,
  'near another kind of number': -1.17,
  'loosely, four signs': -1.64,
  'nine or ten signs': -0.33,
  'unnamed, four signs': -0.34,
  'unnamed, five signs': -1.79,
  'any letters': -0.25,
  'a year': -1.08,
  'a day': -0.49,
  'a sequence': -0.5,
  'a word with a number': -0.42,
  round: -0.5,
  'unnamed, mail has known words only of other things': -0.31,
  'unnamed, inside a sentence': -1.92,
  'named, of trade': -0.96,
  'unnamed, of trade': -0.4,
  'unnamed, of trade: three words': -0.52,
  'named, of an offer': -0.5,
  'unnamed, of an offer': -0.5,
  'named, of money': -0.5,
  'unnamed, of money': -0.68,
};

/** The clues that can speak either way. */
export const EITHER = {
  'in the subject alone': 0.21,
  grouped: 0.26,
  letters: 0.8,
};

export const WEIGHTS = { ...FOR, ...AGAINST, ...EITHER };

export type Clue = keyof typeof WEIGHTS;
