import { parse } from 'node:querystring';
import { type ErrorCode, refuse } from '../domain/errors.ts';
import { parseUlid, type Ulid } from '../domain/ids.ts';
import { parseQuery, type SearchQuery } from '../domain/search/query.ts';
import { parseTime } from '../domain/time.ts';

/** A query parameter: its parser and its default. */
export interface Param<T> {
  /** `flag` is 1 or 0, `list` has commas between its parts. The client writes both, and a time, as the text. */
  readonly kind: 'whole' | 'text' | 'ulid' | 'time' | 'flag' | 'list';
  /** Parses the text; null if it is invalid. */
  parse(text: string): T | null;
  readonly fallback: T;
  readonly code: ErrorCode | null;
  readonly min?: number;
  readonly max?: number;
  /** All valid texts, if they are few. */
  readonly texts?: readonly string[];
  /** The request is refused without it. */
  readonly isRequired?: true;
  /** The description of the parameter in the OpenAPI document. */
  readonly about?: string | undefined;
}

export type QuerySpec<Q> = { readonly [Name in keyof Q]: Param<Q[Name]> };

/** Creates a parameter for a whole number, which is clamped to its range. */
export function whole(min: number, max: number, fallback: number, code: ErrorCode, about?: string): Param<number> {
  return {
    kind: 'whole',
    parse: (text) => (/^-?\d+$/.test(text) ? Math.min(max, Math.max(min, Number(text))) : null),
    fallback,
    code,
    min,
    max,
    about,
  };
}

export function textParam(about?: string): Param<string> {
  return { kind: 'text', parse: (given) => given, fallback: '', code: null, about };
}

export function ulid<Id extends Ulid>(code: ErrorCode, about?: string): Param<Id | undefined> {
  return { kind: 'ulid', parse: (given) => parseUlid<Id>(given), fallback: undefined, code, about };
}

/** Creates a parameter for search words; an empty list if it is empty. Throws `invalid_query`. */
export function searchWords(about: string): Param<SearchQuery> {
  return { kind: 'text', parse: parseQuery, fallback: [], code: 'invalid_query', about };
}

/** Tells whether a parameter is in the query, even if it is empty. */
export function isGiven(name: string, query: string): boolean {
  return Object.hasOwn(parse(query, '&', '=', { maxKeys: MAX_PAIRS }), name);
}

/** Returns the given values of these parameters. Parameters that are not given are left out. */
export function readTexts(names: readonly string[], query: string): Record<string, string> {
  const given = parse(query, '&', '=', { maxKeys: MAX_PAIRS });
  const entries = names.map((name) => [name, lastOf(given[name])] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Creates a parameter for a time, in milliseconds since 1970. */
export function timeParam(code: ErrorCode, about?: string): Param<number | undefined> {
  return { kind: 'time', parse: parseTime, fallback: undefined, code, about };
}

const MAX_PAIRS = 100;

/** Reads the parameters that a route declares and ignores others. If a parameter repeats, the last one counts. */
export function readQuery<Q>(spec: QuerySpec<Q>, query: string): Q {
  const given = query === '' ? {} : parse(query, '&', '=', { maxKeys: MAX_PAIRS });
  const entries = Object.entries<Param<unknown>>(spec).map(([name, param]) => [name, valueFrom(param, given[name])]);
  // The parameter of each name made its value, so the types match.
  return Object.fromEntries(entries) as Q;
}

/** Returns the last value of a parameter that repeats. */
function lastOf(given: string | string[] | undefined): string | undefined {
  return Array.isArray(given) ? given.at(-1) : given;
}

function valueFrom(param: Param<unknown>, given: string | string[] | undefined): unknown {
  const last = lastOf(given);
  // An empty parameter counts as not given (docs/api.md#limits).
  if (last === undefined || last === '') return param.fallback;
  const value = param.parse(last);
  if (value === null) throw refuse(param.code ?? 'invalid_body');
  return value;
}
