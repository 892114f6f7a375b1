import type { CliOption, Command, OptionTable } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS } from '../src/cli/common-options.ts';
import { usageOf } from '../src/cli/help.ts';
import { OPTIONS } from '../src/config/options.ts';
import { code, markdownTable } from './markdown-table.ts';

export function commandTable(): string {
  const rows = Object.entries(COMMANDS).map(([name, command]) => [code(typedAs(name, command)), command.summary]);
  return markdownTable(['Command', 'What it does'], rows);
}

/** Returns the table of the options that every command with a server takes. */
export function sharedOptionTable(): string {
  return optionTable({ ...CLIENT_OPTIONS, ...COMMON_OPTIONS });
}

/** Returns a section for each command: its usage, its own options, and examples. */
export function commandSections(): string {
  return Object.entries(COMMANDS).map(sectionOf).join('\n\n');
}

function sectionOf([name, command]: [string, Command]): string {
  const own = ownOptions(command);
  return [
    `### ${name}`,
    `\`${typedAs(name, command)}\`: ${command.summary}.`,
    ...(Object.keys(own).length > 0 ? [optionTable(own)] : []),
    ...(command.options === OPTIONS ? ['Its options are on [the page of options](options.md).'] : []),
    ...(command.notes === undefined ? [] : [fenced(command.notes)]),
    ...(command.examples.length === 0 ? [] : [fenced(command.examples.map(shown))]),
  ].join('\n\n');
}

function ownOptions(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) return {};
  return command.options;
}

function optionTable(table: OptionTable): string {
  return markdownTable(
    ['Option', 'What it does'],
    Object.values(table).flatMap((option) => rowOf(option, table)),
  );
}

/** Returns the row of an option. An option without a help text shares the row of its pair, as on the help page. */
function rowOf(option: CliOption, table: OptionTable): string[][] {
  if (option.help === undefined) return [];
  const pair = Object.values(table).find(({ flag }) => flag === option.pair);
  const names = pair === undefined ? [option] : [option, pair];
  return [[names.map(({ flag }) => code(`--${flag}`)).join(', '), option.help]];
}

function typedAs(name: string, command: Command): string {
  return usageOf(name, command).replace('Usage: ', '').replace(' [options]', '');
}

function shown(example: string): string {
  return example.startsWith('$') ? example.slice(1).trim() : `mailcap ${example}`;
}

function fenced(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n');
}
