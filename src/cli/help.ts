import type { CliOption, Command, Commands, GroupName, OptionTable } from './command.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS } from './common-options.ts';

// Each page fits a terminal of 80 columns and 24 rows.

const COLUMN = 27;
const WIDTH = 80;
const GROUPS: readonly GroupName[] = ['Server', 'Mail', 'Webhooks, codes, keys', 'Shell'];

/** The page of the program. */
export function topHelp(commands: Commands): string {
  return lines([
    'Usage: mailcap <command> [options]',
    ...GROUPS.flatMap((group) => [`${group}:`, ...families(group, commands).map((row) => `  ${row}`)]),
    '`mailcap <command> --help` tells more and has examples; --version.',
  ]);
}

/** Commands of a group, those that begin alike on one line. */
function families(group: GroupName, commands: Commands): string[] {
  const byFirst = new Map<string, { rest: string[]; summary: string }>();
  for (const [name, command] of Object.entries(commands)) {
    if (command.group !== group) continue;
    const [first = name, second] = name.split(' ');
    const family = byFirst.get(first) ?? { rest: [], summary: command.summary };
    byFirst.set(first, family);
    if (second !== undefined) family.rest.push(second);
  }
  return [...byFirst].map(([first, { rest, summary }]) =>
    rest.length === 0 ? `${first.padEnd(COLUMN - 13)}${summary}` : `${first.padEnd(COLUMN - 13)}${rest.join(' | ')}`,
  );
}

/** The page of commands that begin alike. */
export function groupHelp(group: string, commands: Commands): string {
  const rows = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `));
  return lines([
    `Usage: mailcap ${group} <command> [options]`,
    '',
    ...rows.map(([name, { summary }]) => `  ${name.padEnd(COLUMN - 4)}${summary}`),
    '',
    `mailcap ${group} <command> --help tells more.`,
  ]);
}

/** The page of one command, whose options are `table`. */
export function commandHelp(name: string, command: Command, table: OptionTable): string {
  const common = new Set<CliOption>([...Object.values(CLIENT_OPTIONS), ...Object.values(COMMON_OPTIONS)]);
  const own = Object.values(table).filter((option) => !common.has(option));
  const shared = Object.values(table).filter((option) => common.has(option));
  return lines([
    ...titleOf(usageOf(name, command), command.summary),
    ...own.flatMap((option) => rows(option, table)),
    ...(shared.length === 0 ? [] : ['', ...shared.flatMap((option) => rows(option, table))]),
    ...(command.examples.length === 0 ? [] : ['', ...command.examples.map((example) => `  ${shown(example)}`)]),
  ]);
}

function titleOf(usage: string, summary: string): string[] {
  const line = `${usage}   ${summary}`;
  return line.length <= WIDTH ? [line] : [usage, summary];
}

function shown(example: string): string {
  return example.startsWith('$') ? example.slice(1).trim() : `mailcap ${example}`;
}

/** How it is typed: `mailcap messages show [id]`. */
export function usageOf(name: string, { operands = [] }: Command): string {
  const names = operands.map(({ name: operand, required, many }) => {
    const dots = many ? '...' : '';
    return required ? `<${operand}>${dots}` : `[${operand}]${dots}`;
  });
  return ['Usage: mailcap', name, ...names, '[options]'].join(' ');
}

function rows(option: CliOption, table: OptionTable): string[] {
  const { flag, pair, help } = option;
  if (help === undefined) return [];
  const names = pair === undefined ? `--${flag} ${option.value ?? placeholder(option.type)}` : `--${flag}, --${pair}`;
  return [`  ${names.padEnd(COLUMN - 3)} ${help}${defaultOf(option, table)}`.trimEnd().slice(0, WIDTH)];
}

function placeholder(type: CliOption['type']): string {
  if (typeof type === 'object') {
    const choices = type.oneOf.join('|');
    return choices.length > COLUMN / 2 ? '<one>' : choices;
  }
  switch (type) {
    case 'boolean':
      return '';
    case 'string':
      return '<text>';
    case 'optional':
      return '[text]';
    case 'port':
      return '<port>';
    case 'bytes':
      return '<size>';
    case 'list':
      return '<a,b>';
    case 'seconds':
      return '<seconds>';
    case 'count':
      return '<number>';
  }
}

function defaultOf({ type, default: value, pair }: CliOption, table: OptionTable): string {
  if (type === 'boolean' || type === 'list' || value === null) return '';
  const other = pair === undefined ? undefined : Object.values(table).find(({ flag }) => flag === pair)?.default;
  const shown = type === 'bytes' && typeof value === 'number' ? `${value / 1024 ** 2}MiB` : `${value}`;
  return ` (${[shown, ...(other === undefined || other === null ? [] : [`${other}`])].join(', ')})`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
