import { OptionError } from '../../src/client/index.ts';
import { sitedMatcher } from './call-site.ts';
import type { MatcherResult } from './matchers.ts';

/** A matcher for runners without a browser. It always throws an OptionError that names the runner with one. */
export const toHaveScreenshot = sitedMatcher((): MatcherResult => {
  throw new OptionError(
    'toHaveScreenshot needs Playwright, which renders the mail.',
    "Write the test with `import { expect, test } from 'mailcap/playwright'`.",
  );
});
