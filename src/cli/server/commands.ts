import { CLIENT_OPTIONS, type Commands, DEV_OPTIONS, YES_OPTION } from '../command.ts';
import { MANAGERS, RUNNERS } from '../init/project.ts';

export const SERVER_COMMANDS = {
  init: {
    summary: 'Add mailcap to this project, with a first test',
    page: 'cli#add-it-to-a-project',
    isOffline: true,
    options: {
      yes: { ...YES_OPTION, help: 'Do not ask; required without a terminal' },
      dryRun: { type: 'boolean', help: 'Only print what would be done' },
      runner: { type: { oneOf: RUNNERS }, value: '<runner>', help: RUNNERS.join(', ') },
      manager: { type: { oneOf: MANAGERS }, value: '<name>', help: MANAGERS.join(', ') },
      package: { type: 'string', help: 'Package to install; default: this version' },
      skipInstall: { type: 'boolean', help: 'Only write files, install nothing' },
    },
    notes: [
      'It first looks at the lock file, test runner, language, tests and CI. It',
      'overwrites nothing, and prints what it can not edit safely. A second run',
      'changes nothing.',
    ],
    examples: ['init', 'init --dry-run', 'init --yes --runner vitest'],
    run: async (args) => (await import('../init/init.ts')).init(args),
  },
  dev: {
    summary: 'Start a server',
    page: 'options',
    isOffline: true,
    options: DEV_OPTIONS,
    examples: ['dev --ephemeral --port 0 --smtp-port 0 --json', 'dev --detach'],
    run: async ({ flags }) => (await import('../dev.ts')).dev(flags),
  },
  stop: {
    summary: 'Stop the server of this directory',
    besides: 'dev',
    options: { timeout: { type: 'seconds', help: 'Time to wait; then exit code 3 (30)' } },
    notes: ['It returns when the process has ended.'],
    examples: ['stop', 'stop --data-dir ./state'],
    run: async (args) => (await import('./stop.ts')).stop(args),
  },
  status: {
    summary: 'Show the addresses and counts of the running server',
    examples: ['status', 'status --json'],
    run: async (args) => (await import('./status.ts')).status(args),
  },
  env: {
    summary: 'Print the addresses and key of the server as variables',
    page: 'cli#variables',
    options: {
      format: {
        type: { oneOf: ['dotenv', 'shell', 'json'] },
        value: '<format>',
        default: 'dotenv',
        help: 'dotenv, shell or json',
      },
      host: {
        type: 'string',
        value: '<name>',
        help: 'The name by which a container or another machine reaches the server',
      },
    },
    examples: [
      'env > .env.test',
      '$ eval "$(mailcap env --format shell)"',
      'env --host host.docker.internal > container.env',
    ],
    run: async (args) => (await import('./env.ts')).env(args),
  },
  reset: {
    summary: 'Delete all mail and return to the seeded state',
    options: { yes: YES_OPTION },
    examples: ['reset', 'reset --yes'],
    run: async (args) => (await import('../reset.ts')).reset(args),
  },
  'store copy': {
    summary: 'Copy a whole store between files and PostgreSQL',
    page: 'postgres',
    operands: [
      { name: 'from', required: true },
      { name: 'to', required: true },
    ],
    isOffline: true,
    options: {
      storeBlobs: { type: 'string', value: '<url>', help: 's3://bucket for the bodies of the copy' },
    },
    notes: [
      'Each is a data directory, file:<dir> or postgres://... No server may use it.',
      'Everything is read back and compared. A password may come from PGPASSWORD.',
    ],
    examples: [
      'store copy .mailcap postgres://mailcap@127.0.0.1/mailcap',
      'store copy postgres://mailcap@127.0.0.1/mailcap ./copied',
    ],
    run: async (args) => (await import('./copy.ts')).copy(args),
  },
  doctor: {
    summary: 'Find problems that keep a server from working here',
    page: 'troubleshooting',
    isOffline: true,
    options: {
      url: CLIENT_OPTIONS.url,
      host: { type: 'string', help: 'Address that the server is to listen on' },
      port: { type: 'port', help: 'HTTP port' },
      smtpPort: { type: 'port', help: 'SMTP port' },
      dataDir: { type: 'string', help: 'Directory that stores the state' },
      store: { type: 'string', help: 'Its store, if it is in another place', pair: 'storeFile' },
      storeFile: { type: 'string' },
      storeBlobs: { type: 'string', help: 'The bucket of the bodies, if it has moved' },
    },
    examples: ['doctor', 'doctor --json', 'doctor --smtp-port 2525'],
    run: async (args) => (await import('./doctor.ts')).doctor(args),
  },
  health: {
    summary: 'Ask the running server whether it is up',
    page: 'ci#health',
    besides: 'status',
    options: {
      host: { type: 'string', help: 'Its address, as --host of dev' },
      port: { type: 'port', help: 'Its HTTP port' },
      wait: { type: 'seconds', help: 'Ask until it is up; after this time exit code 3' },
    },
    examples: ['health', 'health --wait 30s', 'health --url http://mailcap:8025'],
    run: async (args) => (await import('../health.ts')).health(args),
  },
  mcp: {
    summary: 'Give an AI agent tools for mail and webhooks (MCP)',
    page: 'agents',
    options: {
      caps: { type: 'string', value: '<names>', help: 'faults: tools that make the server fail' },
    },
    examples: ['mcp', 'mcp --url http://127.0.0.1:8025 --caps faults'],
    run: async (args) => (await import('../mcp.ts')).mcp(args),
  },
} as const satisfies Commands;
