import { ConfigError } from '../../config/user-error.ts';
import { SEARCH_WORDS } from '../../text/search-words.ts';
import { wrapLine } from '../../text/width.ts';
import type { Arguments } from '../command.ts';

const NAMES = SEARCH_WORDS.map(({ word }) => word.slice(0, -1)).join('|');
const SEARCH_WORD = new RegExp(`^[!-]?(?:${NAMES}):`, 'i');
const NEGATED = new RegExp(`^-(?=(?:${NAMES}):)`, 'i');

/** Tells whether an argument begins like a search word: `from:ada`, `!has:code`. */
export function isSearchWord(typed: string): boolean {
  return SEARCH_WORD.test(typed);
}

/** Rewrites `-from:ada` as `!from:ada`, so that it is not taken for an option. */
export function withoutMinus(typed: string): string {
  return typed.replace(NEGATED, '!');
}

/** Joins the operands and `--query` to one search, all parts of which must match; null if neither is given. */
export function queryOf(args: Arguments): string | null {
  const words = [...args.operands.map(asWords), ...[args.text('query')].filter((text) => text !== null)];
  const query = words.join(' ').trim();
  if (query === '' && words.length > 0) throw new ConfigError('the search is empty: give at least one word.');
  return query === '' ? null : query;
}

/**
 * Restores the quotes that the shell removed from `subject:"your code"`: an argument with spaces is one word, unless it
 * holds several.
 */
function asWords(typed: string): string {
  if (!/\s/.test(typed) || typed.includes('"') || typed.trim().split(/\s+/).slice(1).some(isSearchWord)) return typed;
  const [, before = '', text = ''] = /^([!-]?(?:[a-z-]+:)?)(.*)$/is.exec(typed) ?? [];
  const [not = ''] = /^[!-]?/.exec(before) ?? [];
  return isSearchWord(before) ? `${before}${quoted(text)}` : `${not}${quoted(typed.slice(not.length))}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\')}"`;
}

export const EVERY_WORD = SEARCH_WORDS.flatMap(
  ({ word, values }) => values?.map((value) => `${word}${value}`) ?? [word],
);

/** The lines of a help page that list every search word with its values, 76 columns each at most. */
export const SEARCH_NOTES: readonly string[] = [
  'All words must match; ! before a word negates it, quotes allow spaces:',
  ...wrapLine(EVERY_WORD.join(' '), 74).map((line) => `  ${line}`),
  'A word without a colon is searched in subject, sender, recipients and body.',
];
