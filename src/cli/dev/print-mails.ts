import { NO_SUBJECT } from '../../../ui/model/words.ts';
import type { Mailcap } from '../../index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { printText } from '../output.ts';

/** The fields of `message.received` that are printed. */
interface Received {
  readonly at: string;
  readonly data: { readonly to: string | null; readonly from: string | null; readonly subject: string | null };
}

/**
 * Prints a line for each mail from now on, where no terminal shows them: in a CI job, in a container, in a file. A slow
 * reader delays only its own lines.
 */
export function printMails(server: Mailcap): () => void {
  const { stdout } = process;
  const mails = server.follow(['message.received'], (bytes) => {
    const events = bytes.toString('utf8').trimEnd().split('\n');
    // The cast is safe: this process wrote the line.
    return printText(events.map((event) => lineOf(JSON.parse(event) as Received)).join(''));
  });
  const resume = () => mails.resume();
  stdout.on('drain', resume);
  return () => {
    stdout.off('drain', resume);
    mails.end();
  };
}

function lineOf({ at, data: { to, from, subject } }: Received): string {
  const named = (text: string | null) => harmlessLine(text ?? '') || 'nobody';
  return `${at} mail to ${named(to)} from ${named(from)}: ${harmlessLine(subject ?? '') || NO_SUBJECT}\n`;
}
