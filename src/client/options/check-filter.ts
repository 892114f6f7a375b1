import { OptionError } from '../errors.ts';
import { type Check, type Checks, callable, checkOptions } from './check-options.ts';
import { shown } from './shown.ts';

/**
 * Throws an OptionError for a filter that does not exist, or that is no filter: of what is no filter nothing would be looked at,
 * and everything match. `example` is a name that a pattern may stand for.
 */
export function checkFilter(what: string, filter: unknown, checks: Checks, example: string): void {
  checkOptions(what, filter, { ...checks, where: predicate }, insteadOf(filter, example));
}

/** An asynchronous function is refused before anything comes: its promise would always match. */
const predicate: Check = (name, value) => {
  callable(name, value);
  if (Object.prototype.toString.call(value) === '[object AsyncFunction]') throw asynchronous();
};

function asynchronous(): OptionError {
  return new OptionError(
    'where must say true or false at once; it is asynchronous.',
    'Await what it needs before the wait.',
  );
}

/** What the predicate of a filter says. Throws an OptionError where that is neither true nor false: a promise would always match. */
export function asks<Item>(where: (item: Item) => boolean, item: Item): boolean {
  const said: unknown = where(item);
  if (typeof said === 'boolean') return said;
  if (typeof said === 'object' && said !== null && 'then' in said) {
    // Nobody waits for it: what it fails with is not to end the process.
    Promise.resolve(said).catch(() => {});
    throw asynchronous();
  }
  throw new OptionError(
    `where must say true or false; it said ${shown(said)}.`,
    said === undefined ? 'Does it return what it finds?' : 'Boolean(...) makes one of it.',
  );
}

/** Why the predicate refuses an item that others refuse already, and that it may not have been meant for; null where it does not. */
export function whyNot<Item>(where: (item: Item) => boolean, item: Item): string | null {
  try {
    return asks(where, item) ? null : 'where said no';
  } catch (error) {
    return `where threw ${error instanceof Error ? error.message.split('\n')[0] : shown(error)}`;
  }
}

function insteadOf(filter: unknown, example: string): string | undefined {
  if (typeof filter === 'function') return 'A function goes by its name: { where: fn }.';
  if (filter instanceof RegExp) return `Say what is to match: { ${example}: ${String(filter)} }.`;
  if (typeof filter === 'string') return `Say what is to hold it: { ${example}: ${shown(filter)} }.`;
  return undefined;
}
