import { ConfigError } from '../../config/user-error.ts';
import type { Arguments } from '../arguments.ts';
import type { Commands } from '../command.ts';
import { optionsOf } from '../options-of.ts';
import { print } from '../output.ts';
import { bashScript } from './bash.ts';
import type { Completed } from './completed.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `mailcap completion <shell>`: a script made of the table of commands, which needs no mailcap to run. */
export async function completion(args: Arguments, all: Commands): Promise<number> {
  const shell = args.operand() ?? '';
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new ConfigError(`${shell}: no completion for this shell; there are bash, zsh and fish.`);
  print(script(completedCommands(all)));
  return 0;
}

export function completedCommands(all: Commands): readonly Completed[] {
  return Object.entries(all).map(([name, command]) => {
    const [first = name, second = null] = name.split(' ');
    const options = Object.values(optionsOf(command)).map(({ flag, type, help }) => ({
      flag: `--${flag}`,
      help: help ?? '',
      choices: typeof type === 'object' ? type.oneOf : [],
      takesValue: type !== 'boolean',
    }));
    const takesPath = name === 'import' || name === 'export';
    const operands = name === 'completion' ? ['bash', 'zsh', 'fish'] : [];
    return { first, second, summary: command.summary, options, operands, takesPath };
  });
}
