import { OPTIONS } from '../config/options.ts';
import type { Commands } from './command.ts';
import { MAILBOX_OPTION } from './common-options.ts';
import { INIT_COMMAND } from './init/command.ts';
import { MAIL_COMMANDS } from './mail/commands.ts';
import { SERVER_COMMANDS } from './server/commands.ts';
import { SHELL_COMMANDS } from './shell/commands.ts';
import { TOOL_COMMANDS } from './tools/commands.ts';
import { OUTGOING_COMMANDS } from './tools/outgoing-commands.ts';

/** Every command, in the order of the help page. */
export const COMMANDS: Commands = {
  init: INIT_COMMAND,
  dev: {
    group: 'Server',
    summary: 'Start a server',
    options: OPTIONS,
    examples: ['dev --ephemeral --port 0 --smtp-port 0 --json'],
    run: async ({ flags }) => (await import('./dev.ts')).dev(flags),
  },
  ...SERVER_COMMANDS,
  health: {
    group: 'Server',
    summary: 'Ask the running server whether it is up',
    besides: 'status',
    isClient: true,
    options: {
      host: { ...OPTIONS.host, default: null, help: 'Its address, as --host of dev' },
      port: { flag: 'port', type: 'port', default: null, help: 'Its HTTP port' },
    },
    examples: ['health', 'health --url http://mailcap:8025'],
    run: async (args) => (await import('./health.ts')).health(args),
  },
  mcp: {
    group: 'Server',
    summary: 'Give an AI agent tools for mail and webhooks (MCP)',
    isClient: true,
    options: {
      caps: {
        flag: 'caps',
        type: 'string',
        value: '<names>',
        default: null,
        help: 'faults: tools that make the server fail',
      },
    },
    examples: ['mcp', 'mcp --url http://127.0.0.1:8025 --caps faults'],
    run: async (args) => (await import('./mcp.ts')).mcp(args),
  },
  inbox: {
    group: 'Mail',
    summary: 'Read the mail of a running server on the terminal',
    isClient: true,
    options: { mailbox: MAILBOX_OPTION },
    examples: ['inbox', 'inbox --mailbox sign-up'],
    run: async (args) => (await import('./inbox.ts')).inbox(args),
  },
  ...MAIL_COMMANDS,
  ...TOOL_COMMANDS,
  ...OUTGOING_COMMANDS,
  ...SHELL_COMMANDS,
};
