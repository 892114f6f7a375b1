import { harmlessLine } from '../../../src/text/harmless.ts';
import { wrapLine } from '../../../src/text/width.ts';
import type { Style } from '../text/style.ts';

/** The width, the style and the time that a text is laid out with. */
export interface ColumnLayout {
  readonly width: number;
  readonly style: Style;
  /** The server's time in milliseconds since 1970. */
  readonly now: number;
}

/** The widest column of text. Longer lines are hard to read. */
const TEXT_WIDTH = 100;

/** Lays out a text in a column and indents it by one. */
export function columnLines(
  { width, ...column }: ColumnLayout,
  layOut: (room: ColumnLayout) => readonly string[],
): string[] {
  const room = Math.max(10, Math.min(TEXT_WIDTH, width - 2));
  return layOut({ width: room, ...column }).map((line) => (line === '' ? '' : ` ${line}`));
}

/** Returns header fields with highlighted names. Continued lines are indented by two. */
export function fieldLines(
  fields: readonly (readonly [name: string, value: string])[],
  { width, style }: Pick<ColumnLayout, 'width' | 'style'>,
): string[] {
  return fields.flatMap(([name, value]) =>
    wrapLine(`${harmlessLine(name, 100)}: ${harmlessLine(value, 4_000)}`, width - 2).map((line, at) => {
      if (at > 0) return `  ${line}`;
      const end = line.indexOf(':') + 1;
      return style.accent(line.slice(0, end)) + line.slice(end);
    }),
  );
}
