import { test as base, expect as baseExpect } from '@playwright/test';
import * as checks from '../shared/check-matchers.ts';
import * as matchers from '../shared/matchers.ts';
import { keepBuiltin } from './builtin-screenshot.ts';
import { fixtures, type MailcapTestFixtures, type MailcapWorkerFixtures } from './fixtures.ts';
import { toHaveScreenshot } from './screenshot.ts';

export type * from '../shared/public-types.ts';
export {
  fixtures,
  type MailcapOptions,
  type MailcapTestFixtures,
  type MailcapTestOptions,
  type MailcapWorkerFixtures,
  type MailcapWorkerOptions,
} from './fixtures.ts';
export type { MailScreenshotOptions } from './screenshot-options.ts';
export { type MailcapWebServerOptions, mailcapWebServer } from './web-server.ts';

/** Playwright's `test` with mailcap's fixtures. */
export const test = base.extend<MailcapTestFixtures, MailcapWorkerFixtures>(fixtures);

/** Playwright's `expect` with mailcap's matchers. It also works in `mergeExpects`. */
export const expect = baseExpect.extend({ ...matchers, ...checks, toHaveScreenshot });
keepBuiltin();
