import type { Field } from './header-block.ts';
import { headerText } from './header-text.ts';
import { WordBudget } from './word-budget.ts';

/** The one text of a header that should stand once: where it repeats, the last that says something. */
export function lastText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    const text = field?.name === name ? headerText(name, field.value, budget) : null;
    if (text !== null) return text;
  }
  return null;
}

/** The text of an address list: where the header repeats, all of them. */
export function listText(fields: readonly Field[], name: string, budget?: WordBudget): string | null {
  let list: string | null = null;
  for (const field of fields) {
    const text = field.name === name ? headerText(name, field.value, budget) : null;
    if (text !== null) list = list === null ? text : `${list}, ${text}`;
  }
  return list;
}

/** What a summary shows of a header. Read together, so that summary and detail spend the same on the same words. */
export interface SummaryTexts {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
}

/** The shortest first: no list of addresses takes the Subject's share of the budget. */
export function summaryTexts(fields: readonly Field[]): SummaryTexts {
  const budget = new WordBudget();
  const subject = lastText(fields, 'subject', budget);
  const from = lastText(fields, 'from', budget);
  return { subject, from, to: listText(fields, 'to', budget), cc: listText(fields, 'cc', budget) };
}
