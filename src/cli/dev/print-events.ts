import type { Mailcap } from '../../index.ts';

/** Every event from now on is a line of JSON (docs/contract.md#starting-a-server). A reader that is slow is waited for, at the cost of nobody. */
export function printEvents(server: Mailcap): () => void {
  const { stdout } = process;
  const events = server.follow(undefined, (lines) => stdout.write(lines));
  const resume = () => events.resume();
  stdout.on('drain', resume);
  return () => {
    stdout.off('drain', resume);
    events.end();
  };
}
