import { harmlessLine } from '../../../src/text/harmless.ts';
import { cutMiddle, fill, widthOf } from '../../../src/text/width.ts';
import { type CodeState, secondsLeft } from '../model/codes.ts';
import type { Canvas } from './mail-lines.ts';
import { windowTop } from './row.ts';

/** A code with fewer seconds left may expire before a person has typed it. */
const NEARLY_OVER = 5;

/** Returns the authenticators with their codes and a bar for the remaining time of each. */
export function codeLines({ authenticators }: CodeState, { width, height, style, now }: Canvas): string[] {
  const { items, index } = authenticators;
  const top = windowTop(index, items.length, height);
  const longest = Math.max(8, ...items.map(({ name }) => widthOf(harmlessLine(name, 100))));
  const nameWidth = Math.min(longest, Math.max(8, width - 2 - 11 - 6 - 2));
  const barWidth = Math.max(0, Math.min(30, width - nameWidth - 23));
  return items.slice(top, top + height).map((item, at) => {
    const isChosen = top + at === index;
    const left = secondsLeft(item, now);
    // Names often differ in their last word.
    const name = fill(cutMiddle(harmlessLine(item.name, 100), nameWidth), nameWidth);
    const code = fill(item.code === null ? '––– –––' : grouped(item.code), 9);
    const seconds = `${String(left).padStart(3)} s`;
    const full = Math.round((barWidth * Math.min(left, item.periodSeconds)) / item.periodSeconds);
    const paint = left <= NEARLY_OVER ? style.bad : style.accent;
    const bar = paint('━'.repeat(full)) + style.dim('─'.repeat(Math.max(0, barWidth - full)));
    const mark = isChosen ? style.accent('❯') : ' ';
    const shown = isChosen ? style.accent(style.selected(` ${code}`)) : ` ${style.bold(code)}`;
    return `${mark} ${isChosen ? style.bold(name) : name} ${shown} ${bar} ${style.dim(seconds)}`;
  });
}

/** Splits a code into two groups for reading aloud, such as `481 516` or `4815 1623`. */
function grouped(code: string): string {
  const half = code.length / 2;
  return Number.isInteger(half) && half >= 3 ? `${code.slice(0, half)} ${code.slice(half)}` : code;
}
