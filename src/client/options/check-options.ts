import { shorten } from '../../text/shorten.ts';
import { OptionError } from '../errors.ts';

// Every public call checks its options here. Without this check JavaScript would silently ignore a misspelt or wrong
// option.

/** Throws an OptionError if the value is not valid for the option of that name. `undefined` is never checked. */
export type Check = (name: string, value: unknown) => void;

/** The check of each option, by the option's name. */
export type OptionChecks = Readonly<Record<string, Check>>;

/**
 * Throws an OptionError unless `given` is a plain object that has only known options with valid values. `instead` is
 * the hint of the error.
 */
export function checkOptions(what: string, given: unknown, checks: OptionChecks, instead?: string): void {
  checkObject(what, given, instead ?? `It may have: ${Object.keys(checks).join(', ')}.`);
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw new OptionError(`${what} has no "${name}".`, `It may have: ${Object.keys(checks).join(', ')}.`);
    if (value !== undefined) check(name, value);
  }
}

/** Throws an OptionError unless `given` is a plain object: no function, pattern, list or instance of a class. */
function checkObject(what: string, given: unknown, instead?: string): asserts given is object {
  if (!isPlain(given)) throw new OptionError(`${what} must be an object; it is ${shown(given)}.`, instead);
}

/** Throws an OptionError unless the value is a number of milliseconds, 0 or more. */
export const duration: Check = (name, value) => {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new OptionError(`${name} must be milliseconds, 0 or more; it is ${shown(value)}.`);
};

export const text = kind('a string', (value) => typeof value === 'string');
export const filledText = kind('a non-empty string', (value) => typeof value === 'string' && value !== '');
export const number = kind('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const count = kind('a whole number, 1 or more', (value) => Number.isInteger(value) && Number(value) > 0);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callable = kind('a function', (value) => typeof value === 'function');
export const pattern = kind('a RegExp', isPattern);
export const textOrPattern = kind('a string or a RegExp', (value) => typeof value === 'string' || isPattern(value));
export const abortSignal = kind('an AbortSignal', isSignal);
/** A time in one of the forms that the API accepts. */
export const time = kind('a Date, or a time as a string', (value) => typeof value === 'string' || isTime(value));
/** A string that is valid in an HTTP request header. */
export const token = kind('a string of ASCII characters without spaces', (value) =>
  /^[\x21-\x7e]*$/.test(asText(value)),
);
/** An object whose values are strings. */
export const texts = kind(
  'an object whose values are strings',
  (value) => isPlain(value) && Object.values(value).every((one) => typeof one === 'string'),
);
export const listOfTexts = kind(
  'a list of strings',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
);
/** Accepts any value. The server has the rules for it and reports a violation itself. */
export const asServerSays: Check = () => {};

/** Accepts only the listed values. */
export function oneOf(...values: readonly (string | number | boolean)[]): Check {
  const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = list.pop();
  return kind(list.length === 0 ? `${last}` : `${list.join(', ')} or ${last}`, (value) =>
    values.some((one) => one === value),
  );
}

/** Applies the same check to several names. */
export function each(names: readonly string[], check: Check): OptionChecks {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/** The options of every call. */
export const CALL = { timeout: duration, signal: abortSignal } as const;

function kind(what: string, is: (value: unknown) => boolean): Check {
  return (name, value) => {
    if (!is(value)) throw new OptionError(`${name} must be ${what}; it is ${shown(value)}.`);
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ' ';
}

function isPattern(value: unknown): boolean {
  return value instanceof RegExp;
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/**
 * Tells whether a value is an AbortSignal. A signal of another realm or of a library is no instance of this realm's
 * class.
 */
function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'aborted' in value && 'addEventListener' in value && typeof value.addEventListener === 'function';
}

const MAX_SHOWN = 40;

/** Formats any value for a sentence. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_SHOWN));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kind = tagOf(value);
  return kind === 'RegExp' ? `the pattern ${String(value)}` : kind === 'Object' ? 'an object' : `a ${kind}`;
}

/**
 * Tells whether a value is a plain object, of this or another realm: no instance of a class, and none that inherits
 * fields, because only its own fields are read.
 */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || tagOf(value) !== 'Object') return false;
  const inherited: unknown = Object.getPrototypeOf(value);
  return inherited === null || Object.getPrototypeOf(inherited) === null;
}

/** Returns the class name of an object, such as `Array`, `RegExp`, `Date`, `Promise` or `URL`. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
