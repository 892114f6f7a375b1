import type { FoundCode, ReadCodes, RefusedCode } from '../../extract/codes.ts';
import { AmbiguityError, ContentError } from '../errors.ts';
import { checkOptions, count, pattern as regExp } from '../options/check-options.ts';

/** Which code is meant where a mail has several. */
export interface CodeOptions {
  /** Only codes of so many characters, as they are entered. */
  readonly length?: number | undefined;
  /** Only codes that match it, as they are entered. What a mail calls its code is one if it matches, however it is written. */
  readonly pattern?: RegExp | undefined;
}

const MAX_SHOWN = 8;
const OPTIONS = { length: count, pattern: regExp };

/** Throws an OptionError for what can say of no code that it is meant. */
export function checkCodeOptions(name: string, options: unknown): void {
  checkOptions(name, options, OPTIONS, `Say which code is meant: { length: 6 } or { pattern: /^\\d+$/ }.`);
}

/** The likeliest code of those meant. Throws a ContentError where there is none, an AmbiguityError where two are equally likely. */
export function chooseCode(found: ReadCodes, options: CodeOptions, mail: string): string {
  checkCodeOptions('What code() is given', options);
  const { length, pattern } = options;
  const isMeant = (code: string) =>
    (length === undefined || code.length === length) && (pattern === undefined || isOf(pattern, code));
  const meant = found.codes.filter(({ code }) => isMeant(code));
  const best = Math.min(...meant.map(({ rank }) => rank));
  const called = pattern === undefined ? [] : found.refused.filter((one) => one.isCalledCode && isMeant(one.written));
  const likeliest =
    meant.length > 0
      ? meant.filter(({ rank }) => rank === best).map((one) => ({ ...one, entered: one.code }))
      : called.map((one) => ({ ...one, entered: one.written }));
  const [first, ...equals] = likeliest;
  if (first === undefined) throw nothingFound(found, mail);
  if (equals.length === 0) return first.entered;
  const lines = likeliest.map(describe);
  throw new AmbiguityError('several_codes', `Of the codes in ${mail} no one is likelier than another:`, lines, {
    hint: 'Say which is meant: code({ length: 6 }) or code({ pattern: /^\\d+$/ }).',
  });
}

function nothingFound({ codes, refused }: ReadCodes, mail: string): ContentError {
  const others = codes.length === 0 ? ': nothing a person sees in it reads like one.' : ' as asked for; it has:';
  const shown = refused.slice(0, MAX_SHOWN);
  const lines = [
    ...codes.map((one) => `  ${describe(one)}`),
    ...(shown.length === 0 ? [] : ['Looked at and refused:', ...shown.map((one) => `  ${describe(one)}`)]),
  ];
  const called = refused.some(({ isCalledCode }) => isCalledCode);
  return new ContentError('no_code', [`There is no code in ${mail}${others}`, ...lines].join('\n'), {
    hint: called
      ? 'If a refused one is the code, say what yours look like: code({ pattern: /^[A-Z]{2}-\\d+$/i }).'
      : 'Its text as a person sees it is what is searched; `message.text` and `message.html` have all of it.',
  });
}

function describe({ written, reason }: FoundCode | RefusedCode): string {
  return `${written} (${reason})`;
}

function isOf(pattern: RegExp, code: string): boolean {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(code);
}
