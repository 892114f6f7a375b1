import { saidCount } from '../../../ui/terminal/text/said.ts';
import type { Arguments } from '../arguments.ts';
import { confirm } from '../ask.ts';
import { EXIT } from '../command.ts';
import { connectTo } from '../connect.ts';
import { printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';

/** A large store takes its time. */
const PATIENCE_MS = 10 * 60_000;

/** Back to the seeded state. Asks first where somebody sits at a terminal. */
export async function reset(args: Arguments): Promise<number> {
  const client = await connectTo(args, PATIENCE_MS);
  if (!args.isOn('yes') && process.stdin.isTTY && process.stderr.isTTY) {
    const { url, counts } = await client.local.info();
    const lost = `${saidCount(counts.messages, 'message')} and all mailboxes but the seeded one`;
    if (!(await confirm(`Delete ${lost} of ${url}?`))) {
      say('nothing was deleted.');
      return EXIT.failed;
    }
  }
  await withProgress('resetting', null, () => client.local.reset());
  if (args.isOn('json')) printJson({ reset: true });
  return EXIT.done;
}
