import type { Commands } from '../command.ts';

export const SHELL_COMMANDS = {
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
