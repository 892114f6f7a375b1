import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { RefusedError } from '../../client/errors.ts';
import type { Client, MessageSummaryResponse } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../arguments.ts';
import { connectTo, findMailbox } from '../connect.ts';
import { SEARCH_PATIENCE } from '../mail/count.ts';
import { printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';
import { type ExportFormat, type MessageToWrite, openArchive } from './write-archive.ts';

const PATIENCE_MS = 5 * 60_000;
const PAGE = 200;

/** Runs `mailcap export`: writes the messages of a mailbox, oldest first, byte for byte. */
export async function exportMail(args: Arguments): Promise<number> {
  const path = args.operand() ?? '';
  const format = formatOf(args, path);
  const client = await connectTo(args, PATIENCE_MS);
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const messages = await oldestFirst(client, mailbox.id, args.text('query'));
  const archive = await openArchive(
    path,
    format,
    messages.map(({ id }) => id),
    args.isOn('force'),
  );
  let count = 0;
  await withProgress('exporting', messages.length, async (progress) => {
    for (const summary of messages) {
      const message = await outgoing(client, summary, format);
      progress.add(1);
      if (message === null) continue;
      await archive.add(message);
      count += 1;
      if (args.isOn('json') && path !== '-') printJson({ id: message.id });
    }
    await archive.close();
  });
  say(`${saidCount(count, 'message')} of ${mailbox.subdomain} written${path === '-' ? '' : ` to ${path}`}.`);
  return 0;
}

/**
 * Returns the format of --format, or else the format that the path implies. Throws a {@link UserError} if the path has
 * another extension.
 */
function formatOf(args: Arguments, path: string): ExportFormat {
  const format = args.oneOf('format', ['auto', 'eml', 'mbox', 'maildir'], 'auto');
  if (format === 'maildir' && path === '-') throw new UserError('a Maildir is a directory: name one.', 2);
  if (format !== 'auto') return format;
  if (path === '-' || /\.mbo?x$/i.test(path)) return 'mbox';
  if (/maildir\/?$/i.test(path)) return 'maildir';
  const extension = extname(path);
  if (path.endsWith('/') || extension === '' || isDirectory(path)) return 'eml';
  if (/^\.eml$/i.test(extension))
    throw new UserError(
      `${path} would be a single message: \`mailcap messages raw > ${path}\` writes one. For all of them name a directory, as in mail/.`,
      2,
    );
  throw new UserError(
    `${path}: mailcap writes no ${extension} files. Name a directory for .eml files (mail/), an mbox (mail.mbox) or a Maildir (Maildir/), or give the format with --format.`,
    2,
  );
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Lists the messages through the local API, which has no rate limit. */
async function oldestFirst(client: Client, mailboxId: string, query: string | null): Promise<MessageSummaryResponse[]> {
  const messages: MessageSummaryResponse[] = [];
  for (let before: string | undefined; ; ) {
    const search = { limit: PAGE, before, ...(query === null ? {} : { query }) };
    const { items, next } = await client.local.searchMessages(mailboxId, search, SEARCH_PATIENCE);
    messages.push(...items);
    if (next === null) return messages.reverse();
    before = next;
  }
}

/** Fetches a message; null if it was deleted meanwhile. */
async function outgoing(
  client: Client,
  { id, receivedAt }: MessageSummaryResponse,
  format: ExportFormat,
): Promise<MessageToWrite | null> {
  try {
    const { buffer, byteOffset, byteLength } = await client.local.getRawMessage(id);
    const sender = format === 'mbox' ? (await client.local.getMessage(id)).envelope.mailFrom : '';
    return { id, bytes: Buffer.from(buffer, byteOffset, byteLength), sender, receivedAt: Date.parse(receivedAt) };
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'not_found') return null;
    throw error;
  }
}
