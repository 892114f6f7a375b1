import type { Mailcap } from '../../index.ts';
import { printJsonText } from '../output.ts';

/**
 * Prints every event from now on as a line of JSON (docs/feed.md#other-ways-to-get-the-events). A slow reader delays only
 * its own events.
 */
export function printEvents(server: Mailcap): () => void {
  const { stdout } = process;
  const events = server.follow(undefined, (lines) => printJsonText(lines.toString('utf8')));
  const resume = () => events.resume();
  stdout.on('drain', resume);
  return () => {
    stdout.off('drain', resume);
    events.end();
  };
}
