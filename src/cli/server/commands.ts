import { OPTIONS } from '../../config/options.ts';
import { CLIENT_OPTIONS, type Commands, DEV_OPTIONS, YES_OPTION } from '../command.ts';
import { MANAGERS, RUNNERS } from '../init/project.ts';

export const SERVER_COMMANDS = {
  init: {
    group: 'Server',
    summary: 'Add mailcap to this project, with a first test',
    options: {
      yes: { ...YES_OPTION, help: 'Do not ask; required without a terminal' },
      dryRun: { flag: 'dry-run', type: 'boolean', default: false, help: 'Only print what would be done' },
      runner: { flag: 'runner', type: { oneOf: RUNNERS }, value: '<runner>', default: null, help: RUNNERS.join(', ') },
      manager: {
        flag: 'manager',
        type: { oneOf: MANAGERS },
        value: '<name>',
        default: null,
        help: MANAGERS.join(', '),
      },
      package: { flag: 'package', type: 'string', default: null, help: 'Package to install; default: this version' },
      skipInstall: { flag: 'skip-install', type: 'boolean', default: false, help: 'Only write files, install nothing' },
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
    group: 'Server',
    summary: 'Start a server',
    options: DEV_OPTIONS,
    examples: ['dev --ephemeral --port 0 --smtp-port 0 --json', 'dev --detach'],
    run: async ({ flags }) => (await import('../dev.ts')).dev(flags),
  },
  stop: {
    group: 'Server',
    summary: 'Stop the server of this directory',
    besides: 'dev',
    isClient: true,
    options: {
      timeout: { flag: 'timeout', type: 'seconds', default: null, help: 'Time to wait; then exit code 3 (30)' },
    },
    notes: ['It returns when the process has ended.'],
    examples: ['stop', 'stop --data-dir ./state'],
    run: async (args) => (await import('./stop.ts')).stop(args),
  },
  status: {
    group: 'Server',
    summary: 'Show the addresses and counts of the running server',
    isClient: true,
    options: {},
    examples: ['status', 'status --json'],
    run: async (args) => (await import('./status.ts')).status(args),
  },
  env: {
    group: 'Server',
    summary: 'Print the addresses and key of the server as variables',
    isClient: true,
    options: {
      format: {
        flag: 'format',
        type: { oneOf: ['dotenv', 'shell', 'json'] },
        value: '<format>',
        default: 'dotenv',
        help: 'dotenv, shell or json',
      },
    },
    examples: ['env > .env.test', '$ eval "$(mailcap env --format shell)"'],
    run: async (args) => (await import('./env.ts')).env(args),
  },
  reset: {
    group: 'Server',
    summary: 'Delete all mail and return to the seeded state',
    isClient: true,
    options: { yes: YES_OPTION },
    examples: ['reset', 'reset --yes'],
    run: async (args) => (await import('./reset.ts')).reset(args),
  },
  'store copy': {
    group: 'Server',
    summary: 'Copy a whole store between files and PostgreSQL',
    operands: [
      { name: 'from', required: true },
      { name: 'to', required: true },
    ],
    options: {
      storeBlobs: {
        flag: 'store-blobs',
        type: 'string',
        value: '<url>',
        default: null,
        help: 's3://bucket for the bodies of the copy',
      },
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
    group: 'Server',
    summary: 'Find problems that keep a server from working here',
    options: {
      url: CLIENT_OPTIONS.url,
      host: { flag: 'host', type: 'string', default: null, help: 'Address that the server is to listen on' },
      port: { flag: 'port', type: 'port', default: null, help: 'HTTP port' },
      smtpPort: { flag: 'smtp-port', type: 'port', default: null, help: 'SMTP port' },
      dataDir: { flag: 'data-dir', type: 'string', default: null, help: 'Directory that stores the state' },
      store: {
        flag: 'store',
        type: 'string',
        default: null,
        help: 'Its store, if it is in another place',
        pair: 'store-file',
      },
      storeFile: { flag: 'store-file', type: 'string', default: null },
      storeBlobs: {
        flag: 'store-blobs',
        type: 'string',
        default: null,
        help: 'The bucket of the bodies, if it has moved',
      },
    },
    examples: ['doctor', 'doctor --json', 'doctor --smtp-port 2525'],
    run: async (args) => (await import('./doctor.ts')).doctor(args),
  },
  health: {
    group: 'Server',
    summary: 'Ask the running server whether it is up',
    besides: 'status',
    isClient: true,
    options: {
      host: { ...OPTIONS.host, default: null, help: 'Its address, as --host of dev' },
      port: { flag: 'port', type: 'port', default: null, help: 'Its HTTP port' },
      wait: { flag: 'wait', type: 'seconds', default: null, help: 'Ask until it is up; after this time exit code 3' },
    },
    examples: ['health', 'health --wait 30s', 'health --url http://mailcap:8025'],
    run: async (args) => (await import('../health.ts')).health(args),
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
    run: async (args) => (await import('../mcp.ts')).mcp(args),
  },
} as const satisfies Commands;
