import { harmlessLine } from '../text/harmless.ts';
import { cut, cutAtWord, fill, fillRight, markDoubtful, widthOf, wrapLine } from '../text/width.ts';
import type { Arguments } from './command.ts';
import { outputStyles, type PaintText, print, printJson, printText, say } from './output.ts';

export interface TableColumn<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null;
  /** `true` if the column shrinks when the terminal is too narrow. */
  readonly flexible?: boolean;
  /** The width down to which the other columns shrink first; 6 if it is not given. */
  readonly least?: number;
  readonly align?: 'right';
  /** The least width of the terminal at which the column is shown, in columns. */
  readonly from?: number;
  /** The shorter form of a cell, for a table that is wider than the terminal. */
  readonly narrow?: (row: Row) => string;
  /** Shortens a cell that is wider than its column. Without it, a cell ends at the end of a word, with an ellipsis. */
  readonly shorten?: (text: string, width: number) => string;
}

const GAP = '  ';
/** The least width of a column that shrinks. Its title is never cut. */
const LEAST = 6;

/**
 * Formats a table for people, with no line wider than `width` columns. Control characters in cells are made harmless.
 * The part of a row that `stressed` returns is bold in its line.
 */
export function tableOf<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  width: number,
  stressed: (row: Row) => string | null = () => null,
): string {
  const titles = columns.map(({ title }) => title);
  const naturalOf = (lines: readonly (readonly string[])[]) =>
    columns.map((_, at) => Math.max(...[titles, ...lines].map((line) => widthOf(line[at] ?? ''))));
  const whole = cellsOf(rows, columns);
  const narrow = columns.map((column) => ({ ...column, of: column.narrow ?? column.of }));
  const cells = excess(naturalOf(whole), width) <= 0 ? whole : cellsOf(rows, narrow);
  const widths = fitted(naturalOf(cells), columns, width);
  const { bold, dim } = outputStyles();
  const stress = (text: string, row: Row | undefined) => {
    const part = row === undefined ? '' : harmlessLine(stressed(row) ?? '');
    const at = part === '' ? -1 : text.lastIndexOf(part);
    return at < 0 ? text : `${text.slice(0, at)}${bold(part)}${text.slice(at + part.length)}`;
  };
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => {
        const room = widths[at] ?? 0;
        const shown = widthOf(text) <= room ? text : (columns[at]?.shorten ?? cutAtWord)(text, room);
        return (columns[at]?.align === 'right' ? fillRight : fill)(shown, room);
      })
      .join(GAP)
      .trimEnd();
  return [dim(cut(line(titles), width)), ...cells.map((texts, at) => stress(placed(cut(line(texts), width)), rows[at]))]
    .map((text) => `${text}\n`)
    .join('');
}

/** Formats a table for programs: a line of titles, cells separated by tabs, complete and without padding. */
export function tabbedOf<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string {
  return [columns.map(({ title }) => title), ...cellsOf(rows, columns)].map((line) => `${line.join('\t')}\n`).join('');
}

function cellsOf<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string[][] {
  return rows.map((row) => columns.map(({ of }) => harmlessLine(`${of(row) ?? ''}`)));
}

/** Places the cursor explicitly after each emoji, because terminals disagree on the width of an emoji. */
function placed(line: string): string {
  const moves = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  return moves ? markDoubtful(line, (column) => `\u001b[${column + 1}G`) : line;
}

/** Prints a table that fits the terminal; in the format for programs if standard output is no terminal. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  stressed?: (row: Row) => string | null,
): void {
  const { isTTY, columns: width } = process.stdout;
  const room = width || 80;
  const shown = columns.filter(({ from = 0 }) => room >= from);
  printText(isTTY ? tableOf(rows, shown, room, stressed) : tabbedOf(rows, columns));
}

/**
 * Prints a list as JSON or as a table, as the command line asks; prints `none` for an empty list. Returns the exit
 * code.
 */
export function printList<Row>(
  args: Arguments,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  none: string,
): number {
  if (args.isOn('json')) printJson(rows);
  else if (rows.length > 0) printTable(rows, columns);
  if (rows.length === 0) say(none);
  return 0;
}

/** Returns by how many columns a line is too wide. */
function excess(widths: readonly number[], width: number): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1) - width;
}

function fitted<Row>(natural: readonly number[], columns: readonly TableColumn<Row>[], width: number): number[] {
  const widths = [...natural];
  shrink(widths, columns, width, ({ least = LEAST }) => least);
  shrink(widths, columns, width, () => LEAST);
  return widths;
}

/** Shrinks the widest column again and again until the line fits or all have their least width. */
function shrink<Row>(
  widths: number[],
  columns: readonly TableColumn<Row>[],
  width: number,
  leastOf: (column: TableColumn<Row>) => number,
): void {
  while (excess(widths, width) > 0) {
    const widest = widths.reduce<number | null>((best, one, at) => {
      const column = columns[at];
      if (!column?.flexible || one <= Math.max(leastOf(column), widthOf(column.title))) return best;
      return best === null || one > (widths[best] ?? 0) ? at : best;
    }, null);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** The length of a shortened id. It usually tells ids of one millisecond apart. */
const SHORT_ID = 14;
const SHORTEST = 10;

/** Shortens ids as far as they stay distinct. Every command takes the beginning of an id. */
function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  let length = SHORTEST;
  while (length < SHORT_ID && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 1;
  const beginnings = ids.map((id) => id.slice(0, length));
  const isAlone = new Set(beginnings).size === ids.length;
  return new Map(ids.map((id, at) => [id, isAlone ? (beginnings[at] ?? id) : id]));
}

/** Returns the column of ids. They are whole where there is room, and for programs. */
export function idColumn<Row extends { readonly id: string }>(rows: readonly Row[]): TableColumn<Row> {
  const short = shortIds(rows.map(({ id }) => id));
  return { title: 'ID', of: ({ id }) => id, narrow: ({ id }) => short.get(id) ?? id };
}

/**
 * Returns the column of ids, which are short for a person. A person also gets the column of positions, unless `isWhole`
 * is false.
 */
export function numberedColumns<Row extends { readonly id: string; readonly number: number }>(
  rows: readonly Row[],
  isWhole = true,
): TableColumn<Row>[] {
  if (!process.stdout.isTTY) return [{ title: 'ID', of: ({ id }) => id }];
  const short = shortIds(rows.map(({ id }) => id));
  const ids: TableColumn<Row> = { title: 'ID', of: ({ id }) => short.get(id) ?? id };
  return isWhole ? [{ title: '#', of: ({ number }) => number, align: 'right' }, ids] : [ids];
}

/** The narrowest column for a text beside its head. If there is less room, the text is below its head. */
const LEAST_BESIDE = 32;
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
  const isBelow = room < LEAST_BESIDE && widthOf(text) > room;
  const margin = isBelow ? BELOW : indent;
  if (isBelow && head.trim() !== '') print(head.trimEnd());
  for (const [at, line] of wrapLine(text, Math.max(1, (columns || 80) - margin)).entries())
    print(`${at === 0 && !isBelow ? head : ' '.repeat(margin)}${paint(line)}`);
}

/** A name, and the value that stands beside it. */
export type PrintedFact = readonly [name: string, value: string, paint?: PaintText];

/** Prints facts for a person, each with its name before it in a column of `width`. */
export function printFacts(facts: readonly PrintedFact[], width = 12): void {
  const { dim } = outputStyles();
  for (const [name, value, paint] of facts) printHanging(`  ${dim(name.padEnd(width))} `, width + 3, value, paint);
}
