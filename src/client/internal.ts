// The parts of the client that only mailcap's own plugins use. They are not public and change without notice.

export { harmlessLine } from '../text/harmless.ts';
export { printed, printedJson, printedWithStyles } from '../text/printed.ts';
export { createClientFrom } from './client.ts';
export { now, RUN_STARTED_AT, steady } from './environment.ts';
export { replaceHint } from './errors.ts';
export { CALL, checkOptions, duration, textOrPattern } from './options/check-options.ts';
export { isPlain, shown } from './options/shown.ts';
export { stateless } from './options/text-match.ts';
export { writeFilter } from './options/write-filter.ts';
export { framesOf, located, locatedSync, moveTo, pointed, type Site, siteAbove } from './waiting/call-site.ts';
export { pageOf } from './waiting/page.ts';
export { peekOf, withPeek } from './waiting/peek.ts';
export type { LookOptions, WatchOptions } from './waiting/waits.ts';
