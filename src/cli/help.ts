import { flagOf } from '../config/options.ts';
import { wrapLine } from '../text/width.ts';
import {
  CLIENT_OPTIONS,
  type CliOption,
  COMMON_OPTIONS,
  type Command,
  type Commands,
  type Operand,
  type OptionTable,
} from './command.ts';

// Each page fits a terminal of 80 columns and 24 rows, except the page of `dev`, which has more rows. On a narrower
// terminal lines are wrapped, never cut.

const COLUMN = 27;
/** The column of the names of commands, on the help page of the program. */
const FIRST = 16;
const WIDTH = 80;
/** The width of the terminal, in columns, below which a description is on the line below its option. */
const NARROW = 60;

/** Returns the help page of the program: the commands of each group. */
export function topHelp(groups: Readonly<Record<string, Commands>>): string {
  return lines([
    'Usage: mailcap <command> [options]; mailcap <command> --help; mailcap --version',
    // The commands of the server follow the usage at once, so that the page fits a terminal.
    ...Object.entries(groups).flatMap(([group, commands], at) => [
      ...(at === 0 ? [] : [`${group}:`]),
      ...families(commands),
    ]),
  ]);
}

/** Lists the commands of a group. Commands with the same first word share a line, and so do commands with `besides`. */
function families(commands: Commands): string[] {
  const byFirst = new Map<string, { besides: string[]; rest: string[]; summary: string }>();
  for (const [name, command] of Object.entries(commands)) {
    const [first = name, second] = name.split(' ');
    const family = byFirst.get(command.besides ?? first) ?? { besides: [], rest: [], summary: command.summary };
    byFirst.set(command.besides ?? first, family);
    if (command.besides !== undefined && !family.besides.includes(first)) family.besides.push(first);
    if (second !== undefined) family.rest.push(second);
  }
  return [...byFirst].flatMap(([first, { besides, rest, summary }]) => {
    const name = rest.length === 1 ? `${first} ${rest[0]}` : [first, ...besides].join('|');
    return rest.length < 2 ? twoColumns(name, summary, FIRST) : inColumns(name, wrapNames(rest), FIRST);
  });
}

/** Joins names with bars. No line breaks within a name. */
function wrapNames(names: readonly string[]): string[] {
  const [first = '', ...others] = names;
  const lines = [first];
  for (const name of others) {
    const line = `${lines.at(-1)}|${name}`;
    // The bar that leads on stands at the end of a line.
    if (line.length < textRoom(FIRST)) lines[lines.length - 1] = line;
    else lines.push(name);
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line}|` : line));
}

export function groupHelp(group: string, commands: Commands): string {
  const rows = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `));
  return lines([
    `Usage: mailcap ${group} <command> [options]`,
    '',
    ...rows.flatMap(([name, { summary }]) => twoColumns(name, summary, COLUMN - 4)),
    '',
    `mailcap ${group} <command> --help shows the options.`,
  ]);
}

/** Returns the help page of one command. `table` are its options. */
export function commandHelp(name: string, command: Command, table: OptionTable): string {
  const common = new Set<CliOption>([...Object.values(CLIENT_OPTIONS), ...Object.values(COMMON_OPTIONS)]);
  const own = Object.entries(table).filter(([, option]) => !common.has(option));
  const shared = Object.entries(table).filter(([, option]) => common.has(option));
  return lines([
    ...titleOf(usageOf(name, command), command.summary, `mailcap docs ${command.page ?? 'cli'}`),
    ...own.flatMap(([option]) => rows(option, table)),
    ...(shared.length === 0 ? [] : ['', ...shared.flatMap(([option]) => rows(option, table))]),
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
    ...(command.examples.length === 0 ? [] : ['', ...command.examples.map((example) => `  ${shown(example)}`)]),
  ]);
}

/** Returns the first lines: the usage, the summary, and the command that prints the page with more. */
function titleOf(usage: string, summary: string, more: string): string[] {
  const line = `${usage}   ${summary}`;
  if (line.length <= width()) return [line, `More: ${more}`];
  const both = `${summary} (${more})`;
  return both.length <= width() ? [usage, both] : [usage, summary, `More: ${more}`];
}

function shown(example: string): string {
  return example.startsWith('$') ? example.slice(1).trim() : `mailcap ${example}`;
}

/** Returns the usage of a command: `mailcap messages show [id]`. */
export function usageOf(name: string, { operands = [] }: Command): string {
  return `Usage: mailcap ${operandsOf(name, operands)} [options]`;
}

/** Returns the name of a command with its operands: `webhooks forward <webhook> <url-or-off>`. */
export function operandsOf(name: string, operands: readonly Operand[]): string {
  const names = operands.map(({ name: operand, required, many }) => {
    const dots = many ? '...' : '';
    return required ? `<${operand}>${dots}` : `[${operand}]${dots}`;
  });
  return [name, ...names].join(' ');
}

function rows(key: string, table: OptionTable): string[] {
  const option = table[key];
  if (option?.help === undefined) return [];
  const [flag, { pair, help }] = [flagOf(key), option];
  const value = option.value ?? placeholder(option.type);
  const names = pair !== undefined ? `--${flag}, --${flagOf(pair)}` : value === '' ? `--${flag}` : `--${flag} ${value}`;
  return twoColumns(names, `${help}${defaultOf(option, table)}`, COLUMN - 2);
}

const PLACEHOLDERS: Readonly<Record<Exclude<CliOption['type'], object>, string>> = {
  boolean: '',
  string: '<text>',
  texts: '<text>',
  optional: '[text]',
  port: '<port>',
  bytes: '<size>',
  space: '<size>',
  list: '<a,b>',
  seconds: '<seconds>',
  count: '<number>',
};

function placeholder(type: CliOption['type']): string {
  if (typeof type !== 'object') return PLACEHOLDERS[type];
  const choices = type.oneOf.join('|');
  return choices.length > COLUMN / 2 ? '<one>' : choices;
}

function defaultOf({ type, default: value = null, pair }: CliOption, table: OptionTable): string {
  if (type === 'boolean' || type === 'list' || value === null) return '';
  const other = pair === undefined ? undefined : table[pair]?.default;
  const isSize = type === 'bytes' || type === 'space';
  const shown = [value, other ?? null].filter((one) => one !== null);
  return ` (${shown.map((one) => (isSize && typeof one === 'number' ? `${one / 1024 ** 2}MiB` : `${one}`)).join(', ')})`;
}

/**
 * Formats a name and its description. The description is wrapped in its column, or is on the line below the name on a
 * narrow terminal.
 */
function twoColumns(name: string, text: string, column: number): string[] {
  return inColumns(name, wrapLine(text.trimEnd(), textRoom(column)), column);
}

/** Formats a name and the lines of its description. */
function inColumns(name: string, text: readonly string[], column: number): string[] {
  const below = (lines: readonly string[]) => lines.map((line) => `${' '.repeat(textIndent(column))}${line}`);
  const [first = '', ...rest] = text;
  if (width() >= NARROW && name.length < column) return [`  ${name.padEnd(column)}${first}`.trimEnd(), ...below(rest)];
  return [`  ${name}`, ...(first === '' ? [] : below(text))];
}

function textIndent(column: number): number {
  return width() < NARROW ? 6 : 2 + column;
}

function textRoom(column: number): number {
  return Math.max(10, width() - textIndent(column));
}

/** Returns the width of the terminal, 40 at least; 80 for a file or a pipe. */
function width(): number {
  return Math.max(40, (process.stdout.isTTY && process.stdout.columns) || WIDTH);
}

/** Wraps lines that are longer than the terminal at a space, and indents the rest by two columns. */
function lines(all: readonly string[]): string {
  return all
    .flatMap((line) => {
      if (line.length <= width()) return [line];
      const indent = /^ */.exec(line)?.[0] ?? '';
      const [first = '', ...others] = wrapLine(line.trimStart(), width() - indent.length - 4);
      return [`${indent}${first}`, ...others.map((rest) => `${indent}    ${rest}`)];
    })
    .map((line) => `${line}\n`)
    .join('');
}
