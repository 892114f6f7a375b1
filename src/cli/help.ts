import type { Option } from '../config/options.ts';

// Each page fits a terminal of 80 columns and 24 rows.

const COLUMN = 27;

export type OptionTable = Readonly<Record<string, Option>>;

/** The page of the program. */
export function topHelp(commands: Readonly<Record<string, { readonly summary: string }>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(COLUMN - 4)}${summary}`);
  return lines([
    'Usage: mailcap <command> [options]',
    '',
    ...rows,
    '',
    '  --version             Print the version',
    '  mailcap <command> --help shows the options of a command.',
  ]);
}

/** The page of one command. */
export function commandHelp(name: string, summary: string, options: OptionTable): string {
  return lines([`Usage: mailcap ${name} [options]   ${summary}`, ...Object.values(options).flatMap(rows)]);
}

function rows(option: Option): string[] {
  const { flag, pair, help } = option;
  if (help === undefined) return [];
  const names = pair === undefined ? `--${flag} ${placeholder(option.type)}` : `--${flag}, --${pair}`;
  return [`  ${names.padEnd(COLUMN - 3)} ${help}${defaultOf(option)}`];
}

function placeholder(type: Option['type']): string {
  if (typeof type === 'object') {
    const choices = type.oneOf.join('|');
    return choices.length > COLUMN / 2 ? '<one>' : choices;
  }
  switch (type) {
    case 'boolean':
      return '';
    case 'string':
      return '<text>';
    case 'port':
      return '<port>';
    case 'bytes':
      return '<size>';
    case 'list':
      return '<a,b>';
  }
}

function defaultOf({ type, default: value }: Option): string {
  if (type === 'boolean' || type === 'list' || value === null) return '';
  return ` (${type === 'bytes' && typeof value === 'number' ? `${value / 1024 ** 2}MiB` : value})`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
