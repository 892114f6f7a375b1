import { isObject } from '../text/unknown.ts';
import type { Option } from './options.ts';
import { ConfigError } from './user-error.ts';

/** A value before it is parsed, with its name in its source: `--port`, `MAILCAP_PORT`, or `port` in a file. */
export interface GivenValue {
  readonly name: string;
  /** The name of the config file. Null for flags and variables. */
  readonly file: string | null;
  readonly value: unknown;
}

export type OptionValue = string | number | boolean | readonly string[];

const SIZE = /^(\d{1,9})\s*([kmg])(?:i?b)?$/i;
const BYTES = { least: 1024, most: 1024 ** 3, said: '1 KiB to 1 GiB, as in 26214400 or 25MiB' };
const SPACE = { least: 1024 ** 2, most: 1024 ** 4, said: '1 MiB to 1024 GiB, as in 512MiB or 2GiB' };
const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/**
 * Parses a value into the option's type. It also reads text as the command line writes it. Throws {@link ConfigError}.
 */
export function readValue(type: Option['type'], given: GivenValue): OptionValue {
  const { value } = given;
  if (typeof type === 'object') {
    if (typeof value === 'string' && type.oneOf.includes(value)) return value;
    throw wrong(given, `one of ${type.oneOf.join(', ')}`);
  }
  switch (type) {
    case 'string':
      if (typeof value === 'string' && value.includes('\0')) throw wrong(given, 'text without NUL');
      if (typeof value === 'string' && value.trim() !== '') return value.trim();
      throw wrong(given, 'some text');
    case 'port':
      return readPort(given);
    case 'bytes':
      return readBytes(given, BYTES);
    case 'space':
      return readBytes(given, SPACE);
    case 'count':
      return readCount(given);
    case 'boolean':
      return readSwitch(given);
    case 'list':
      return readList(given);
  }
}

function readPort(given: GivenValue): number {
  const port = wholeOf(given.value);
  if (port !== null && port >= 0 && port <= 65_535) return port;
  throw wrong(given, 'a port, 0 to 65535');
}

function readCount(given: GivenValue): number {
  const count = wholeOf(given.value);
  if (count !== null && count >= 0 && count <= 10_000) return count;
  throw wrong(given, 'a whole number, 0 to 10000');
}

function wholeOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

function readBytes(given: GivenValue, { least, most, said }: typeof BYTES): number {
  const [, digits, unit] = typeof given.value === 'string' ? (SIZE.exec(given.value.trim()) ?? []) : [];
  const bytes = digits === undefined ? wholeOf(given.value) : Number(digits) * (UNITS[(unit ?? '').toLowerCase()] ?? 1);
  if (bytes !== null && bytes >= least && bytes <= most) return bytes;
  throw wrong(given, `a size of ${said}`);
}

export function readSwitch(given: GivenValue): boolean {
  const { value } = given;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (/^(true|on|yes|1)$/i.test(value.trim())) return true;
    if (/^(false|off|no|0)$/i.test(value.trim())) return false;
  }
  throw wrong(given, 'true or false');
}

function readList(given: GivenValue): string[] {
  const { value } = given;
  const items: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items)) throw wrong(given, 'a list');
  return items
    .flatMap((item: unknown) => {
      if (typeof item !== 'string') throw wrong(given, 'a list of texts');
      return item.split(',');
    })
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Lists the keys of an object, each with its value. Throws {@link ConfigError} if the value is no object. */
export function readEntries(given: GivenValue): [string, GivenValue][] {
  const { value } = given;
  if (!isObject(value)) throw wrong(given, 'an object');
  return Object.entries(value).map(([key, inner]) => [key, { ...given, name: `${given.name}.${key}`, value: inner }]);
}

/** Reads an object with these keys, each by its function. Throws {@link ConfigError}, also for another key. */
export function readKeys<Fields>(
  given: GivenValue,
  readers: { readonly [Key in keyof Fields]: (given: GivenValue) => Fields[Key] },
): Partial<Fields> {
  const fields = readEntries(given).map(([key, inner]) => {
    if (!Object.hasOwn(readers, key))
      throw misplaced(inner, `there is no such key: use ${Object.keys(readers).join(', ')}.`);
    return [key, readers[key as keyof Fields](inner)];
  });
  return Object.fromEntries(fields) as Partial<Fields>;
}

/** Lists the items of a list. Throws {@link ConfigError} if the value is none; `expected` describes the right kind. */
export function readItems(given: GivenValue, expected: string): GivenValue[] {
  const list: unknown = given.value;
  if (!Array.isArray(list)) throw wrong(given, expected);
  return list.map((value: unknown, at) => ({ ...given, name: `${given.name}[${at}]`, value }));
}

/** Creates the error for a value of the wrong kind. `expected` describes the right kind. */
export function wrong(given: GivenValue, expected: string): ConfigError {
  const shown = JSON.stringify(given.value) ?? String(given.value);
  return misplaced(given, `expected ${expected}, got ${shown.length > 60 ? 'something else' : shown}.`);
}

/** Creates the error for a value that is wrong for the reason `why`. */
export function misplaced({ name, file }: GivenValue, why: string): ConfigError {
  return new ConfigError(`${name}${file === null ? '' : ` in ${file}`}: ${why}`);
}
