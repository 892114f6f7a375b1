import type { Mailcap } from '../../index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { nameOfMessage } from '../../text/wording.ts';
import { printJsonText, printText } from '../output.ts';

// `mailcap dev` prints the events of its server as they come. A slow reader delays only its own lines.

/** The fields of `message.received` that are printed. */
interface Received {
  readonly at: string;
  readonly data: {
    readonly kind?: string;
    readonly to: string | null;
    readonly from: string | null;
    readonly subject: string | null;
  };
}

/** Prints every event as a line of JSON (docs/feed.md#other-ways-to-get-the-events). Returns a function that ends it. */
export function printEvents(server: Mailcap): () => void {
  return printFeed(server, undefined, (lines) => printJsonText(lines));
}

/**
 * Prints a line for each mail, where no terminal shows them: in a CI job, in a container, in a file. Returns a function
 * that ends it.
 */
export function printMails(server: Mailcap): () => void {
  return printFeed(server, ['message.received'], (lines) => {
    const events = lines.trimEnd().split('\n');
    // The cast is safe: this process wrote the line.
    return printText(events.map((event) => lineOf(JSON.parse(event) as Received)).join(''));
  });
}

function printFeed(server: Mailcap, types: Parameters<Mailcap['follow']>[0], print: (lines: string) => boolean) {
  const { stdout } = process;
  const events = server.follow(types, (bytes) => print(bytes.toString('utf8')));
  const resume = () => events.resume();
  stdout.on('drain', resume);
  return () => {
    stdout.off('drain', resume);
    events.end();
  };
}

function lineOf({ at, data: { kind, to, from, subject } }: Received): string {
  const named = (text: string | null) => harmlessLine(text ?? '') || 'nobody';
  const title = nameOfMessage({ subject, kind }, 2_000);
  return `${at} ${kind === 'sms' ? 'text' : 'mail'} to ${named(to)} from ${named(from)}: ${title}\n`;
}
