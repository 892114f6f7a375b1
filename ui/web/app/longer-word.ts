import type { MatchedSnippet } from '../../../src/text/around-match.ts';
import { pageCame } from '../../model/message-list.ts';
import { copiesOf, type ListState, type WebRow } from './state.ts';

/** A query of plain words alone. A longer one of its last word finds no mail that it did not find. */
const PLAIN_WORDS = /^(?:[a-z0-9]+ )*[a-z0-9]+$/i;
/** Marks join with the letter before them, and then it is another letter. */
const MAY_JOIN = /^\P{ASCII}/u;

/**
 * Returns a search, which has no rows yet, with those of the search before it. Null unless it surely finds the same
 * messages. The server has the last word all the same.
 */
export function ofLongerWord({ list, ...before }: ListState, next: ListState): ListState | null {
  if (before.failure !== null || before.cutOffAt !== null || list.waiting > 0) return null;
  const rows = withLongerWord(list.rows, before.query, next.query);
  if (rows === null) return null;
  return { ...next, total: list.complete ? before.total : null, list: pageCame(next.list, rows, list.complete) };
}

/**
 * Returns the rows of a search after letters were added to its last word, before the server answers: the words behind
 * each match begin with these letters. Returns null unless that is so for each message. The server then decides.
 */
export function withLongerWord(rows: readonly WebRow[], before: string, query: string): readonly WebRow[] | null {
  if (rows.length === 0 || !PLAIN_WORDS.test(before) || !PLAIN_WORDS.test(query)) return null;
  const words = before.toLowerCase().split(' ');
  const short = words.pop() ?? '';
  const long = query.slice(before.length - short.length).toLowerCase();
  if (!query.startsWith(before) || long.includes(' ')) return null;
  // Two words that begin alike may share a match.
  if (words.some((word) => word.startsWith(short) || short.startsWith(word))) return null;
  const longer: WebRow[] = [];
  for (const row of rows) {
    const messages = copiesOf(row).map((message) => withLongerMatch(message, short, long));
    const [first, ...copies] = messages.filter((message) => message !== null);
    if (first === undefined || messages.includes(null)) return null;
    longer.push(copies.length === 0 ? first : { ...first, copies });
  }
  return longer;
}

/** Lengthens the match of a word in a message. Returns null if other letters follow it. */
function withLongerMatch(message: WebRow, short: string, long: string): WebRow | null {
  const { matches = [] } = message;
  const at = matches.findIndex((match) => textAt(match, match.length) === short && begins(match, long));
  if (at < 0) return null;
  return { ...message, matches: matches.map((one, index) => (index === at ? { ...one, length: long.length } : one)) };
}

function begins(match: MatchedSnippet, long: string): boolean {
  return textAt(match, long.length) === long && !MAY_JOIN.test(match.snippet.slice(match.start + long.length));
}

function textAt({ snippet, start }: MatchedSnippet, length: number): string {
  return snippet.slice(start, start + length).toLowerCase();
}
