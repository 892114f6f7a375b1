import { harmlessText } from '../../src/text/harmless.ts';
import type { RichText } from './resources.ts';

/** Makes a styled text safe. Each style and each link moves along with its words. */
export function harmlessRich({ text, spans, links }: RichText): RichText {
  let shown = '';
  let at = 0;
  const kept = spans.map(({ start, end, look }) => {
    shown += harmlessText(text.slice(at, start));
    const from = shown.length;
    shown += harmlessText(text.slice(start, end));
    at = end;
    return { start: from, end: shown.length, look };
  });
  return { text: shown + harmlessText(text.slice(at)), spans: kept, links };
}
