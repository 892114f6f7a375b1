import { createInterface } from 'node:readline/promises';
import { UserError } from '../config/user-error.ts';
import { printed } from '../text/harmless.ts';
import { asSentence, SAID } from '../text/wording.ts';
import { type Arguments, EXIT } from './command.ts';
import { sayShared, sayText } from './output.ts';

/**
 * Tells whether the user agrees to `act` ("delete 3 messages of inbox"): by --yes, or by answering yes at the terminal.
 * If not, it prints `declined`. Throws a {@link UserError} if there is no terminal to ask at.
 */
export async function isAgreed(
  args: Arguments,
  act: string,
  follows: string | null = null,
  declined: string = SAID.nothingDeleted,
): Promise<boolean> {
  if (args.isOn('yes')) return true;
  const what = follows === null ? act : `${act}. ${follows}`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError(
      `this would ${what.replace(/\.$/, '')}. There is no terminal to confirm it: add --yes to do it.`,
      EXIT.misuse,
    );
  const question = follows === null ? `${asSentence(act)}?` : `${asSentence(act)}?\n${follows}\nGo on?`;
  if (await confirm(question)) return true;
  sayShared(declined);
  return false;
}

/** Asks on standard error, because the output of commands goes to standard output. Any answer but yes means no. */
async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // readline catches Ctrl-C, so it must be handled here.
  lines.once('SIGINT', () => process.exit(EXIT.interrupted));
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(printed(`${question} [y/N] `)), closed]);
    if (answer === null) sayText('\n');
    return answer !== null && /^y(es)?$/i.test(answer.trim());
  } catch {
    // The terminal was closed.
    return false;
  } finally {
    lines.close();
  }
}
