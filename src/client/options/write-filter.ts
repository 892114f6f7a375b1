import { writeTextFilter } from './text-match.ts';

/** Writes a filter behind what it is about, in brackets; nothing where it asks for nothing. */
export function inBrackets(filter: object): string {
  return isEmpty(filter) ? '' : ` (${writeFilter(filter)})`;
}

/** Tells whether a filter asks for nothing. */
export function isEmpty(filter: object): boolean {
  return Object.values(filter).every((one) => one === undefined);
}

/** Writes a filter for an error: `{ subject: "code", from: /shop/ }`. */
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
