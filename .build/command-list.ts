import {
  AGENT_OPTION,
  CLIENT_OPTIONS,
  type CliOption,
  COMMON_OPTIONS,
  type Command,
  MAILBOX_OPTION,
  type OptionTable,
  YES_OPTION,
} from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { usageOf } from '../src/cli/help.ts';
import { SEARCH_NOTES } from '../src/cli/mail/search-words.ts';
import { OPTIONS } from '../src/config/options.ts';
import { code } from './markdown-table.ts';

/** Lists the commands, each with the options that mean the same in others in brackets, and below it its own. */
export function commandList(): string {
  return Object.entries<Command>(COMMANDS)
    .map(([name, command]) => {
      const shared = Object.values(command.options).filter((option) => SHARED.includes(option));
      const flags = shared.map(({ flag }) => code(`--${flag}`)).join(', ');
      const head = `- ${code(typedAs(name, command))}${flags === '' ? '' : ` (${flags})`}: ${command.summary}`;
      return [head, ...detailsOf(command)].join('\n  ');
    })
    .join('\n');
}

/** Lists the options that every command with a server takes, and then those that mean the same wherever they are. */
export function sharedOptions(): string {
  const options = [...new Set<CliOption>(Object.values({ ...CLIENT_OPTIONS, ...COMMON_OPTIONS })), ...SHARED];
  return options.flatMap((option) => itemOf(option, options)).join('\n');
}

/** The options that mean the same in every command that has them. The page describes them once. */
const SHARED: readonly CliOption[] = [MAILBOX_OPTION, AGENT_OPTION, YES_OPTION];
/** The notes of all help pages. The text of the page says once what several help pages say. */
const NOTES = Object.values<Command>(COMMANDS).flatMap(({ notes = [] }) => notes);

function detailsOf(command: Command): string[] {
  // `sendmail` has the options of its model, and the page says how a program calls it.
  if (command.isRaw || command.options === OPTIONS) return [];
  const own = itemsOf(command.options);
  const notes = notesOf(command);
  const examples = examplesOf(command, own.length > 0).map((example) => code(shown(example)));
  return [
    ...own,
    ...(notes.length === 0 ? [] : [`- ${withCode(notes.join(' '))}`]),
    ...(examples.length === 0 ? [] : [`- Example: ${examples.join(', ')}`]),
  ];
}

/**
 * Returns the examples that a shell joins with other programs, or else the longest one of a command with options. The
 * help page has all.
 */
function examplesOf({ examples }: Command, hasOptions: boolean): readonly string[] {
  const joined = examples.filter((example) => /[|>$]/.test(example));
  if (joined.length > 0) return joined;
  return hasOptions ? [...examples].sort((a, b) => b.length - a.length).slice(0, 1) : [];
}

function notesOf({ notes = [] }: Command): readonly string[] {
  if (notes === SEARCH_NOTES) return [];
  return notes.filter((line) => NOTES.indexOf(line) === NOTES.lastIndexOf(line));
}

/** Returns an item for each option of its own. An option without a help text shares the item of its pair. */
function itemsOf(table: OptionTable): string[] {
  const own = Object.values(table).filter((option) => !SHARED.includes(option));
  return own.flatMap((option) => itemOf(option, own));
}

function itemOf(option: CliOption, all: readonly CliOption[]): string[] {
  if (option.help === undefined) return [];
  const pair = all.find(({ flag }) => flag === option.pair);
  const names = pair === undefined ? [option] : [option, pair];
  return [`- ${names.map(({ flag }) => code(`--${flag}`)).join(', ')}: ${withCode(option.help)}`];
}

/** Writes what would be read as a tag, such as `file:<dir>`, as code. */
function withCode(text: string): string {
  return text.replace(/[\w:]*<\w+>/g, code);
}

function typedAs(name: string, command: Command): string {
  return usageOf(name, command).replace('Usage: mailcap ', '').replace(' [options]', '');
}

function shown(example: string): string {
  return example.startsWith('$') ? example.slice(1).trim() : `mailcap ${example}`;
}
