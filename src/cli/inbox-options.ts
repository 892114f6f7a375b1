import type { OptionTable } from './command.ts';
import { MAILBOX_OPTION } from './common-options.ts';

export const INBOX_OPTIONS = { mailbox: MAILBOX_OPTION } as const satisfies OptionTable;
