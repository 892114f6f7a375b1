import type { Having, TextField } from '../../text/search-words.ts';
import { writeTime } from '../time.ts';
import { unreachable } from '../unreachable.ts';

/** One condition of a search. `not` negates it. */
export type Term = { readonly not: boolean } & (
  | {
      readonly kind: 'text';
      /** The field to search. Null searches subject, sender, recipients, bodies and file names. */
      readonly field: TextField | null;
      /** The text to find, which is never empty. It has single spaces between words only, and its case is ignored. */
      readonly text: string;
    }
  | { readonly kind: 'has'; readonly what: Having }
  | { readonly kind: 'html' }
  /** Received at or after the time (`after`), or before it (`before`). Milliseconds since 1970. */
  | { readonly kind: 'after' | 'before'; readonly time: number }
  /** Larger or smaller than this number of bytes. */
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
);

/** The conditions of a search. All must hold; an empty list matches everything. */
export type SearchQuery = readonly Term[];

/** Writes a query as a text that parses to the same query. */
export function writeQuery(query: SearchQuery): string {
  return query.map((term) => (term.not ? `!${writeTerm(term)}` : writeTerm(term))).join(' ');
}

function writeTerm(term: Term): string {
  switch (term.kind) {
    case 'text':
      return term.field === null ? quoted(term.text) : `${term.field}:${quoted(term.text)}`;
    case 'has':
      return `has:${term.what}`;
    case 'html':
      return 'is:html';
    case 'after':
    case 'before':
      return `${term.kind}:${writeTime(term.time)}`;
    case 'larger':
    case 'smaller':
      return `${term.kind}:${term.bytes}`;
    default:
      return unreachable(term);
  }
}

/** Quotes a text so that the parser takes it literally as one word. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
