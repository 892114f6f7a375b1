import type { FoundCode } from '../extract/codes.ts';
import { checkNames } from './check-options.ts';
import { AmbiguityError, ContentError, OptionError } from './errors.ts';

/** Which code is meant where a mail has several. */
export interface CodeOptions {
  /** Only codes of so many characters, as they are entered. */
  readonly length?: number | undefined;
  /** Only codes that match it, as they are entered. */
  readonly pattern?: RegExp | undefined;
}

/** The likeliest code of those meant. Throws a ContentError where there is none, an AmbiguityError where two are equally likely. */
export function chooseCode(codes: readonly FoundCode[], options: CodeOptions, mail: string): string {
  checkNames('code', options, ['length', 'pattern']);
  const { length, pattern } = options;
  if (pattern !== undefined && !(pattern instanceof RegExp)) throw new OptionError('pattern must be a RegExp.');
  const meant = codes.filter(
    ({ code }) => (length === undefined || code.length === length) && (pattern === undefined || isOf(pattern, code)),
  );
  const best = Math.min(...meant.map(({ rank }) => rank));
  const [first, ...equals] = meant.filter(({ rank }) => rank === best);
  if (first === undefined) throw nothingFound(codes, mail);
  if (equals.length === 0) return first.code;
  const lines = [first, ...equals].map(describe);
  throw new AmbiguityError('several_codes', `Of the codes in ${mail} no one is likelier than another:`, lines, {
    hint: 'Say which is meant: code({ length: 6 }) or code({ pattern: /^\\d+$/ }).',
  });
}

function nothingFound(codes: readonly FoundCode[], mail: string): ContentError {
  const others =
    codes.length === 0 ? '' : ` as asked for; it has:\n${codes.map((one) => `  ${describe(one)}`).join('\n')}`;
  return new ContentError(
    'no_code',
    `There is no code in ${mail}${others || ': nothing a person sees in it reads like one.'}`,
    {
      hint: 'Its text as a person sees it is what is searched; `message.text` and `message.html` have all of it.',
    },
  );
}

function describe({ written, reason }: FoundCode): string {
  return `${written} (${reason})`;
}

function isOf(pattern: RegExp, code: string): boolean {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(code);
}
