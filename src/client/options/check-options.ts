import { OptionError } from '../errors.ts';
import { isPlain, shown } from './shown.ts';

// What every public call is given passes here first: what is misspelt, or of another kind, would otherwise be ignored in silence.

/** Throws an OptionError for a value that is not what the option of that name must be. `undefined` is never asked about. */
export type Check = (name: string, value: unknown) => void;

/** What each option must be, by its name. */
export type Checks = Readonly<Record<string, Check>>;

/** Throws an OptionError unless it is an object with options of these names alone, each as it must be. `instead` is what to write. */
export function checkOptions(what: string, given: unknown, checks: Checks, instead?: string): void {
  checkObject(what, given, instead ?? `It may have: ${Object.keys(checks).join(', ')}.`);
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw new OptionError(`${what} has no "${name}".`, `It may have: ${Object.keys(checks).join(', ')}.`);
    if (value !== undefined) check(name, value);
  }
}

/** Throws an OptionError unless it is an object of names and values: no function, pattern, list or other thing with a life of its own. */
export function checkObject(what: string, given: unknown, instead?: string): asserts given is object {
  if (!isPlain(given)) throw new OptionError(`${what} must be an object; it is ${shown(given)}.`, instead);
}

/** Throws an OptionError unless it is a number of milliseconds, 0 or more. */
export const duration: Check = (name, value) => {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new OptionError(`${name} must be milliseconds, 0 or more; it is ${shown(value)}.`);
};

export const text = kind('a text', (value) => typeof value === 'string');
export const filledText = kind('a text that is not empty', (value) => typeof value === 'string' && value !== '');
export const number = kind('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const count = kind('a whole number, 1 or more', (value) => Number.isInteger(value) && Number(value) > 0);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callable = kind('a function', (value) => typeof value === 'function');
export const pattern = kind('a RegExp', isPattern);
export const textOrPattern = kind('a text or a RegExp', (value) => typeof value === 'string' || isPattern(value));
export const abortSignal = kind('an AbortSignal', isSignal);
/** What the API takes for a time. */
export const time = kind('a Date, or a time as text', (value) => typeof value === 'string' || isTime(value));
/** As it can stand in a header of a request. */
export const token = kind('a text without spaces and of ASCII alone', (value) => /^[\x21-\x7e]*$/.test(asText(value)));
/** Names and texts. */
export const texts = kind(
  'an object whose values are texts',
  (value) => isPlain(value) && Object.values(value).every((one) => typeof one === 'string'),
);
export const listOfTexts = kind(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
);
/** The server has rules for it, and says so itself. */
export const asServerSays: Check = () => {};

export function oneOf(...values: readonly (string | number | boolean)[]): Check {
  const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = list.pop();
  return kind(list.length === 0 ? `${last}` : `${list.join(', ')} or ${last}`, (value) =>
    values.some((one) => one === value),
  );
}

/** Of every name the same. */
export function each(names: readonly string[], check: Check): Checks {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/** What every call may be given. */
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

/** Those of other realms, and of libraries, are no instances of the class that is here. */
function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'aborted' in value && 'addEventListener' in value && typeof value.addEventListener === 'function';
}
