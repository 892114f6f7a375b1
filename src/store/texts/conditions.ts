import { FIELDS_OF } from '../../domain/search/document.ts';
import { isDocumentTerm, partOf } from '../../domain/search/match-query.ts';
import type { SearchQuery, Term } from '../../domain/search/query.ts';
import { DOCUMENT_FLAG, FIELD_BIT } from './block-format.ts';

/** A condition that texts decide, in the form in which blocks are searched. */
export type TextCondition = { readonly not: boolean } & (
  | {
      readonly kind: 'text';
      /** The fields that are searched, as a set of bits. */
      readonly fields: number;
      /** The folded text, split at its spaces. */
      readonly parts: readonly string[];
    }
  /** A header field of this folded name whose value contains the parts. */
  | { readonly kind: 'header'; readonly name: string; readonly parts: readonly string[] }
  /** A flag of the document. */
  | { readonly kind: 'flag'; readonly flag: number }
);

/** Returns the conditions of a query that texts decide, those first that are found fast. */
export function conditionsOf(query: SearchQuery): TextCondition[] {
  return query.flatMap(conditionOf).sort((one, other) => costOf(one) - costOf(other));
}

function conditionOf(term: Term): TextCondition[] {
  const { not } = term;
  // The row decides all others.
  if (!isDocumentTerm(term)) return [];
  switch (term.kind) {
    case 'text': {
      const fields = FIELDS_OF[term.field ?? 'any'].reduce((set, field) => set | FIELD_BIT[field], 0);
      return [{ kind: 'text', not, fields, parts: partsOf(term.text) }];
    }
    case 'header':
      return [{ kind: 'header', not, name: partOf(term.name), parts: partsOf(term.text) }];
    case 'html':
      return [{ kind: 'flag', not, flag: DOCUMENT_FLAG.html }];
    case 'has': {
      const { what } = term;
      return what === 'attachment' ? [] : [{ kind: 'flag', not, flag: DOCUMENT_FLAG[what] }];
    }
  }
}

function partsOf(text: string): string[] {
  return partOf(text).split(' ');
}

function costOf(condition: TextCondition): number {
  return condition.kind === 'flag' ? 0 : condition.kind === 'text' && condition.parts.length === 1 ? 1 : 2;
}
