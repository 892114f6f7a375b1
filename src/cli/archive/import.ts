import { saidCount } from '../../../ui/terminal/text/said.ts';
import { RefusedError } from '../../client/errors.ts';
import { UserError } from '../../config/user-error.ts';
import type { Arguments } from '../arguments.ts';
import { connectTo, findMailbox } from '../connect.ts';
import { print, printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';
import { type ImportFormat, readArchive } from './read-archive.ts';

const PATIENCE_MS = 5 * 60_000;
const FORMATS: readonly ImportFormat[] = ['auto', 'eml', 'mboxrd', 'mboxo', 'maildir'];

/** `mailcap import`: one message after the other, so that their order stays. Prints the id of each. */
export async function importMail(args: Arguments): Promise<number> {
  const format = args.oneOf('format', FORMATS, 'auto');
  const json = args.isOn('json');
  const client = await connectTo(args, PATIENCE_MS);
  const { id, subdomain } = await findMailbox(client, args.text('mailbox'));
  let count = 0;
  await withProgress('importing', null, async (progress) => {
    for (const path of args.operands) {
      for await (const { source, bytes } of readArchive(path, format)) {
        const message = await client.local.putMessage(id, bytes).catch((error: unknown) => {
          throw refusedAt(error, source, count);
        });
        count += 1;
        progress.add(1);
        if (json) printJson(message);
        else if (!process.stdout.isTTY) print(message.id);
      }
    }
  });
  say(`${saidCount(count, 'message')} put into ${subdomain}.`);
  return 0;
}

/** What was put in before stays; the sentence tells from where to go on. */
function refusedAt(error: unknown, source: string, count: number): unknown {
  if (!(error instanceof RefusedError)) return error;
  const limits = /_limit_reached$/.test(error.code) ? '; a server started with --limits off has no daily cap' : '';
  return new UserError(`${source}: ${error.code}, after ${saidCount(count, 'message')}${limits}.`, 1, {
    cause: error,
  });
}
