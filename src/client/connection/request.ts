import type { CallOptions } from '../transport/transport.ts';
import type { Operation } from './operations.ts';

// These functions turn a call of an operation into a request. The client checks the arguments first; the web inbox makes
// its own, and does not load the checks.

/** The arguments of a call, by their meaning. */
export interface CallArguments {
  readonly ids: readonly unknown[];
  readonly body: unknown;
  readonly query: object;
  readonly options: CallOptions;
  /** The arguments behind the options. Only a wait of a handle has one: its note. */
  readonly further: readonly unknown[];
}

/** Reads the arguments: the ids of the path, the body, the query and the options, as far as the operation has them. */
export function readArguments(operation: Operation, args: readonly unknown[]): CallArguments {
  const rest = [...args];
  const next = (missing: unknown) => {
    const given = rest.shift();
    return given === undefined ? missing : given;
  };
  const names = operation.path.match(PARAMETER) ?? [];
  const ids = names.slice(asksForWorkspace(operation) ? 1 : 0).map(() => next(undefined));
  const body = operation.takes === undefined ? undefined : next(operation.takes === 'json' ? {} : undefined);
  const query = operation.asks ? next({}) : {};
  const options = next({});
  // The client refuses a query and options that are no objects.
  return { ids, body, query: query as object, options: options as CallOptions, further: rest };
}

/** A parameter of a path. */
export const PARAMETER = /\{\w+\}/g;

/** Tells whether an operation is of the cloud API. */
export function isOfCloud({ path }: Operation): boolean {
  return path.startsWith('/v1/');
}

/** Tells whether the path names the workspace of the key, which the client finds out. */
export function asksForWorkspace(operation: Operation): boolean {
  return isOfCloud(operation) && operation.path.includes('{workspaceId}');
}

/** Builds a path and percent-encodes each id. Throws for an id that would lead to another path. */
export function pathOf(template: string, ids: readonly string[]): string {
  if (ids.some(isDotSegment)) throw new Error('. and .. are no ids.');
  let at = 0;
  return template.replace(PARAMETER, () => encodeURIComponent(ids[at++] ?? ''));
}

/** Tells whether an id is a dot segment. A URL resolves it even if its dots are percent-encoded (RFC 3986 5.2.4). */
export function isDotSegment(id: unknown): boolean {
  return id === '.' || id === '..';
}

/** Writes a query as the API takes it: a time as ISO 8601, a flag as 1 or 0, a list with commas. */
export function writeQuery(query: object): Record<string, string | number | undefined> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => {
      if (value instanceof Date) return [name, value.toISOString()];
      if (Array.isArray(value)) return [name, value.join(',')];
      if (typeof value === 'boolean') return [name, value ? '1' : '0'];
      return [name, typeof value === 'string' || typeof value === 'number' ? value : undefined];
    }),
  );
}
