import type { Command } from '../command.ts';
import { YES_OPTION } from '../yes-option.ts';
import { MANAGERS, RUNNERS } from './project.ts';

/** The row of `mailcap init` in the table of commands. */
export const INIT_COMMAND = {
  group: 'Server',
  summary: 'Add mailcap to this project, with a first test',
  options: {
    yes: { ...YES_OPTION, help: 'Do not ask; needed without a terminal' },
    dryRun: { flag: 'dry-run', type: 'boolean', default: false, help: 'Only tell what would be done' },
    runner: { flag: 'runner', type: { oneOf: RUNNERS }, value: '<runner>', default: null, help: RUNNERS.join(', ') },
    manager: { flag: 'manager', type: { oneOf: MANAGERS }, value: '<name>', default: null, help: MANAGERS.join(', ') },
    package: { flag: 'package', type: 'string', default: null, help: 'What to install, if not this version' },
    skipInstall: { flag: 'skip-install', type: 'boolean', default: false, help: 'Write files only' },
  },
  notes: [
    'It looks first: lock file, test runner, language, existing tests and CI. It',
    'overwrites nothing, and what it can not edit safely it prints. A second run',
    'changes nothing.',
  ],
  examples: ['init', 'init --dry-run', 'init --yes --runner vitest'],
  run: async (args) => (await import('./init.ts')).init(args),
} as const satisfies Command;
