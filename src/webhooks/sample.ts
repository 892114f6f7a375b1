import { shorten } from '../text/shorten.ts';
import { WebhookError } from './schemes.ts';
import type { SenderName } from './senders.ts';

/** The values of a sample that differ each time. */
export interface FreshValues {
  /** The time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** Returns a new id: the prefix, and random letters and digits. */
  id(prefix: string, length: number): string;
  /** Returns a new number of so many digits. */
  number(digits: number): number;
  /** Returns new hexadecimal digits. */
  hex(length: number): string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Returns the source of the values of a sample. `chance` returns a number from 0 to below 1. */
export function freshOf(at: number, chance: () => number): FreshValues {
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(chance() * alphabet.length))).join('');
  return {
    at,
    id: (prefix, length) => `${prefix}${pick(LETTERS, length)}`,
    number: (digits) => Number(`${pick('123456789', 1)}${pick('0123456789', digits - 1)}`),
    hex: (length) => pick('0123456789abcdef', length),
  };
}

/** Returns four random bytes as a number from 0 to below 1. */
export function fractionOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) / 2 ** 32;
}

/** A sample event of a service. */
export interface Sample {
  /** The name of the event, as the service has it. */
  readonly name: string;
  readonly sender: SenderName;
  readonly about: string;
  /** The number of spaces by which the service indents its JSON. */
  readonly indent: 0 | 2;
  make(fresh: FreshValues): SampleContent;
}

/** The body of an event, and the header fields beside the signature. */
export interface SampleContent {
  readonly body: Json;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Creates a sample whose JSON is not indented. `further` are its header fields beside those of every request. */
export function plainSample(
  [sender, agent]: readonly [SenderName, agent: string],
  name: string,
  about: string,
  body: (fresh: FreshValues) => Json,
  further: (fresh: FreshValues) => SampleContent['headers'] = () => [],
): Sample {
  const usual = [
    ['User-Agent', agent],
    ['Accept', '*/*'],
    ['Content-Type', 'application/json'],
  ] as const;
  const make = (fresh: FreshValues) => ({ body: body(fresh), headers: [...usual, ...further(fresh)] });
  return { name, sender, about, indent: 0, make };
}

/** Returns a time in seconds since 1970. */
export function seconds({ at }: FreshValues): number {
  return Math.floor(at / 1_000);
}

/** Returns a time as ISO 8601 with seconds, in UTC. */
export function iso({ at }: FreshValues): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** Returns a UUID of version 4 (RFC 9562). */
export function uuid({ hex }: FreshValues): string {
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * A field of a body: its path, and its new value. The value is JSON, or a text that is converted to the type of the old
 * value.
 */
export type Override =
  | { readonly path: string; readonly json: Json }
  | { readonly path: string; readonly text: string };

const LONGEST_PATH = 1_000;

/**
 * Reads `path=text` or `path:=json`. A text stays a text even if it looks like a number, unless the field holds a
 * number or a boolean. Throws a {@link WebhookError}.
 *
 * @example parseOverride('data.object.amount_total=999');
 */
export function parseOverride(text: string): Override {
  const mark = text.indexOf('=');
  if (mark <= 0) throw new WebhookError(`${shown(text)} is not path=text or path:=json`);
  const value = text.slice(mark + 1);
  if (text[mark - 1] !== ':') return { path: text.slice(0, mark), text: value };
  try {
    return { path: text.slice(0, mark - 1), json: JSON.parse(value) };
  } catch (cause) {
    throw new WebhookError(`${shown(value)} is not valid JSON; write path=text for a text`, 'invalid_delivery', {
      cause,
    });
  }
}

/**
 * Sets fields of a body, and returns a copy. All names of a path but the last must exist. A number is an index of a
 * list. Throws a {@link WebhookError}.
 */
export function withOverrides(body: Json, overrides: readonly Override[]): Json {
  return overrides.reduce((changed, override) => setAt(changed, namesOf(override.path), override), body);
}

function namesOf(path: string): string[] {
  // A dot that belongs to a name is written with a backslash.
  const names = path.length > LONGEST_PATH ? [] : path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
  if (names.length === 0 || names.includes(''))
    throw new WebhookError(`${shown(path)} is not a path such as data.object.id`);
  return names;
}

function setAt(value: Json, [name = '', ...rest]: readonly string[], override: Override): Json {
  const isLast = rest.length === 0;
  if (isList(value)) {
    const at = /^\d{1,6}$/.test(name) ? Number(name) : -1;
    const old = value[at];
    if (at < 0 || at > value.length || (old === undefined && !isLast))
      throw new WebhookError(`${shown(override.path)}: ${shown(name)} is not an index of a list of ${value.length}`);
    return value.toSpliced(at, 1, isLast ? newValue(override, old) : setAt(old ?? null, rest, override));
  }
  if (value === null || typeof value !== 'object')
    throw new WebhookError(
      `${shown(override.path)}: there is no field ${shown(name)}, because the value is not an object`,
    );
  const old = Object.hasOwn(value, name) ? value[name] : undefined;
  if (old === undefined && !isLast)
    throw new WebhookError(
      `${shown(override.path)}: there is no field ${shown(name)}; the fields are ${listed(Object.keys(value))}`,
    );
  const entry: [string, Json] = [name, isLast ? newValue(override, old) : setAt(old ?? null, rest, override)];
  const entries = Object.entries(value);
  const at = entries.findIndex(([one]) => one === name);
  // `fromEntries` makes __proto__ a field like others. An assignment would change the object's class.
  return Object.fromEntries(at < 0 ? [...entries, entry] : entries.with(at, entry));
}

function newValue(override: Override, old: Json | undefined): Json {
  if ('json' in override) return override.json;
  const { text, path } = override;
  if (typeof old === 'number') {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) return number;
    throw new WebhookError(
      `${shown(path)} is a number, but ${shown(text)} is not; write ${path}:=json to change its type`,
    );
  }
  if (typeof old !== 'boolean') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new WebhookError(
    `${shown(path)} is true or false, but ${shown(text)} is neither; write ${path}:=json to change its type`,
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function listed(names: readonly string[]): string {
  const more = names.length > 12 ? ', …' : '';
  return names.length === 0 ? 'nothing' : `${names.slice(0, 12).join(', ')}${more}`;
}

function shown(text: string): string {
  return JSON.stringify(shorten(text, 100));
}
