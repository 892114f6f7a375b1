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
  const known = () => `It may have: ${Object.keys(checks).join(', ')}.`;
  if (!isPlain(given)) throw new OptionError(`${what} must be an object; it is ${shown(given)}.`, instead ?? known());
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) throw new OptionError(`${what} has no "${name}".`, known());
    if (value !== undefined) check(name, value);
  }
}

export const duration = checkThat(
  'milliseconds, 0 or more',
  (value) => value === undefined || (typeof value === 'number' && value >= 0),
);
export const text = checkThat('a string', (value) => typeof value === 'string');
export const filledText = checkThat('a non-empty string', (value) => typeof value === 'string' && value !== '');
export const number = checkThat('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const count = checkThat('a whole number, 1 or more', (value) => Number.isInteger(value) && Number(value) > 0);
export const flag = checkThat('true or false', (value) => typeof value === 'boolean');
export const callable = checkThat('a function', (value) => typeof value === 'function');
export const pattern = checkThat('a RegExp', (value) => value instanceof RegExp);
export const textOrPattern = checkThat(
  'a string or a RegExp',
  (value) => typeof value === 'string' || value instanceof RegExp,
);
export const abortSignal = checkThat('an AbortSignal', isSignal);
/** A time in one of the forms that the API accepts. */
export const time = checkThat('a Date, or a time as a string', (value) => typeof value === 'string' || isTime(value));
/** A string that is valid in an HTTP request header. */
export const token = checkThat(
  'a string of ASCII characters without spaces',
  (value) => typeof value === 'string' && /^[\x21-\x7e]*$/.test(value),
);
/** An object whose values are strings. */
export const texts = checkThat(
  'an object whose values are strings',
  (value) => isPlain(value) && Object.values(value).every((one) => typeof one === 'string'),
);
export const listOfTexts = checkThat(
  'a list of strings',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
);
/** Accepts any value. The server has the rules for it and reports a violation itself. */
export const asServerSays: Check = () => {};

/** Accepts only the listed values. */
export function oneOf(...values: readonly (string | number | boolean)[]): Check {
  const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = list.pop();
  return checkThat(list.length === 0 ? `${last}` : `${list.join(', ')} or ${last}`, (value) =>
    values.some((one) => one === value),
  );
}

/** Applies the same check to several names. */
export function each(names: readonly string[], check: Check): OptionChecks {
  return Object.fromEntries(names.map((name) => [name, check]));
}

/** The options of every call. */
export const CALL = { timeout: duration, signal: abortSignal } as const;

/** Creates a check that throws an OptionError: the value must be `what`. */
export function checkThat(what: string, is: (value: unknown) => boolean): Check {
  return (name, value) => {
    if (!is(value)) throw new OptionError(`${name} must be ${what}; it is ${shown(value)}.`);
  };
}

/** Tells whether a value is a Date with a time. */
export function isTime(value: unknown): boolean {
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

/** A text, which matches as a part in any case, or a pattern. */
export type TextFilter = string | RegExp;

/** Tells whether any of the texts matches the filter. An empty text matches everything. */
export function hasText(texts: readonly (string | null | undefined)[], filter: TextFilter): boolean {
  if (filter === '') return true;
  const matches = matcherOf(filter);
  return texts.some((text) => text !== null && text !== undefined && matches(text));
}

/** Formats a filter for a sentence. */
export function writeTextFilter(filter: TextFilter): string {
  return typeof filter === 'string' ? JSON.stringify(filter) : String(filter);
}

function matcherOf(filter: TextFilter): (text: string) => boolean {
  if (typeof filter === 'string') {
    const part = filter.toLowerCase();
    return (text) => text.toLowerCase().includes(part);
  }
  const pattern = stateless(filter);
  return (text) => pattern.test(text);
}

/** Returns a pattern without the flags g and y. They give a pattern a state, and the caller's must not change. */
export function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
}

/** Options of a wait. Other libraries take them in one object with what they filter by. */
const OF_THE_CALL = ['timeout', 'signal', 'pick', 'since'];

/**
 * Throws an OptionError for an unknown filter or an invalid value. Otherwise a misspelt filter would be ignored, and
 * every item would match. `example` names an option that a bare pattern or text may have meant.
 */
export function checkFilter(what: string, filter: unknown, checks: OptionChecks, example: string): void {
  const option = isPlain(filter) ? OF_THE_CALL.find((name) => Object.hasOwn(filter, name)) : undefined;
  if (option !== undefined)
    throw new OptionError(
      `${what} has no "${option}".`,
      `It is an option of the call, which follows the filter: ({ ${example}: … }, { ${option}: … }).`,
    );
  checkOptions(what, filter, { ...checks, where: predicate }, insteadOf(filter, example));
}

/** Refuses an asynchronous function before anything comes. Its promise would be truthy, so it would always match. */
const predicate: Check = (name, value) => {
  callable(name, value);
  if (Object.prototype.toString.call(value) === '[object AsyncFunction]') throw asynchronous();
};

function asynchronous(): OptionError {
  return new OptionError(
    'where must return true or false at once; it is asynchronous.',
    'Load what it needs before the wait starts.',
  );
}

/**
 * Calls the predicate of a filter. Throws an OptionError if the result is no boolean, because a promise would always
 * match.
 */
function asks<Item>(where: (item: Item) => boolean, item: Item): boolean {
  const said: unknown = where(item);
  if (typeof said === 'boolean') return said;
  if (typeof said === 'object' && said !== null && 'then' in said) {
    // The promise is ignored. Its rejection must not end the process.
    Promise.resolve(said).catch(() => {});
    throw asynchronous();
  }
  throw new OptionError(
    `where must return true or false; it returned ${shown(said)}.`,
    said === undefined ? 'Does the function have a return statement?' : 'Convert the result with Boolean(...).',
  );
}

/**
 * Returns the reason why the predicate refuses an item, or null if it accepts it. In a report, which gives `every` reason,
 * an error counts as a refusal, because the predicate may be written for another kind of item.
 */
export function whyNot<Item>(where: (item: Item) => boolean, item: Item, which: 'first' | 'every'): string | null {
  try {
    return asks(where, item) ? null : 'where returned false';
  } catch (error) {
    if (which === 'first') throw error;
    return `where threw ${error instanceof Error ? error.message.split('\n')[0] : shown(error)}`;
  }
}

function insteadOf(filter: unknown, example: string): string | undefined {
  if (typeof filter === 'function') return 'Pass the function as { where: fn }.';
  if (filter instanceof RegExp) return `Name the field that must match: { ${example}: ${String(filter)} }.`;
  if (typeof filter === 'string') return `Name the field that must contain it: { ${example}: ${shown(filter)} }.`;
  return undefined;
}

/** Formats a filter in brackets, to follow its subject in a sentence. Returns an empty text for an empty filter. */
export function inBrackets(filter: object): string {
  return isEmpty(filter) ? '' : ` (${writeFilter(filter)})`;
}

/** Tells whether a filter has no value. */
export function isEmpty(filter: object): boolean {
  return Object.values(filter).every((one) => one === undefined);
}

/** Formats a filter for an error: `{ subject: "code", from: /shop/ }`. */
export function writeFilter(filter: object): string {
  const parts = Object.entries(filter).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (typeof value === 'function') return [name];
    return [
      `${name}: ${typeof value === 'string' || value instanceof RegExp ? writeTextFilter(value) : String(value)}`,
    ];
  });
  return parts.length === 0 ? 'anything' : `{ ${parts.join(', ')} }`;
}
