import type { Command } from '../command.ts';
import { YES_OPTION } from '../common-options.ts';
import { MANAGERS, RUNNERS } from './project.ts';

/** The row of `mailcap init` in the table of commands. */
export const INIT_COMMAND = {
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
  run: async (args) => (await import('./init.ts')).init(args),
} as const satisfies Command;
