import { OPTIONS } from '../config/options.ts';
import type { Command, OptionTable } from './command.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS } from './common-options.ts';

/** Returns the options of a command: its own, and those that name the server. */
export function optionsOf(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) {
    return command.options;
  }
  return { ...command.options, ...(command.isClient ? CLIENT_OPTIONS : {}), ...COMMON_OPTIONS };
}
