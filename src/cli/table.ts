import { harmlessLine } from '../../ui/model/harmless.ts';
import { cut, fill, fillRight, widthOf } from '../../ui/terminal/text/width.ts';
import type { Arguments } from './arguments.ts';
import { printJson } from './output.ts';
import { outputStyles } from './styles.ts';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
  /** It gives way where the terminal is too narrow. */
  readonly flexible?: boolean;
  readonly align?: 'right';
}

const GAP = '  ';
/** What a column that gives way keeps at least. */
const LEAST = 8;

/** A table for people, cut to `width` columns; not cut where that is null. What is in a cell is made harmless. */
export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number | null): string {
  const cells = rows.map((row) => columns.map(({ of }) => harmlessLine(`${of(row) ?? ''}`)));
  const titles = columns.map(({ title }) => title);
  const natural = columns.map((_, at) => Math.max(...[titles, ...cells].map((line) => widthOf(line[at] ?? ''))));
  const widths = width === null ? natural : fitted(natural, columns, width);
  const { dim } = outputStyles();
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => (columns[at]?.align === 'right' ? fillRight : fill)(text, widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  return [
    dim(cut(line(titles), width ?? Number.POSITIVE_INFINITY)),
    ...cells.map((texts) => cut(line(texts), width ?? Number.POSITIVE_INFINITY)),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

/** Prints a table as wide as the terminal; whole where standard output is none. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  process.stdout.write(tableOf(rows, columns, process.stdout.isTTY ? (process.stdout.columns ?? 80) : null));
}

/** Prints a list as the command line asks for it, as JSON or as a table; the exit code. */
export function printList<Row>(args: Arguments, rows: readonly Row[], columns: readonly Column<Row>[]): number {
  if (args.isOn('json')) printJson(rows);
  else printTable(rows, columns);
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
