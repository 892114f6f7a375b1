import { LocalOnlyError, MailcapError, NoServerError, OptionError, RefusedError } from '../client/errors.ts';
import { UserError } from '../config/user-error.ts';
import { EXIT } from './command.ts';

/** What the client throws, as a sentence and an exit code; anything else as it is. */
export function asUserError(error: unknown): unknown {
  if (!(error instanceof MailcapError)) return error;
  return new UserError(sentenceOf(error), exitCodeOf(error), { cause: error });
}

function exitCodeOf(error: MailcapError): number {
  if (error instanceof NoServerError) return EXIT.unreachable;
  return error instanceof OptionError ? EXIT.misuse : EXIT.failed;
}

function sentenceOf(error: MailcapError): string {
  const { message } = error;
  if (error instanceof RefusedError) return oneLine(message.replace(/^\S+ was refused:/, 'the server refused:'));
  if (error instanceof NoServerError) return oneLine(message.replace(/^\S+ did not reach /, 'no server answers at '));
  if (error instanceof LocalOnlyError)
    return 'this needs the local API, which this server does not have: `mailcap dev` or a mailcap container has.';
  return oneLine(message);
}

/** A hint stands on a line of its own. */
function oneLine(message: string): string {
  return message
    .split('\n')
    .map((line, at, all) => (at < all.length - 1 && !/[.!?:]$/.test(line) ? `${line}.` : line))
    .join(' ');
}
