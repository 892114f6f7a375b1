import { type DocumentField, FIELDS_OF } from '../../domain/search/document.ts';
import { headerStart, partOf } from '../../domain/search/match-query.ts';
import type { SearchQuery, Term } from '../../domain/search/query.ts';
import type { StatementValue } from './connection.ts';

/** The column that has the texts of a field, one on each line. It is null if there are none. */
export function columnOf(field: DocumentField): string {
  return `${field.replaceAll('-', '_')}_texts`;
}

/** The fields that have a column in the index by themselves. The column `head_texts` has all the others together. */
const LARGE: ReadonlySet<DocumentField> = new Set<DocumentField>(['body', 'header']);

/** The maximum number of conditions that the index looks up. The others are checked on what it finds. */
const MOST_LOOKED_UP = 4;

/** The conditions of a query that the texts of a mail decide, as SQL on the table `message_texts`. */
export interface TextConditions {
  /** The condition on a row. It holds exactly if `QueryMatcher.matchesDocument` says so of the same texts. */
  readonly exact: string;
  /**
   * A condition that every row that meets `exact` meets too, and that indexes answer. Null if the query has none, as for
   * words that are too short.
   */
  readonly lookup: string | null;
  /** The values of the parameters of `exact`, and then of those that only `lookup` has. */
  readonly values: readonly StatementValue[];
  readonly lookupValues: readonly StatementValue[];
}

/**
 * Writes the conditions of a query. Their first parameter is `$first`. `letters` matches a text that the index can find.
 * Without an index it is null.
 */
export function writeConditions(query: SearchQuery, first: number, letters: RegExp | null): TextConditions {
  const values: StatementValue[] = [];
  const parameter = (value: string) => `$${first + values.push(value) - 1}::text`;
  const exact = query.flatMap((term) => {
    const condition = conditionOf(term, parameter);
    if (condition === null) return [];
    return [term.not ? `(${condition}) is not true` : `(${condition})`];
  });
  const own = values.length;
  const lookups = query.flatMap((term) => lookupOf(term, letters)).sort((one, other) => longest(other) - longest(one));
  const lookup = lookups.slice(0, MOST_LOOKED_UP).map(({ columns, part }) => {
    if (part === null) return columns.join(' or ');
    const pattern = parameter(`%${part.replace(/[\\%_]/g, '\\$&')}%`);
    return `(${columns.map((column) => `${column} like ${pattern}`).join(' or ')})`;
  });
  return {
    exact: exact.length === 0 ? 'true' : exact.join(' and '),
    lookup: lookup.length === 0 ? null : lookup.join(' and '),
    values: values.slice(0, own),
    lookupValues: values.slice(own),
  };
}

/** Returns the column that has the answer to a term, if there is one. */
function factOf(term: Term): string | null {
  if (term.kind === 'html') return 'has_html';
  return term.kind === 'has' && term.what !== 'attachment' ? `has_${term.what}` : null;
}

/** Returns the condition without its negation. Null if the row of the message decides it. */
function conditionOf(term: Term, parameter: (value: string) => string): string | null {
  switch (term.kind) {
    case 'text':
      return textCondition(FIELDS_OF[term.field ?? 'any'], parameter(partOf(term.text)));
    case 'header': {
      const part = partOf(term.text);
      const line = `(?n)^${literally(headerStart(term.name))}.*${literally(part)}`;
      // The search for a text takes a tenth of the time of the pattern.
      const contains = part === '' ? '' : `strpos(header_texts, ${parameter(part)}) > 0 and `;
      return `${contains}header_texts ~ ${parameter(line)}`;
    }
    default:
      return factOf(term);
  }
}

function textCondition(fields: readonly DocumentField[], part: string): string {
  const contains = (column: string) => `strpos(${column}, ${part}) > 0`;
  const large = fields.filter((field) => LARGE.has(field)).map((field) => contains(columnOf(field)));
  const small = fields.filter((field) => !LARGE.has(field)).map((field) => contains(columnOf(field)));
  // Most rows that lack the text need only one look for all small fields.
  const inHead = small.length > 1 ? [`(${contains('head_texts')} and (${small.join(' or ')}))`] : small;
  return [...inHead, ...large].join(' or ');
}

/** A text that one of the columns has to contain. Null if the columns are facts, which have indexes of their own. */
interface Lookup {
  readonly columns: readonly string[];
  readonly part: string | null;
}

function lookupOf(term: Term, letters: RegExp | null): Lookup[] {
  const fact = factOf(term);
  if (fact !== null && !term.not) return [{ columns: [fact], part: null }];
  if (letters === null || term.not || (term.kind !== 'text' && term.kind !== 'header')) return [];
  const part = partOf(term.text);
  if (!letters.test(part)) return [];
  const fields: readonly DocumentField[] = term.kind === 'header' ? ['header'] : FIELDS_OF[term.field ?? 'any'];
  return [{ columns: [...new Set(fields.map((field) => (LARGE.has(field) ? columnOf(field) : 'head_texts')))], part }];
}

function longest({ part }: Lookup): number {
  return part?.length ?? 0;
}

/** Escapes a text for a regular expression of PostgreSQL. Only signs of ASCII have a meaning there. */
function literally(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
