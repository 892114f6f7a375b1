import { saidReset } from '../../text/wording.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connectTo } from '../connect.ts';
import { printJson, sayShared } from '../output.ts';
import { withProgress } from '../progress.ts';
import { previewReset } from '../reset-preview.ts';

/** The timeout of a reset, in milliseconds. A large store takes a while. */
const PATIENCE_MS = 10 * 60_000;

/** Runs `mailcap reset`: returns the server to its seeded state, after asking the user. */
export async function reset(args: Arguments): Promise<number> {
  const client = await connectTo(args, PATIENCE_MS);
  const { url, holds, follows, gone, revived } = await previewReset(client);
  if (!(await isAgreed(args, `reset ${url}, which holds ${holds}`, follows))) return EXIT.failed;
  await withProgress('resetting', null, () => client.local.reset());
  if (args.isOn('json')) printJson({ reset: true });
  else sayShared([saidReset(gone ?? 'nothing'), ...(revived === null ? [] : [revived])].join(' '));
  return EXIT.done;
}
