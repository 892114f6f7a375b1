import type { CliOption } from './command.ts';

/** The option of every command that deletes or revokes. */
export const YES_OPTION = {
  flag: 'yes',
  type: 'boolean',
  default: false,
  help: 'Do not ask; needed without a terminal',
} as const satisfies CliOption;
