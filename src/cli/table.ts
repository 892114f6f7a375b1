import { harmlessLine } from '../../ui/model/harmless.ts';
import { cut, fill, fillRight, markDoubtful, widthOf } from '../text/width.ts';
import type { Arguments } from './arguments.ts';
import { printJson, say } from './output.ts';
import { outputStyles } from './styles.ts';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
  /** `true` if the column shrinks when the terminal is too narrow. */
  readonly flexible?: boolean;
  readonly align?: 'right';
  /** The least width of the terminal at which the column is shown, in columns. */
  readonly from?: number;
}

const GAP = '  ';
/** The least width of a column that shrinks. */
const LEAST = 6;

/**
 * Formats a table for people, with no line wider than `width` columns. Control characters in cells are made harmless.
 */
export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const cells = cellsOf(rows, columns);
  const titles = columns.map(({ title }) => title);
  const natural = columns.map((_, at) => Math.max(...[titles, ...cells].map((line) => widthOf(line[at] ?? ''))));
  const widths = fitted(natural, columns, width);
  const { dim } = outputStyles();
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => (columns[at]?.align === 'right' ? fillRight : fill)(text, widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  return [dim(cut(line(titles), width)), ...cells.map((texts) => placed(cut(line(texts), width)))]
    .map((text) => `${text}\n`)
    .join('');
}

/** Formats a table for programs: a line of titles, cells separated by tabs, complete and without padding. */
export function tabbedOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return [columns.map(({ title }) => title), ...cellsOf(rows, columns)].map((line) => `${line.join('\t')}\n`).join('');
}

function cellsOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[][] {
  return rows.map((row) => columns.map(({ of }) => harmlessLine(`${of(row) ?? ''}`)));
}

/** Places the cursor explicitly after each emoji, because terminals disagree on the width of an emoji. */
function placed(line: string): string {
  const moves = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  return moves ? markDoubtful(line, (column) => `\u001b[${column + 1}G`) : line;
}

/** Prints a table that fits the terminal; in the format for programs if standard output is no terminal. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const { isTTY, columns: width } = process.stdout;
  if (!isTTY) return void process.stdout.write(tabbedOf(rows, columns));
  const room = width || 80;
  process.stdout.write(
    tableOf(
      rows,
      columns.filter(({ from = 0 }) => room >= from),
      room,
    ),
  );
}

/**
 * Prints a list as JSON or as a table, as the command line asks; prints `none` for an empty list. Returns the exit
 * code.
 */
export function printList<Row>(
  args: Arguments,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  none: string,
): number {
  if (args.isOn('json')) printJson(rows);
  else if (rows.length > 0) printTable(rows, columns);
  if (rows.length === 0) say(none);
  return 0;
}

function fitted<Row>(natural: readonly number[], columns: readonly Column<Row>[], width: number): number[] {
  const widths = [...natural];
  const excess = () => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1) - width;
  for (let over = excess(); over > 0; over = excess()) {
    const widest = widths.reduce<number | null>((best, one, at) => {
      if (!columns[at]?.flexible || one <= LEAST) return best;
      return best === null || one > (widths[best] ?? 0) ? at : best;
    }, null);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
