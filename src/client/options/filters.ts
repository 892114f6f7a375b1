import { OptionError } from '../errors.ts';
import { type Check, callable, checkOptions, type OptionChecks, shown } from './check-options.ts';

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

/**
 * Throws an OptionError for an unknown filter or an invalid value. Otherwise a misspelt filter would be ignored, and
 * every item would match. `example` names an option that a bare pattern or text may have meant.
 */
export function checkFilter(what: string, filter: unknown, checks: OptionChecks, example: string): void {
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
export function asks<Item>(where: (item: Item) => boolean, item: Item): boolean {
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
 * Returns the reason why the predicate refuses an item, or null if it accepts it. An error counts as a refusal, because
 * the predicate may be written for another kind of item.
 */
export function whyNot<Item>(where: (item: Item) => boolean, item: Item): string | null {
  try {
    return asks(where, item) ? null : 'where returned false';
  } catch (error) {
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
