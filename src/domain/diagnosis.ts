import { type FilterName, filterTexts, type Message, type MessageFilter, refusingFilters } from './message.ts';

/** A filter that refused a message, and the texts it looked at, cut. */
export interface RefusedBy {
  readonly filter: FilterName;
  readonly wanted: string;
  readonly saw: readonly string[];
  /** How many more texts it looked at. */
  readonly sawLeftOut: number;
}

const MAX_TEXTS = 10;
const MAX_TEXT = 200;

/** Which of the filters refused the message; none where it matches. */
export function refusedBy(message: Message, filter: MessageFilter): RefusedBy[] {
  const texts = filterTexts(message);
  return refusingFilters(message, filter).map((name) => {
    const seen = [...new Set(texts[name])].filter((text) => text !== '');
    const saw = seen.slice(0, MAX_TEXTS).map(cutText);
    return { filter: name, wanted: filter[name], saw, sawLeftOut: seen.length - saw.length };
  });
}

export function cutText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
