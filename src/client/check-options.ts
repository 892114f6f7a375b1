import { OptionError } from './errors.ts';

/** Throws an OptionError that names what is not known: a misspelt option would otherwise be ignored in silence. */
export function checkNames(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new OptionError(`${what} has no "${unknown}".`, `It may have: ${known.join(', ')}.`);
}

/** Throws an OptionError unless it is a number of milliseconds, 0 or more. */
export function checkDuration(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new OptionError(`${name} must be milliseconds, 0 or more; it is ${String(value)}.`);
}
