import { shorten } from '../../text/shorten.ts';

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

/** Tells whether a value is a plain object, of this or another realm. */
export function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && tagOf(value) === 'Object';
}

/** Returns the class name of an object, such as `Array`, `RegExp`, `Date`, `Promise` or `URL`. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
