// These functions read values of unknown types: what was thrown, and what JSON held.

/** Returns the code of an error of Node.js, such as `ENOENT`. Null for an error without one. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Tells whether a value is an object of JSON, which is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns null for a text that is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the innermost reason of an error. fetch puts it into the `cause` of its own. */
export function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermostReason(error.cause) : error.message || error.name;
}
