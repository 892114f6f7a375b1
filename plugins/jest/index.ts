import { OptionError } from '../../src/client/index.ts';
import type { Verdict } from '../shared/matchers.ts';
import * as shared from '../shared/matchers.ts';

export type { ReceiverFilter } from '../shared/matchers.ts';

/** The matchers by their names, for an `expect` of any other kind. */
export const matchers = { ...shared };

/** The part of Jest's `expect` that takes matchers. */
interface Extendable {
  extend(added: Readonly<Record<string, (...args: never[]) => Verdict | Promise<Verdict>>>): void;
}

/**
 * Gives Jest's `expect` mailcap's matchers. `mailcap/jest` in `setupFilesAfterEnv` does so by itself; where globals are not
 * injected, this does.
 *
 * @example addMatchers(expect);
 */
export function addMatchers(expect: Extendable): void {
  if (typeof expect?.extend !== 'function') throw new OptionError('addMatchers needs the `expect` of Jest.');
  expect.extend(matchers);
}

const { expect } = globalThis as { expect?: Extendable };
if (expect !== undefined) addMatchers(expect);
