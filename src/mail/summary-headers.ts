import type { Field } from './header-block.ts';
import { decodeHeader } from './header-text.ts';
import { WordBudget } from './word-budget.ts';

/** Returns the text of a field that should occur once. If it repeats, the last non-empty one counts. */
export function lastText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    const text = field?.name === name ? decodeHeader(name, field.value, budget) : null;
    if (text !== null) return text;
  }
  return null;
}

/** Returns the text of an address list. If the field repeats, all values are joined. */
export function listText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  let list: string | null = null;
  for (const field of fields) {
    const text = field.name === name ? decodeHeader(name, field.value, budget) : null;
    if (text !== null) list = list === null ? text : `${list}, ${text}`;
  }
  return list;
}

/** The header texts of a summary. They share one budget, so that summary and detail decode the same encoded words. */
export interface SummaryTexts {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
}

/** Reads the summary texts, the shortest first, so that address lists cannot use up the budget of the subject. */
export function summaryTexts(fields: readonly Field[]): SummaryTexts {
  const budget = new WordBudget();
  const subject = lastText(fields, 'subject', budget);
  const from = lastText(fields, 'from', budget);
  return { subject, from, to: listText(fields, 'to', budget), cc: listText(fields, 'cc', budget) };
}
