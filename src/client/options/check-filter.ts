import { OptionError } from '../errors.ts';
import { type Check, callable, checkOptions, type OptionChecks } from './check-options.ts';
import { shown } from './shown.ts';

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
