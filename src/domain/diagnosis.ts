import { shorten } from '../text/shorten.ts';
import { type FilterName, filterTexts, type Message, type MessageFilter, refusingFilters } from './message.ts';

/** A filter that rejected a message, with the texts it compared, cut to a limit. */
export interface RefusedBy {
  readonly filter: FilterName;
  readonly wanted: string;
  readonly saw: readonly string[];
  /** The number of further texts. */
  readonly sawLeftOut: number;
}

const MAX_TEXTS = 10;
const MAX_TEXT = 200;

/** Lists the filters that rejected the message. It is empty if the message matches. */
export function refusedBy(message: Message, filter: MessageFilter): RefusedBy[] {
  const texts = filterTexts(message);
  return refusingFilters(message, filter).map((name) => {
    const seen = [...new Set(texts[name])].filter((text) => text !== '');
    const saw = seen.slice(0, MAX_TEXTS).map(cutText);
    return { filter: name, wanted: filter[name], saw, sawLeftOut: seen.length - saw.length };
  });
}

export function cutText(text: string): string {
  return shorten(text, MAX_TEXT);
}
