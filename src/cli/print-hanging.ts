import { wrapLine } from '../text/width.ts';
import { print } from './output.ts';
import type { Paint } from './styles.ts';

/** The narrowest column that a text is wrapped to. */
const LEAST = 20;

/**
 * Prints a text after a head that is `indent` columns wide. On a terminal the text is wrapped at the ends of words, and
 * its further lines are indented as far.
 */
export function printHanging(head: string, indent: number, text: string, paint: Paint = (line) => line): void {
  const { isTTY, columns } = process.stdout;
  const lines = isTTY ? wrapLine(text, Math.max(LEAST, (columns || 80) - indent)) : [text];
  for (const [at, line] of lines.entries()) print(`${at === 0 ? head : ' '.repeat(indent)}${paint(line)}`);
}
