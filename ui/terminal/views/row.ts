import { fill, fillRight, widthOf } from '../../../src/text/width.ts';
import type { Choice } from '../model/choice.ts';
import type { Paint, Style } from '../text/style.ts';

/** A cell of a row with a fixed width. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly right?: boolean;
  readonly paint?: Paint;
  /** A text at the right end of the cell. If both do not fit, `text` is cut. */
  readonly end?: string;
  readonly paintEnd?: Paint;
  /** A part of the text that is painted in its own way. */
  readonly stressed?: string;
  readonly paintStressed?: Paint;
}

/** The state of a row. `continued` is a further line of the selected one. */
export type Mark = 'no' | 'selected' | 'continued' | 'open';

const GAP = 2;
/** The width of the left margin: a dot for new messages, a pointer for the selected row, and a space. */
const MARGIN = 3;

/**
 * Returns a row of cells, `width` columns in all. The selected row is highlighted in full, and the open row has a mark.
 */
export function rowLine(cells: readonly Cell[], width: number, mark: Mark, style: Style, isNew = false): string {
  const shown = cells.filter((cell) => cell.width > 0);
  const gap = ' '.repeat(GAP);
  const dot = isNew ? '•' : ' ';
  if (mark === 'selected' || mark === 'continued') {
    const plain = shown.map((cell) => cellOf(cell, false)).join(gap);
    return style.accent(style.selected(fill(`${dot}${mark === 'selected' ? '❯' : ' '} ${plain}`, width)));
  }
  const pointer = mark === 'open' ? style.accent('❯') : ' ';
  return `${style.accent(dot)}${pointer} ${shown.map((cell) => cellOf(cell, true)).join(gap)}`;
}

function cellOf(cell: Cell, painted: boolean): string {
  const { text, width, right, end = '' } = cell;
  const strong = (shown: string) => (painted ? paintedText(shown, cell) : shown);
  const strongEnd = painted ? (cell.paintEnd ?? same) : same;
  if (right) return strong(fillRight(text, width));
  if (end === '') return strong(fill(text, width));
  return `${strong(fill(text, Math.max(0, width - widthOf(end) - 1)))} ${strongEnd(end)}`;
}

/** Paints the text of a cell, and the stressed part of it in its own way. */
function paintedText(shown: string, { paint = same, stressed = '', paintStressed = same }: Cell): string {
  const at = stressed === '' ? -1 : shown.lastIndexOf(stressed);
  if (at < 0) return paint(shown);
  const [before, after] = [shown.slice(0, at), shown.slice(at + stressed.length)];
  return [paint(before), paintStressed(stressed), paint(after)].join('');
}

/** Returns the columns that the other cells leave free. */
export function roomLeft(width: number, others: readonly number[]): number {
  const taken = others.filter((wide) => wide > 0).reduce((sum, wide) => sum + wide + GAP, MARGIN);
  return Math.max(0, width - taken - 1);
}

const same: Paint = (text) => text;

/** Returns the items that `height` rows show, with their indices. The chosen one is among them, in the middle if it can. */
export function inWindow<Item>({ items, index }: Choice<Item>, height: number) {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), items.length - height));
  return items.slice(top, top + height).map((item, at) => ({ item, at: top + at, isChosen: top + at === index }));
}
