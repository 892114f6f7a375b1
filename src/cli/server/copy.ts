import { readStorePlace } from '../../config/store-place.ts';
import { copyWholeStore } from '../../index.ts';
import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../command.ts';
import { printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';

/** Runs `mailcap store copy`: copies a whole store, byte for byte, into an empty place. */
export async function copy(args: Arguments): Promise<number> {
  const cwd = process.cwd();
  const from = readStorePlace(args.operand(0) ?? '', 'from', cwd);
  const to = readStorePlace(args.operand(1) ?? '', 'to', cwd);
  const copied = await withProgress('copying', null, (progress) => copyWholeStore(from, to, progress), true);
  if (args.isOn('json')) printJson(copied);
  const { messages = 0, requests = 0, sends = 0 } = copied.rows;
  const counts = [saidCount(messages, 'message'), saidCount(requests, 'captured request'), saidCount(sends, 'send')];
  say(`${counts.join(', ')} and all else: ${saidCount(copied.total, 'row')} copied, read back and equal.`);
  return EXIT.done;
}
