import { OPTIONS } from '../config/options.ts';
import type { Command, OptionTable } from './command.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS } from './common-options.ts';

/** What can be given to a command: its own options, and those that say which server is meant. */
export function optionsOf(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) {
    return command.options;
  }
  return { ...command.options, ...(command.isClient ? CLIENT_OPTIONS : {}), ...COMMON_OPTIONS };
}
