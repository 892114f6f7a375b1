const MAX_SHOWN = 40;

/** Any value, as it may stand in a sentence. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kind = tagOf(value);
  return kind === 'RegExp' ? `the pattern ${String(value)}` : kind === 'Object' ? 'an object' : `a ${kind}`;
}

/** Whether it is an object of names and values, of whatever realm. */
export function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && tagOf(value) === 'Object';
}

/** Where it is to be told from a list, a pattern, a date, a promise, a URL. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
