import { SEARCH_WORDS } from '../../config/search-words.ts';
import { ConfigError } from '../../config/user-error.ts';
import type { Arguments } from '../arguments.ts';

const NAMES = SEARCH_WORDS.map(({ word }) => word.slice(0, -1)).join('|');
const SEARCH_WORD = new RegExp(`^[!-]?(?:${NAMES}):`, 'i');
const NEGATED = new RegExp(`^-(?=(?:${NAMES}):)`, 'i');

/** It begins as a search word does: `from:ada`, `!has:code`. */
export function isSearchWord(typed: string): boolean {
  return SEARCH_WORD.test(typed);
}

/** `-from:ada` as `!from:ada`, which is no option. */
export function withoutMinus(typed: string): string {
  return typed.replace(NEGATED, '!');
}

/** What is to be searched for: the operands and `--query`, all of which must hold. Null where neither is given. */
export function queryOf(args: Arguments, operands: readonly string[] = args.operands): string | null {
  const words = [...operands.map(asWords), ...[args.text('query')].filter((text) => text !== null)];
  const query = words.join(' ').trim();
  if (query === '' && words.length > 0) throw new ConfigError('the search is empty: say what to look for.');
  return query === '' ? null : query;
}

/** The shell took the quotes of `subject:"your code"`: what it hands over with a space in it is one word, if it is not several. */
function asWords(typed: string): string {
  if (!/\s/.test(typed) || typed.includes('"') || typed.trim().split(/\s+/).slice(1).some(isSearchWord)) return typed;
  const [, before = '', text = ''] = /^([!-]?(?:[a-z-]+:)?)(.*)$/is.exec(typed) ?? [];
  const [not = ''] = /^[!-]?/.exec(before) ?? [];
  return isSearchWord(before) ? `${before}${quoted(text)}` : `${not}${quoted(typed.slice(not.length))}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\')}"`;
}

/** For help pages: every word with the values it can have, in lines of 76 columns at most. */
export const SEARCH_NOTES: readonly string[] = [
  'Words must all hold; ! before one turns it round, quotes hold spaces:',
  ...wrapped(SEARCH_WORDS.flatMap(({ word, values }) => values?.map((value) => `${word}${value}`) ?? [word])),
  'A bare word is looked for in subject, sender, recipients and body.',
];

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 76) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}
