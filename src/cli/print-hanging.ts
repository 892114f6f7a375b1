import { widthOf, wrapLine } from '../text/width.ts';
import { print } from './output.ts';
import type { PaintText } from './styles.ts';

/** The narrowest column for a text beside its head. If there is less room, the text is below its head. */
const LEAST = 32;
const BELOW = 4;

/**
 * Prints a text after a head that is `indent` columns wide. On a terminal the text is wrapped between words, and its
 * further lines are indented by the same width. On a narrow terminal it is below its head.
 */
export function printHanging(head: string, indent: number, text: string, paint: PaintText = (line) => line): void {
  const { isTTY, columns } = process.stdout;
  if (!isTTY) {
    print(head + paint(text));
    return;
  }
  const room = (columns || 80) - indent;
  const isBelow = room < LEAST && widthOf(text) > room;
  const margin = isBelow ? BELOW : indent;
  if (isBelow && head.trim() !== '') print(head.trimEnd());
  for (const [at, line] of wrapLine(text, Math.max(1, (columns || 80) - margin)).entries())
    print(`${at === 0 && !isBelow ? head : ' '.repeat(margin)}${paint(line)}`);
}
