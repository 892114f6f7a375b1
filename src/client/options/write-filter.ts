import { writeTextFilter } from './text-match.ts';

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
