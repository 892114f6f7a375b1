import { refuse } from '../../../domain/errors.ts';
import { MOST_CHARACTERS, MOST_WORDS, parseQuery } from '../../../domain/search/parse-query.ts';
import type { SearchQuery, Term } from '../../../domain/search/query.ts';
import { TEXT_FIELDS } from '../../../text/search-words.ts';

// Mailpit has the same search words as mailcap, but parses them less strictly. A quote may be anywhere and stay open. A
// word with nothing after its colon is no condition. A word with an unknown name before its colon is text.

/** Reads a search. Null means that no message can match. Throws `invalid_query`. */
export function readSearch(search: string): SearchQuery | null {
  if (search.length > MOST_CHARACTERS) throw tooLong(`The query is longer than ${MOST_CHARACTERS} characters.`);
  const words = wordsOf(search);
  if (words.length > MOST_WORDS) throw tooLong(`The query has more than ${MOST_WORDS} words.`);
  const terms: Term[] = [];
  for (const word of words) {
    const term = termOf(word);
    if (term === 'none') return null;
    if (term !== 'all') terms.push(term);
  }
  return terms;
}

function tooLong(message: string): Error {
  return refuse('invalid_query', { message, position: MOST_CHARACTERS });
}

/** Splits at spaces outside quotes, and drops the quotes. */
function wordsOf(search: string): string[] {
  const words = search.match(/(?:"[^"]*"?|[^" ])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', '').replace(/\s+/g, ' ').trim()).filter((word) => word !== '');
}

const FIELD = new RegExp(`^(${TEXT_FIELDS.filter((field) => field !== 'body').join('|')}):(.*)$`, 'is');
const OTHER = /^(?:has|after|before|larger|smaller):(.*)$/is;
/** The conditions on marks. No message is ever read or tagged, so each holds for all of them or for none. */
const MARKS: ReadonlyMap<string, boolean> = new Map([
  ['is:read', false],
  ['is:unread', true],
  ['is:tagged', false],
]);

function termOf(word: string): Term | 'all' | 'none' {
  const not = word.length > 1 && /^[-!]/.test(word);
  const bare = not ? word.slice(1) : word;
  const mark = /^tag:./i.test(bare) ? false : MARKS.get(bare.toLowerCase());
  if (mark !== undefined) return mark === not ? 'none' : 'all';
  const [, field, value = ''] = FIELD.exec(bare) ?? [];
  const name = TEXT_FIELDS.find((one) => one === field?.toLowerCase());
  if (name !== undefined) return textTerm(name, value, not);
  const [, other] = OTHER.exec(bare) ?? [];
  if (other === undefined || (/^has:/i.test(bare) && !/^has:(?:attachment|inline)s?$/i.test(bare)))
    return textTerm(null, bare, not);
  if (other.trim() === '') return 'all';
  // The value may hold a space, which only quotes keep in one word. A backslash would escape a quote.
  const [term] = parseQuery(`${bare.slice(0, bare.indexOf(':') + 1)}"${other.replaceAll('\\', '').trim()}"`);
  return term === undefined ? 'all' : { ...term, not };
}

/** Mailpit compares without these characters, on both sides. */
const IGNORED = /[<>,;()\s\ufeff]+/g;

function textTerm(field: (typeof TEXT_FIELDS)[number] | null, value: string, not: boolean): Term | 'all' {
  const text = (field === 'subject' ? value : value.replace(IGNORED, ' ')).trim();
  return text === '' ? 'all' : { kind: 'text', field, not, text };
}
