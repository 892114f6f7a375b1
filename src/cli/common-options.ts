import { OPTIONS } from '../config/options.ts';
import type { OptionTable } from './command.ts';

/** The options that name the server of a command and the format of its output. */
export const CLIENT_OPTIONS = {
  url: { flag: 'url', type: 'string', default: null, help: 'Where the server is, also MAILCAP_URL' },
  apiKey: { flag: 'api-key', type: 'string', default: null, help: 'Its key, also MAILCAP_API_KEY' },
  dataDir: { ...OPTIONS.dataDir, help: 'Of the server that runs here' },
  json: { flag: 'json', type: 'boolean', default: false, help: 'JSON for programs' },
} as const satisfies OptionTable;

/** The options of every command except `dev`, which has its own. */
export const COMMON_OPTIONS = {
  json: CLIENT_OPTIONS.json,
  logLevel: { ...OPTIONS.logLevel, default: null, help: 'debug: errors with their stack' },
} as const satisfies OptionTable;

export const MAILBOX_OPTION = {
  flag: 'mailbox',
  type: 'string',
  value: '<mailbox>',
  default: null,
  help: 'Id or subdomain; else the inbox mailbox',
} as const;

/** The output for an AI agent, which may take the words of a mail for those of its user. */
export const AGENT_OPTION = {
  flag: 'agent',
  type: 'boolean',
  default: false,
  help: "JSON for AI agents, others' words in a fence",
} as const;
