import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { parseArgs } from 'node:util';
import { fileText } from '../../text/file-text.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { isObject } from '../../text/unknown.ts';
import type { OptionSource } from '../resolve.ts';
import { ConfigError } from '../user-error.ts';
import type { GivenValue } from '../value.ts';
import { MAILDEV_DEFAULTS, MAILDEV_SETTINGS } from './maildev.ts';
import { MAILPIT_DEFAULTS, MAILPIT_SETTINGS } from './mailpit.ts';
import { type CatcherSetting, isOn, type MadeOptions } from './setting.ts';

// A server in the place of another mail catcher: it takes that one's variables and flags (docs/drop-in.md).

/** The catchers in whose place a server can stand. */
export type CatcherName = 'mailpit' | 'maildev';

interface Catcher {
  readonly called: string;
  readonly prefix: string;
  readonly settings: readonly CatcherSetting[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

export const CATCHERS: Readonly<Record<CatcherName, Catcher>> = {
  mailpit: { called: 'Mailpit', prefix: 'MP_', settings: MAILPIT_SETTINGS, defaults: MAILPIT_DEFAULTS },
  maildev: { called: 'MailDev', prefix: 'MAILDEV_', settings: MAILDEV_SETTINGS, defaults: MAILDEV_DEFAULTS },
};

type Env = Readonly<Record<string, string | undefined>>;

/** The settings that a start takes over from the catcher in whose place the server stands. */
export interface TakenOver {
  readonly dropIn: CatcherName;
  /** The options that its flags and variables set. */
  readonly source: OptionSource;
  /** The options of such a server where nothing else is set. */
  readonly defaults: OptionSource;
  /** The facts that the user should know of these settings, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Returns the catcher whose variables are set; null if there are none. A name that merely begins with its prefix may be
 * another program's.
 */
export function catcherOfVariables(env: Env): CatcherName | null {
  const names = Object.keys(CATCHERS) as CatcherName[];
  return (
    names.find((name) => {
      const known = new Set(CATCHERS[name].settings.flatMap(variablesOf));
      return Object.entries(env).some(([variable, value]) => known.has(variable) && (value ?? '') !== '');
    }) ?? null
  );
}

/** Returns the catcher whose flags these are; null if they begin with none of them. */
export function catcherOfFlags(args: readonly string[]): CatcherName | null {
  const [first = ''] = args;
  const known = (name: CatcherName, flags: readonly string[]) =>
    flags.filter((flag) => CATCHERS[name].settings.some((one) => flagsOf(one).includes(flag))).length;
  const begins = [wordOf(first)];
  if (!first.startsWith('-') || HELP.has(wordOf(first)) || known('mailpit', begins) + known('maildev', begins) === 0)
    return null;
  const { values } = parsed('maildev', args);
  // Both have --smtp, which is an address at Mailpit and a port at MailDev.
  const flags = args.filter((arg) => arg.startsWith('-')).map(wordOf);
  const more = known('maildev', flags) - known('mailpit', flags);
  if (more !== 0) return more > 0 ? 'maildev' : 'mailpit';
  return /^\d+$/.test(String(values['smtp'] ?? '')) ? 'maildev' : 'mailpit';
}

/** The words that ask mailcap itself for help or its version. */
const HELP: ReadonlySet<string> = new Set(['--help', '-h', '--version', '-v', '-V']);

/**
 * Reads the flags and variables of a catcher. A wrong or unknown one ends no start: the server may stand in the place of
 * a later version. A file that is named and can't be read does. Throws {@link ConfigError}.
 */
export function takeOver(
  name: CatcherName,
  args: readonly string[],
  env: Env,
  cwd: string,
  parseYaml: ParseYaml = noYaml,
): TakenOver {
  const catcher = CATCHERS[name];
  const notes: string[] = [];
  const source = new Map<string, GivenValue>();
  const { values, unknown } = parsed(name, args);
  const givenOf = (setting: CatcherSetting): GivenValue | null => {
    const flag = wordsOf(setting).find((word) => values[word] !== undefined);
    if (flag !== undefined) return { name: `--${flag}`, file: null, value: String(values[flag]) };
    const variable = variablesOf(setting).find((one) => (env[one] ?? '').trim() !== '');
    return variable === undefined
      ? null
      : { name: variable, file: null, value: (env[variable] ?? '').replace(/\r$/, '') };
  };
  const lacking = new Map<string, string[]>();
  for (const setting of catcher.settings) {
    const given = givenOf(setting);
    if (given === null) continue;
    const value = String(given.value);
    if (setting.kind === 'lacks' && isMeant(setting, value))
      lacking.set(setting.does, [...(lacking.get(setting.does) ?? []), given.name]);
    const draft: MadeOptions = {
      set: (option, made) => {
        if (!source.has(option)) source.set(option, { name: given.name, file: null, value: made });
      },
      other: (variable) => {
        const other = catcher.settings.find((one) => variablesOf(one)[0] === variable);
        const found = other === undefined ? null : givenOf(other);
        return found === null ? null : String(found.value);
      },
      read: (path) => contentOf(path, given.name, cwd),
      readFields: (path) => fieldsIn(contentOf(path, given.name, cwd), given.name, parseYaml),
      // Several settings can make the same option, and each of them finds the same fault.
      tell: (sentence) => {
        const note = harmlessLine(sentence);
        if (!notes.includes(note)) notes.push(note);
      },
    };
    setting.apply?.(value, draft);
  }
  for (const [does, names] of lacking)
    notes.push(`${names.join(', ')}: not done here. In ${catcher.called}, it ${does}.`);
  const strange = Object.keys(env).filter(
    (variable) => variable.startsWith(catcher.prefix) && !isKnown(catcher, variable),
  );
  const odd = [...unknown, ...strange].map((one) => harmlessLine(one));
  if (odd.length > 0) notes.push(`${odd.join(', ')}: no setting of ${catcher.called} that mailcap knows.`);
  return { dropIn: name, source, defaults: defaultsOf(catcher, source), notes };
}

/** Without a directory for its mail, a catcher keeps none after its end. */
function defaultsOf({ called, defaults }: Catcher, source: OptionSource): OptionSource {
  const all = { ...defaults, ...(source.has('dataDir') ? {} : { ephemeral: true }) };
  return new Map(
    Object.entries(all).map(([name, value]): [string, GivenValue] => [
      name,
      { name: `${name} of ${called}`, file: null, value },
    ]),
  );
}

function isMeant({ isSwitch }: CatcherSetting, value: string): boolean {
  return isSwitch ? isOn(value) : value !== '0' && value !== 'false';
}

/** Reads YAML as an object or a scalar. It is loaded only if a setting names such a file. */
export type ParseYaml = (text: string) => unknown;

function noYaml(): never {
  throw new Error('no setting names a file of YAML');
}

/** Tells whether a setting names a file of YAML. */
export function namesYaml(args: readonly string[], env: Env): boolean {
  return (
    args.some((arg) => /^--[a-z-]+-config(?:=|$)/.test(arg)) ||
    Object.keys(env).some((variable) => /^MP_\w+_CONFIG$/.test(variable))
  );
}

function fieldsIn(text: string, name: string, parseYaml: ParseYaml): Readonly<Record<string, unknown>> {
  let fields: unknown;
  try {
    fields = parseYaml(text);
  } catch (cause) {
    throw new ConfigError(`${name}: the file is no YAML.`, { cause });
  }
  if (!isObject(fields)) throw new ConfigError(`${name}: the file has no fields.`);
  return fields;
}

function contentOf(path: string, name: string, cwd: string): string {
  const at = resolvePath(cwd, path);
  try {
    return fileText(readFileSync(at));
  } catch (cause) {
    throw new ConfigError(`${name}: ${at} can't be read.`, { cause });
  }
}

interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** The flags that the catcher does not have. */
  readonly unknown: readonly string[];
}

function parsed(name: CatcherName, args: readonly string[]): Parsed {
  const options = Object.fromEntries(
    CATCHERS[name].settings.flatMap((setting) => {
      const type: 'boolean' | 'string' = setting.isSwitch ? 'boolean' : 'string';
      const letter = flagsOf(setting).find((flag) => !flag.startsWith('--'));
      return wordsOf(setting).map((word, at) => {
        const short = at === 0 && letter !== undefined ? { short: letter.slice(1) } : {};
        return [word, { type, ...short }];
      });
    }),
  );
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const unknown = tokens.flatMap((token) =>
    token.kind === 'option' && !Object.hasOwn(options, token.name) ? [token.rawName] : [],
  );
  return { values: values as Parsed['values'], unknown };
}

function wordOf(arg: string): string {
  return arg.split('=', 1)[0] ?? arg;
}

/** Returns `--smtp` and `-s` for the flag `smtp -s`. */
function flagsOf({ flag }: CatcherSetting): string[] {
  return flag?.split(' ').map((word) => (word.startsWith('-') ? word : `--${word}`)) ?? [];
}

function wordsOf({ flag }: CatcherSetting): string[] {
  return flag?.split(' ').filter((word) => !word.startsWith('-')) ?? [];
}

function variablesOf({ variable }: CatcherSetting): string[] {
  return variable?.split(' ') ?? [];
}

function isKnown({ settings }: Catcher, variable: string): boolean {
  return settings.some((setting) => variablesOf(setting).includes(variable));
}
