import { createInterface } from 'node:readline/promises';
import { UserError } from '../config/user-error.ts';
import type { Arguments } from './arguments.ts';
import { EXIT } from './command.ts';
import { say } from './output.ts';

/**
 * Tells whether the user agrees to `act` ("delete 3 messages of inbox"): by --yes, or by answering yes at the terminal.
 * Throws a {@link UserError} if there is no terminal to ask at.
 */
export async function isAgreed(args: Arguments, act: string, follows: string | null = null): Promise<boolean> {
  if (args.isOn('yes')) return true;
  const what = follows === null ? act : `${act}. ${follows}`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError(
      `this would ${what.replace(/\.$/, '')}. Nobody can be asked here: give --yes to have it done.`,
      EXIT.misuse,
    );
  const question = follows === null ? `${capital(act)}?` : `${capital(act)}?\n${follows}\nGo on?`;
  if (await confirm(question)) return true;
  say('nothing was done.');
  return false;
}

/** Asks on standard error, because the output of commands goes to standard output. Any answer but yes means no. */
async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // readline catches Ctrl-C, so it must be handled here.
  lines.once('SIGINT', () => process.exit(EXIT.interrupted));
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    if (answer === null) process.stderr.write('\n');
    return answer !== null && /^y(es)?$/i.test(answer.trim());
  } catch {
    // The terminal was closed.
    return false;
  } finally {
    lines.close();
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
