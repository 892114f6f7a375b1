import { sentenceOfCode } from '../../../ui/model/refusals.ts';
import { RefusedError } from '../../client/errors.ts';
import { UserError } from '../../config/user-error.ts';
import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../command.ts';
import { connectTo, findMailbox } from '../connect.ts';
import { print, printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';
import { writeSize } from '../write.ts';
import { type ImportFormat, readArchive } from './read-archive.ts';

const PATIENCE_MS = 5 * 60_000;
const FORMATS: readonly ImportFormat[] = ['auto', 'eml', 'mboxrd', 'mboxo', 'maildir'];

/** Runs `mailcap import`: stores one message after the other, so that their order stays, and prints the id of each. */
export async function importMail(args: Arguments): Promise<number> {
  const format = args.oneOf('format', FORMATS, 'auto');
  const json = args.isOn('json');
  const client = await connectTo(args, PATIENCE_MS);
  const { id, subdomain } = await findMailbox(client, args.text('mailbox'));
  let count = 0;
  let size = 0;
  let empty = 0;
  const counted = new Map<string, number>();
  await withProgress('importing', null, async (progress) => {
    for (const path of args.operands) {
      for await (const { source, bytes } of readArchive(path, format)) {
        if (bytes.length === 0) {
          say(`${source} is empty and was left out.`);
          empty += 1;
          continue;
        }
        const message = await client.local.putMessage(id, bytes).catch((error: unknown) => {
          throw refusedAt(error, source, count);
        });
        count += 1;
        size += bytes.length;
        counted.set(path, (counted.get(path) ?? 0) + 1);
        progress.add(1);
        if (json) printJson(message);
        else if (!process.stdout.isTTY) print(message.id);
      }
    }
  }).catch((error: unknown) => {
    // The sentence of a refusal already holds the number.
    const isTold = error instanceof UserError && error.cause instanceof RefusedError;
    if (!isTold && count > 0) say(`${saidCount(count, 'message')} imported into ${subdomain} before this error:`);
    throw error;
  });
  say(
    `${saidCount(count, 'message')} (${writeSize(size)}) imported into ${subdomain}${bySource(args.operands, counted)}${empty === 0 ? '' : `; ${saidCount(empty, 'empty file')} left out`}.`,
  );
  return empty === 0 ? EXIT.done : EXIT.failed;
}

/** Formats the number of messages of each path, if there are several paths. */
function bySource(paths: readonly string[], counts: ReadonlyMap<string, number>): string {
  if (paths.length < 2) return '';
  const shown = paths.slice(0, 10).map((path) => `${(counts.get(path) ?? 0).toLocaleString('en-US')} of ${path}`);
  const more = paths.length > shown.length ? [`and ${paths.length - shown.length} more`] : [];
  return `: ${[...shown, ...more].join(', ')}`;
}

/** Builds the error of a refused message. Messages before it stay, so the sentence tells where to continue. */
function refusedAt(error: unknown, source: string, count: number): unknown {
  if (!(error instanceof RefusedError) || error.code === 'unauthorized') return error;
  return new UserError(
    `${source} was refused after ${saidCount(count, 'message')}:  ${sentenceOfCode(error.code, error.extra)}`,
    1,
    { cause: error },
  );
}
