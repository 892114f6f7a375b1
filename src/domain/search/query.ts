import { writeTime } from '../time.ts';
import { unreachable } from '../unreachable.ts';
import type { Having, TextField } from './words.ts';

/** One condition of a search. `not` turns it round. */
export type Term = { readonly not: boolean } & (
  | {
      readonly kind: 'text';
      /** Null for a bare word: subject, sender, recipients, bodies, names of files. */
      readonly field: TextField | null;
      /** Never empty; spaces are single and stand inside alone. Case means nothing. */
      readonly text: string;
    }
  | { readonly kind: 'has'; readonly what: Having }
  | { readonly kind: 'html' }
  /** Received at or after `after`; before `before`. Milliseconds. */
  | { readonly kind: 'after' | 'before'; readonly time: number }
  /** More or fewer bytes than these. */
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }
);

/** The conditions of a search, all of which must hold; none finds everything. */
export type Query = readonly Term[];

/** The text that parses to the query. */
export function writeQuery(query: Query): string {
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

/** A text as one word that means itself, whatever it holds. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
