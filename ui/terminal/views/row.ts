import type { Paint, Style } from '../text/style.ts';
import { fill, fillRight } from '../text/width.ts';

/** A cell of a row, as wide as it is told. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly right?: boolean;
  readonly paint?: Paint;
}

export type Mark = 'no' | 'selected' | 'open';

const GAP = 2;

/** A line of cells, `width` columns in all; what is selected stands out whole, what is open by its mark. */
export function rowLine(cells: readonly Cell[], width: number, mark: Mark, style: Style): string {
  const shown = cells.filter((cell) => cell.width > 0);
  const fitted = shown.map(({ text, width: wide, right }) => (right ? fillRight(text, wide) : fill(text, wide)));
  const gap = ' '.repeat(GAP);
  if (mark === 'selected') return style.accent(style.selected(fill(`❯ ${fitted.join(gap)}`, width)));
  if (mark === 'open') return `${style.accent('❯')} ${style.bold(fill(fitted.join(gap), width - 2))}`;
  const painted = fitted.map((text, at) => (shown[at]?.paint ?? same)(text));
  return `  ${painted.join(gap)}`;
}

/** What the other cells leave of a row's width. */
export function roomLeft(width: number, others: readonly number[]): number {
  const taken = others.filter((wide) => wide > 0).reduce((sum, wide) => sum + wide + GAP, 2);
  return Math.max(0, width - taken - 1);
}

const same: Paint = (text) => text;

/** The first item to be shown so that the chosen one is on the screen. */
export function windowTop(index: number, count: number, height: number): number {
  return Math.max(0, Math.min(index - Math.floor(height / 2), count - height));
}
