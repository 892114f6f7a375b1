import { test as base, expect } from 'vitest';
import * as checks from '../shared/check-matchers.ts';
import * as matchers from '../shared/matchers.ts';
import { toHaveScreenshot } from '../shared/no-screenshot.ts';
import { withMailcap } from './fixtures.ts';

export type * from '../shared/public-types.ts';
export { type MailcapFixtures, type MailcapOptions, withMailcap } from './fixtures.ts';
export type { MailcapMatchers } from './matchers.ts';

expect.extend({ ...matchers, ...checks, toHaveScreenshot });

/** Vitest's `test` with mailcap's fixtures. */
export const test = withMailcap(base);
/** Vitest's `it` with mailcap's fixtures. */
export const it = test;
export { expect };
