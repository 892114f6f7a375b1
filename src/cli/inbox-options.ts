import type { OptionTable } from './help.ts';

export const INBOX_OPTIONS = {
  mailbox: { flag: 'mailbox', type: 'string', default: null, help: 'Id or subdomain; the inbox mailbox if left out' },
} as const satisfies OptionTable;
