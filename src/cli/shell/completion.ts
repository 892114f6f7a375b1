import { MailcapError } from '../../client/errors.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { SEARCH_WORDS } from '../../text/search-words.ts';
import type { Arguments } from '../arguments.ts';
import type { Commands } from '../command.ts';
import { optionsOf } from '../common-options.ts';
import { connectTo } from '../connect.ts';
import { print } from '../output.ts';
import { bashScript } from './bash.ts';
import type { Completed, CompletedList } from './completed.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The time to wait for the server's names, in milliseconds. */
const PATIENCE_MS = 2_000;
const LISTED_OPTIONS: Readonly<Record<string, CompletedList>> = {
  mailbox: 'mailboxes',
  mailboxes: 'mailboxes',
  webhook: 'webhooks',
};
const LISTED_OPERANDS: Readonly<Record<string, CompletedList>> = {
  mailbox: 'mailboxes',
  webhook: 'webhooks',
  'webhook-or-request': 'webhooks',
};

const WORDS = SEARCH_WORDS.flatMap(({ word, values }) => values?.map((value) => `${word}${value}`) ?? [word]);
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  shell: ['bash', 'zsh', 'fish'],
  words: WORDS,
  'id-or-words': WORDS,
};

/**
 * Runs `mailcap completion <shell>`: prints a script built from the command table. The script calls mailcap only for
 * names of mailboxes and interceptors.
 */
export async function completion(args: Arguments, all: Commands): Promise<number> {
  const shell = args.operand() ?? '';
  if (shell === 'mailboxes' || shell === 'webhooks') return printNames(args, shell);
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new ConfigError(`${shell}: no completion for this shell; there are bash, zsh and fish.`);
  print(script(completedCommands(all)));
  return 0;
}

/** Prints names for the completion scripts, which ask at each Tab. It prints nothing if no server runs. */
async function printNames(args: Arguments, listed: CompletedList): Promise<number> {
  try {
    const client = await connectTo(args, PATIENCE_MS);
    const names =
      listed === 'mailboxes'
        ? (await client.listMailboxes()).map(({ subdomain }) => subdomain)
        : (await client.listWebhooks()).map(({ name, id }) => name ?? id);
    // A name that would need quotes in the shell is not offered.
    for (const name of names) if (/^[\w.@%+-]+$/.test(name)) print(name);
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof MailcapError)) throw error;
  }
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
      listed: LISTED_OPTIONS[flag] ?? null,
    }));
    const takesPath = name === 'import' || name === 'export';
    const [operand] = command.operands ?? [];
    const operands = OPERANDS[operand?.name ?? ''] ?? [];
    const listed = LISTED_OPERANDS[operand?.name ?? ''] ?? null;
    return { first, second, summary: command.summary, options, operands, listed, takesPath };
  });
}
