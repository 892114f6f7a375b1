import type { Told } from './told-differences.ts';

/** A value that two servers answer differently, and its place in the recording. */
export interface Difference {
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Compares two recordings field by field. */
export function differencesOf(theirs: unknown, ours: unknown, at = ''): Difference[] {
  if (!isObject(theirs) || !isObject(ours)) return Object.is(theirs, ours) ? [] : [{ at, theirs, ours }];
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...names].flatMap((name) =>
    differencesOf(Reflect.get(theirs, name), Reflect.get(ours, name), at === '' ? name : `${at}/${name}`),
  );
}

/** Tells whether a difference is one of those that are told. */
export function isTold([pattern, , test = () => true]: Told, { at, theirs, ours }: Difference): boolean {
  return pattern.test(at) && test(theirs, ours);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
