import { OPTIONS } from '../config/options.ts';
import { type Command, type Commands, MAILBOX_OPTION, YES_OPTION } from './command.ts';
import { MANAGERS, RUNNERS } from './init/project.ts';
import { MAIL_COMMANDS } from './mail/commands.ts';
import { SERVER_COMMANDS } from './server/commands.ts';
import { OUTGOING_COMMANDS, TOOL_COMMANDS } from './tools/commands.ts';

/** The row of `mailcap init` in the table of commands. */
const INIT_COMMAND = {
  group: 'Server',
  summary: 'Add mailcap to this project, with a first test',
  options: {
    yes: { ...YES_OPTION, help: 'Do not ask; required without a terminal' },
    dryRun: { flag: 'dry-run', type: 'boolean', default: false, help: 'Only print what would be done' },
    runner: { flag: 'runner', type: { oneOf: RUNNERS }, value: '<runner>', default: null, help: RUNNERS.join(', ') },
    manager: { flag: 'manager', type: { oneOf: MANAGERS }, value: '<name>', default: null, help: MANAGERS.join(', ') },
    package: { flag: 'package', type: 'string', default: null, help: 'Package to install; default: this version' },
    skipInstall: { flag: 'skip-install', type: 'boolean', default: false, help: 'Only write files, install nothing' },
  },
  notes: [
    'It first looks at the lock file, test runner, language, tests and CI. It',
    'overwrites nothing, and prints what it can not edit safely. A second run',
    'changes nothing.',
  ],
  examples: ['init', 'init --dry-run', 'init --yes --runner vitest'],
  run: async (args) => (await import('./init/init.ts')).init(args),
} as const satisfies Command;

const SHELL_COMMANDS = {
  completion: {
    group: 'Other',
    summary: 'Print a completion script for bash, zsh or fish',
    operands: [{ name: 'shell', required: true }],
    options: {},
    examples: [
      '$ mailcap completion bash >> ~/.bashrc',
      '$ mailcap completion zsh > ~/.zfunc/_mailcap',
      '$ mailcap completion fish > ~/.config/fish/completions/mailcap.fish',
    ],
    run: async (args, all) => (await import('./completion.ts')).completion(args, all),
  },
} as const satisfies Commands;

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
