import { OPTIONS } from '../config/options.ts';
import type { CliOption, Command, OptionTable } from './command.ts';

/** The options that name the server of a command and the format of its output. */
export const CLIENT_OPTIONS = {
  url: { flag: 'url', type: 'string', default: null, help: 'URL of the server; also MAILCAP_URL' },
  apiKey: { flag: 'api-key', type: 'string', default: null, help: 'Its API key; also MAILCAP_API_KEY' },
  dataDir: { ...OPTIONS.dataDir, help: 'Its data directory, if it runs here' },
  json: { flag: 'json', type: 'boolean', default: false, help: 'Print JSON for programs' },
} as const satisfies OptionTable;

/** The options of every command except `dev`, which has its own. */
export const COMMON_OPTIONS = {
  json: CLIENT_OPTIONS.json,
  logLevel: { ...OPTIONS.logLevel, default: null, help: 'debug: print the stack of an error' },
} as const satisfies OptionTable;

export const MAILBOX_OPTION = {
  flag: 'mailbox',
  type: 'string',
  value: '<mailbox>',
  default: null,
  help: 'Id or subdomain; else the inbox mailbox',
} as const;

/**
 * The output for an AI agent. It marks the text of a mail, which an agent may mistake for an instruction of its user.
 */
export const AGENT_OPTION = {
  flag: 'agent',
  type: 'boolean',
  default: false,
  help: 'JSON for AI agents, with untrusted text marked',
} as const;

/** The option of every command that deletes or revokes. */
export const YES_OPTION = {
  flag: 'yes',
  type: 'boolean',
  default: false,
  help: 'Do not ask; required without a terminal',
} as const satisfies CliOption;

/** Returns the options of a command: its own, and those that name the server. */
export function optionsOf(command: Command): OptionTable {
  if (command.options === OPTIONS || command.isRaw) {
    return command.options;
  }
  return { ...command.options, ...(command.isClient ? CLIENT_OPTIONS : {}), ...COMMON_OPTIONS };
}
