import { OptionError } from '../../src/client/index.ts';
import * as checks from '../shared/check-matchers.ts';
import type { MatcherResult } from '../shared/matchers.ts';
import * as shared from '../shared/matchers.ts';
import { toHaveScreenshot } from '../shared/no-screenshot.ts';

export type { ReceiverFilter } from '../shared/matchers.ts';

/** The matchers by their names, to extend an `expect` other than Jest's global one. */
export const matchers = { ...shared, ...checks, toHaveScreenshot };

/** The part of Jest's `expect` that takes matchers. */
interface Extendable {
  extend(added: Readonly<Record<string, (...args: never[]) => MatcherResult | Promise<MatcherResult>>>): void;
}

/**
 * Adds mailcap's matchers to Jest's `expect`. If `setupFilesAfterEnv` lists `mailcap/jest`, the global `expect` has
 * them already. Call this function yourself if Jest does not inject globals. Throws an OptionError if `expect` has no
 * `extend`.
 *
 * @example addMatchers(expect);
 */
export function addMatchers(expect: Extendable): void {
  if (typeof expect?.extend !== 'function') throw new OptionError('addMatchers needs the `expect` of Jest.');
  expect.extend(matchers);
}

const { expect } = globalThis as { expect?: Extendable };
if (expect !== undefined) addMatchers(expect);
