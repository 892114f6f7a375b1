// The parts of the client that only mailcap's own plugins use. They are not public and change without notice.

export { processStart } from '../process-start.ts';
export { docsCommand } from '../text/docs-place.ts';
export { harmlessLine, printed, printedJson, printedWithStyles } from '../text/harmless.ts';
export { providerVariables } from '../text/provider-lines.ts';
export { ULID_DIGITS, ulidTimeDigits } from '../text/ulid-digits.ts';
export { isLoopbackHost } from '../text/url.ts';
export { createClientFrom } from './client.ts';
export { now, RUN_STARTED_AT, steady } from './environment.ts';
export { replaceHint } from './errors.ts';
export {
  CALL,
  checkOptions,
  checkThat,
  duration,
  isPlain,
  oneOf,
  shown,
  stateless,
  textOrPattern,
  writeFilter,
} from './options/check-options.ts';
export { framesOf, located, locatedSync, moveTo, pointed, type Site, siteAbove } from './waiting/call-site.ts';
export type { LookOptions, WatchOptions } from './waiting/wait.ts';
export { nonConsumingWaitOf, pageOf, withNonConsumingWait } from './waiting/wait.ts';
