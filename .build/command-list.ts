import {
  CLIENT_OPTIONS,
  type CliOption,
  COMMON_OPTIONS,
  type Command,
  DEV_OPTIONS,
  isServer,
  type OptionTable,
} from '../src/cli/command.ts';
import { usageOf } from '../src/cli/help.ts';
import { COMMANDS } from '../src/cli/program.ts';
import { flagOf } from '../src/config/options.ts';
import { code } from './markdown-table.ts';

/** Lists the commands, each with the options that several have in brackets, and below it its own. Help has examples. */
export function commandList(): string {
  return Object.entries<Command>(COMMANDS)
    .map(([name, command]) => {
      const shared = isListed(command) ? Object.entries(command.options ?? {}).filter(isShared) : [];
      const flags = shared.map(([name]) => codeOf(name)).join(', ');
      const head = `- ${code(typedAs(name, command))}${flags === '' ? '' : ` (${flags})`}: ${command.summary}`;
      return [head, ...detailsOf(command)].join('\n  ');
    })
    .join('\n');
}

/** Lists the options that every command with a server takes, and then those of several commands. */
export function sharedOptions(): string {
  return SHARED.flatMap((option) => itemOf(option, SHARED)).join('\n');
}

/** An option with its name. */
type Named = readonly [name: string, option: CliOption];

const COMMON: readonly Named[] = Object.entries({ ...CLIENT_OPTIONS, ...COMMON_OPTIONS });
/** The options that mean the same in several commands. The page describes them once. */
const SHARED: readonly Named[] = optionsOfSeveral();

function optionsOfSeveral(): Named[] {
  const told = new Map<string, Named>();
  const several = new Map(COMMON.map((option) => [meaningOf(option), option]));
  for (const command of Object.values<Command>(COMMANDS)) {
    if (!isListed(command)) continue;
    for (const option of Object.entries(command.options ?? {})) {
      const meaning = meaningOf(option);
      if (told.has(meaning) && !several.has(meaning)) several.set(meaning, option);
      told.set(meaning, option);
    }
  }
  return [...several.values()];
}

function isShared(option: Named): boolean {
  return SHARED.some((shared) => meaningOf(shared) === meaningOf(option));
}

/** Two options with the same name and the same help mean the same. An option without a help shares that of its pair. */
function meaningOf([name, { help, pair }]: Named): string {
  return `${name} ${help ?? pair}`;
}

/** `sendmail` has the options of its model, and the page says how a program calls it. Those of `dev` have a page. */
function isListed(command: Command): boolean {
  return command.isRaw !== true && !isServer(command);
}

/** The notes of all help pages. The text of the page says once what several help pages say. */
const NOTES = Object.values<Command>(COMMANDS).flatMap(({ notes = [] }) => notes);

function detailsOf(command: Command): string[] {
  // The options of the server have a page.
  if (isServer(command)) return itemsOf({ detach: DEV_OPTIONS.detach });
  if (!isListed(command)) return [];
  const own = itemsOf(command.options ?? {});
  const notes = notesOf(command);
  return [...own, ...(notes.length === 0 ? [] : [`- ${withCode(notes.join(' '))}`])];
}

function notesOf({ notes = [], page }: Command): readonly string[] {
  // The page of a command says what its notes say.
  if (page !== undefined) return [];
  return notes.filter((line) => NOTES.indexOf(line) === NOTES.lastIndexOf(line));
}

/** Returns an item for each option of its own. An option without a help text shares the item of its pair. */
function itemsOf(table: OptionTable): string[] {
  const own = Object.entries(table).filter((option) => !isShared(option));
  return own.flatMap((option) => itemOf(option, own));
}

function itemOf([name, option]: Named, all: readonly Named[]): string[] {
  if (option.help === undefined) return [];
  const pair = all.find(([other]) => other === option.pair)?.[0];
  const names = pair === undefined ? [name] : [name, pair];
  return [`- ${names.map(codeOf).join(', ')}: ${withCode(option.help)}`];
}

function codeOf(name: string): string {
  return code(`--${flagOf(name)}`);
}

/** Writes what would be read as a tag, such as `file:<dir>`, as code. */
function withCode(text: string): string {
  return text.replace(/[\w:]*<\w+>/g, code);
}

function typedAs(name: string, command: Command): string {
  return usageOf(name, command).replace('Usage: mailcap ', '').replace(' [options]', '');
}
