import { parseArgs } from 'node:util';
import { ConfigError } from '../config/user-error.ts';
import { nearest } from '../text/nearest.ts';
import { Arguments, type CliOption, type Flags, type OptionTable } from './command.ts';

/** A command line that was read: its options by the names of the table, and what stands beside them. */
export interface ParsedLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/**
 * Parses the arguments of a command. `name` is that of the command, for its help page; `isElsewhere` tells whether
 * another command has an option. Throws a {@link ConfigError} for an unknown option, and for one without its value.
 */
export function parse(
  table: OptionTable,
  args: readonly string[],
  name: string,
  isElsewhere: (flag: string) => boolean,
): ParsedLine {
  const options = new Map(Object.entries(table).map(([key, option]) => [option.flag, { key, option }]));
  const { tokens } = parseArgs({
    args: args.map((arg, at) => withValue(arg, args[at + 1], options)),
    options: Object.fromEntries([...[...options].map(([flag, { option }]) => [flag, kindOf(option)]), ...ASKED]),
    allowPositionals: true,
    // The errors are this module's own.
    strict: false,
    tokens: true,
  });
  const flags = new Map<string, unknown>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const asked = token.rawName.startsWith('--') ? token.name : SHORT[token.name];
    if (asked !== undefined && ASKED.some(([flag]) => flag === asked)) {
      flags.set(asked, true);
      continue;
    }
    const found = options.get(token.name);
    const denied = token.name.startsWith('no-') ? options.get(token.name.slice('no-'.length)) : undefined;
    if (found !== undefined && token.rawName.startsWith('--')) flags.set(found.key, givenValue(found, token, flags));
    else if (denied?.option.type === 'boolean' && token.value === undefined) flags.set(denied.key, false);
    else throw new ConfigError(unknown(token.rawName, table, name, isElsewhere));
  }
  return { flags: Object.fromEntries(flags), operands };
}

const ASKED = [
  ['help', { type: 'boolean' }],
  ['version', { type: 'boolean' }],
] as const;
const SHORT: Readonly<Record<string, string>> = { h: 'help', v: 'version', V: 'version' };

interface NamedOption {
  readonly key: string;
  readonly option: CliOption;
}

function kindOf({ type }: CliOption): { readonly type: 'boolean' | 'string' } {
  return { type: type === 'boolean' ? 'boolean' : 'string' };
}

/** Gives an option whose value may be left out an empty one, so that `parseArgs` takes no other option as its value. */
function withValue(arg: string, next: string | undefined, options: ReadonlyMap<string, NamedOption>): string {
  const type = arg.startsWith('--') ? options.get(arg.slice(2))?.option.type : undefined;
  return type === 'optional' && (next === undefined || next.startsWith('-')) ? `${arg}=` : arg;
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue({ key, option }: NamedOption, token: OptionToken, flags: ReadonlyMap<string, unknown>): unknown {
  const { rawName, value, inlineValue } = token;
  // Arguments checks the text behind --json=.
  if (option.type === 'boolean') return value ?? true;
  // The value was forgotten, and the next option stands in its place.
  if (value === undefined || (inlineValue !== true && /^--?[a-z]/i.test(value)))
    throw new ConfigError(`${rawName}: expected a value.`);
  if (option.type !== 'texts') return value;
  const before = flags.get(key);
  return [...(Array.isArray(before) ? before : []), value];
}

function unknown(typed: string, table: OptionTable, name: string, isElsewhere: (flag: string) => boolean): string {
  const flag = typed.replace(/^-+/, '');
  if (name === '' && isElsewhere(flag))
    return `${typed}: options come after the command; mailcap --help shows the commands.`;
  const near = nearest(flag, ['help', 'version', ...Object.values(table).map((option) => option.flag)]);
  const page = ['mailcap', name, '--help'].filter((word) => word !== '').join(' ');
  return `${typed}: no such option; ${near === null ? `${page} shows them.` : `did you mean --${near}?`}`;
}

/** Throws a {@link ConfigError} for a value that its option can't have, before a command does anything. */
export function checkValues(table: OptionTable, flags: Flags): void {
  const args = new Arguments(flags, []);
  for (const [key, { type, flag }] of Object.entries(table)) {
    if (!args.isGiven(key)) continue;
    if (type === 'boolean') args.isOn(key, flag);
    else if (type === 'count') args.count(key);
    else if (type === 'seconds') args.seconds(key);
    else if (typeof type === 'object') args.oneOf(key, type.oneOf, type.oneOf[0] ?? '');
    else if (type === 'port' && !isPort(args.value(key) ?? ''))
      throw new ConfigError(`--${flag}: expected a port, 0 to 65535, got ${JSON.stringify(args.value(key))}.`);
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}
