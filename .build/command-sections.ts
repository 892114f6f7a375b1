import type { CliOption, Command, OptionTable } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { AGENT_OPTION, CLIENT_OPTIONS, COMMON_OPTIONS, MAILBOX_OPTION, YES_OPTION } from '../src/cli/common-options.ts';
import { usageOf } from '../src/cli/help.ts';
import { SEARCH_NOTES } from '../src/cli/mail/search-words.ts';
import { OPTIONS } from '../src/config/options.ts';
import { code } from './markdown-table.ts';

export function commandList(): string {
  return Object.entries(COMMANDS)
    .map(([name, command]) => `- ${code(typedAs(name, command))}: ${command.summary}`)
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

/** Returns a section for each command about which the table of commands does not say everything. */
export function commandSections(): string {
  return Object.entries(COMMANDS)
    .filter(([, command]) => hasMore(command))
    .map(([name, command]) => sectionOf(name, command))
    .join('\n\n');
}

function hasMore(command: Command): boolean {
  // `sendmail` has the options of its model, and the page says how a program calls it.
  if (command.isRaw) return false;
  const own = Object.values(ownOptions(command)).some((option) => !SHARED.includes(option));
  return own || notesOf(command).length > 0 || command.examples.some((example) => /[|>$]/.test(example));
}

function sectionOf(name: string, command: Command): string {
  const notes = notesOf(command);
  const examples = examplesOf(name, command);
  const options = optionList(ownOptions(command));
  return [
    `### ${name}`,
    ...(options === '' ? [] : [options]),
    ...(notes.length === 0 ? [] : [fenced(notes)]),
    ...(examples.length === 0 ? [] : [fenced(examples.map(shown))]),
  ].join('\n\n');
}

/**
 * Returns the examples that say more than the options: those that a shell joins with other programs, or else the longest
 * that has an option. The help page has all.
 */
function examplesOf(name: string, { examples }: Command): readonly string[] {
  const joined = examples.filter((example) => /[|>$]/.test(example));
  const longest = [...examples].sort((a, b) => b.length - a.length).slice(0, 1);
  return joined.length > 0 ? joined : longest.filter((example) => example !== name && example !== `${name} --json`);
}

function ownOptions(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) return {};
  return command.options;
}

function notesOf({ notes = [] }: Command): readonly string[] {
  if (notes === SEARCH_NOTES) return [];
  return notes.filter((line) => NOTES.indexOf(line) === NOTES.lastIndexOf(line));
}

/** Lists options. Those that mean the same in every command stand last, with their names alone. */
function optionList(table: OptionTable): string {
  const shared = Object.values(table).filter((option) => SHARED.includes(option));
  const names = shared.map(({ flag }) => code(`--${flag}`)).join(', ');
  return [...itemsOf(table), ...(names === '' ? [] : [`- ${names}`])].join('\n');
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
  return [`- ${names.map(({ flag }) => code(`--${flag}`)).join(', ')}: ${option.help.replace(/<\w+>/g, code)}`];
}

function typedAs(name: string, command: Command): string {
  return usageOf(name, command).replace('Usage: mailcap ', '').replace(' [options]', '');
}

function shown(example: string): string {
  return example.startsWith('$') ? example.slice(1).trim() : `mailcap ${example}`;
}

function fenced(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n');
}
