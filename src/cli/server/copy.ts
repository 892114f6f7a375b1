import { readStorePlace } from '../../config/checks.ts';
import { readS3Place } from '../../config/s3-place.ts';
import { ConfigError } from '../../config/user-error.ts';
import { copyWholeStore } from '../../index.ts';
import { saidCount } from '../../text/said.ts';
import { type Arguments, EXIT } from '../command.ts';
import { printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';

/** Runs `mailcap store copy`: copies a whole store, byte for byte, into an empty place. */
export async function copy(args: Arguments): Promise<number> {
  const cwd = process.cwd();
  const from = readStorePlace(args.operand(0) ?? '', 'from', cwd);
  const to = readStorePlace(args.operand(1) ?? '', 'to', cwd);
  const bucket = args.text('storeBlobs');
  if (bucket !== null && to.kind !== 'postgres')
    throw new ConfigError('--store-blobs goes with a copy into PostgreSQL only.');
  const placeOf = (url: string) => readS3Place(url, process.env);
  const blobs = { to: bucket === null ? null : placeOf(bucket), placeOf };
  const copied = await withProgress('copying', null, (progress) => copyWholeStore(from, to, blobs, progress), true);
  if (args.isOn('json')) printJson(copied);
  const { messages = 0, requests = 0, sends = 0 } = copied.rows;
  const counts = [saidCount(messages, 'message'), saidCount(requests, 'captured request'), saidCount(sends, 'send')];
  say(`${counts.join(', ')} and all else: ${saidCount(copied.total, 'row')} copied, read back and equal.`);
  return EXIT.done;
}
