import type { OptionTable } from './command.ts';
import { CLIENT_OPTIONS, MAILBOX_OPTION } from './common-options.ts';

/** Without a data directory: a server that restarts is looked for anew. */
export const INBOX_OPTIONS = {
  mailbox: MAILBOX_OPTION,
  url: CLIENT_OPTIONS.url,
  apiKey: CLIENT_OPTIONS.apiKey,
} as const satisfies OptionTable;
