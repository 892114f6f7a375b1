import { shorten } from '../text/shorten.ts';
import { type FilterName, filterTexts, type Message, type MessageFilter, refusingFilters } from './message.ts';

/** The conditions of a wait, one for each parameter of the await (docs/awaiting-mail.md). */
export const CONDITIONS = ['subject', 'from', 'to', 'body', 'header', 'code', 'link', 'query'] as const;
export type ConditionName = (typeof CONDITIONS)[number];

/** A condition that rejected a message, with the texts it compared, cut to a limit. */
export interface RefusedBy {
  readonly filter: ConditionName;
  readonly wanted: string;
  readonly saw: readonly string[];
  /** The number of further texts. */
  readonly sawLeftOut: number;
}

const MAX_TEXTS = 10;
const MAX_TEXT = 200;

/** Lists the filters of the summary that rejected the message. It is empty if none did. */
export function refusedBy(message: Message, filter: MessageFilter): RefusedBy[] {
  const texts = filterTexts(message);
  return refusingFilters(message, filter).map((name: FilterName) => refusedCondition(name, filter[name], texts[name]));
}

/** Creates the refusal of a condition that saw these texts. */
export function refusedCondition(filter: ConditionName, wanted: string, texts: readonly (string | null)[]): RefusedBy {
  const seen = [...new Set(texts)].filter((text): text is string => text !== null && text !== '');
  const saw = seen.slice(0, MAX_TEXTS).map(cutText);
  return { filter, wanted, saw, sawLeftOut: seen.length - saw.length };
}

export function cutText(text: string): string {
  return shorten(text, MAX_TEXT);
}
