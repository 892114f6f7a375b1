import { findPage } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { cleanTag } from '../../domain/marks.ts';
import type { Message } from '../../domain/message.ts';
import { MOST_CHARACTERS, MOST_WORDS, parseQuery, type SearchQuery, type Term } from '../../domain/search/query.ts';
import { MARK_WORDS, TEXT_FIELDS } from '../../text/search-words.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { readTexts } from '../route.ts';
import { findSeededMessage, seededWorkspaceId } from './shared.ts';

/**
 * Finds a message by its id, or by `latest`: the newest, or the newest that the search in `query` finds. `otherwise` is
 * what the client is told if there is none with this id.
 */
export async function namedOrLatest(
  ctx: Context,
  exchange: Exchange,
  id: string,
  otherwise?: string,
): Promise<Message> {
  if (id !== 'latest') return findSeededMessage(ctx, id, otherwise);
  const scope = { workspaceId: await seededWorkspaceId(ctx) };
  const query = readSearch(readTexts(['query'], exchange.query)['query'] ?? '');
  const { items } = await findPage(ctx, { scope, query, limit: 1, cancelSignal: exchange });
  checkTimePassed(exchange);
  const [message] = items;
  if (message === undefined) throw refuse('not_found', { message: 'Message not found' });
  return message;
}

/** Finds the message that the path names. */
export function messageAsked(ctx: Context, exchange: Exchange): Promise<Message> {
  return namedOrLatest(ctx, exchange, exchange.params['id'] ?? '');
}

// Mailpit has the same search words as mailcap, but parses them less strictly. A quote may be anywhere and stay open. A
// word with nothing after its colon is no condition. A word with an unknown name before its colon is text.

/** Reads a search. Throws `invalid_query`. */
export function readSearch(search: string): SearchQuery {
  if (search.length > MOST_CHARACTERS) throw tooLong(`The query is longer than ${MOST_CHARACTERS} characters.`);
  const words = wordsOf(search);
  if (words.length > MOST_WORDS) throw tooLong(`The query has more than ${MOST_WORDS} words.`);
  const terms: Term[] = [];
  for (const word of words) {
    const term = termOf(word);
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
function termOf(word: string): Term | 'all' {
  const not = word.length > 1 && /^[-!]/.test(word);
  const bare = not ? word.slice(1) : word;
  const [, state] = /^is:(read|unread|tagged)$/i.exec(bare) ?? [];
  const mark = MARK_WORDS.find((one) => one === state?.toLowerCase());
  if (mark !== undefined) return { kind: 'mark', what: mark, not };
  if (/^tag:/i.test(bare)) return tagTerm(bare.slice('tag:'.length), not);
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

function tagTerm(value: string, not: boolean): Term | 'all' {
  if (value.trim() === '') return 'all';
  // No message has a tag of any other text.
  return { kind: 'tag', name: cleanTag(value) ?? value, not };
}

/** Mailpit compares without these characters, on both sides. */
const IGNORED = /[<>,;()\s\ufeff]+/g;

function textTerm(field: (typeof TEXT_FIELDS)[number] | null, value: string, not: boolean): Term | 'all' {
  const text = (field === 'subject' ? value : value.replace(IGNORED, ' ')).trim();
  return text === '' ? 'all' : { kind: 'text', field, not, text };
}
