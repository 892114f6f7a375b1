import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { extname, join } from 'node:path';
import { onRefusal } from '../../client/errors.ts';
import type { Client, MessageSummaryResponse } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { makeDirectory } from '../../make-directory.ts';
import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { readPages, SEARCH_PATIENCE } from '../mail/count.ts';
import { printBytes, printJson, say } from '../output.ts';
import { withProgress } from '../progress.ts';
import { toMbox } from './mbox.ts';

const PATIENCE_MS = 5 * 60_000;

/** Runs `mailcap export`: writes the messages of a mailbox, oldest first, byte for byte. */
export async function exportMail(args: Arguments): Promise<number> {
  const path = args.operand() ?? '';
  const format = formatOf(args, path);
  const client = await connect(args, PATIENCE_MS);
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const messages = await oldestFirst(client, mailbox.id, args.text('query'));
  const ids = messages.map(({ id }) => id);
  const archive = await openArchive(path, format, ids, args.isOn('force'));
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
    await archive.close?.();
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
  const messages = await readPages<MessageSummaryResponse>(Number.POSITIVE_INFINITY, (page) =>
    client.local.searchMessages(mailboxId, { ...page, total: false, query: query ?? undefined }, SEARCH_PATIENCE),
  );
  return messages.reverse();
}

/** Fetches a message; null if it was deleted meanwhile. */
async function outgoing(
  client: Client,
  { id, receivedAt }: MessageSummaryResponse,
  format: ExportFormat,
): Promise<MessageToWrite | null> {
  const read = async () => {
    const { buffer, byteOffset, byteLength } = await client.local.getRawMessage(id);
    const sender = format === 'mbox' ? (await client.local.getMessageFacts(id)).envelope.mailFrom : '';
    return { id, bytes: Buffer.from(buffer, byteOffset, byteLength), sender, receivedAt: Date.parse(receivedAt) };
  };
  return read().catch(onRefusal('not_found', null));
}

type ExportFormat = 'eml' | 'mbox' | 'maildir';

interface MessageToWrite {
  readonly id: string;
  readonly bytes: Buffer;
  readonly sender: string;
  /** The time of receipt, in milliseconds since 1970. */
  readonly receivedAt: number;
}

interface ArchiveWriter {
  add(message: MessageToWrite): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Opens an archive for writing the messages with these ids. `replaces` allows it to overwrite files. Throws a
 * {@link UserError} if the path can't be written, or if a file that it would overwrite exists.
 */
async function openArchive(
  path: string,
  format: ExportFormat,
  ids: readonly string[],
  replaces: boolean,
): Promise<ArchiveWriter> {
  try {
    switch (format) {
      case 'mbox':
        return path === '-' ? mboxOnStandardOutput() : await mboxFile(path, replaces);
      case 'eml':
        return path === '-' ? oneOnStandardOutput() : await emlDirectory(path, ids, replaces);
      case 'maildir':
        return await maildir(path);
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

function mboxOnStandardOutput(): ArchiveWriter {
  return { add: (message) => printBytes(toMbox(message.bytes, message)) };
}

function oneOnStandardOutput(): ArchiveWriter {
  let written = 0;
  return {
    add: (message) => {
      written += 1;
      if (written > 1)
        throw new UserError('standard output takes several messages only as an mbox: give --format mbox.', 2);
      return printBytes(message.bytes);
    },
  };
}

async function mboxFile(path: string, replaces: boolean): Promise<ArchiveWriter> {
  const stream = createWriteStream(path, { mode: 0o600, flags: replaces || isDevice(path) ? 'w' : 'wx' });
  await new Promise<void>((resolve, reject) => stream.once('open', () => resolve()).once('error', reject));
  const written = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => act((error) => (error ? reject(unwritable(path, error)) : resolve())));
  return {
    add: (message) => written((done) => stream.write(toMbox(message.bytes, message), done)),
    close: () => written((done) => stream.end(done)),
  };
}

async function emlDirectory(path: string, ids: readonly string[], replaces: boolean): Promise<ArchiveWriter> {
  makeDirectory(path);
  const there = new Set(readdirSync(path));
  const taken = ids.map((id) => `${id}.eml`).find((name) => there.has(name));
  // Nothing is written if one file can't be.
  if (taken !== undefined && !replaces) throw new UserError(`${join(path, taken)} ${whyNot('EEXIST')}`);
  return { add: ({ id, bytes }) => writeNew(join(path, `${id}.eml`), bytes, replaces) };
}

/** Writes a new file, never through a link. */
async function writeNew(path: string, bytes: Uint8Array, replaces: boolean): Promise<void> {
  try {
    if (replaces) await rm(path, { force: true });
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Writes each file in `tmp` and moves it to `new`, so that a reader of the Maildir never sees a partial message. */
async function maildir(path: string): Promise<ArchiveWriter> {
  for (const folder of ['tmp', 'new', 'cur']) makeDirectory(join(path, folder), 0o700);
  const host = hostname().replaceAll('/', '\\057').replaceAll(':', '\\072');
  return {
    add: async ({ id, bytes, receivedAt }) => {
      // The name begins with the second of receipt and goes on with the id, so that names sort in the order of receipt.
      const name = `${Math.floor(receivedAt / 1_000)}.${id}.${host}`;
      // Only an interrupted export leaves this name there, or somebody who wants a link followed.
      await writeNew(join(path, 'tmp', name), bytes, true);
      await rename(join(path, 'tmp', name), join(path, 'new', name));
    },
  };
}

/** Tells whether the path is a device or a pipe, such as /dev/stdout, which may be written to although it exists. */
function isDevice(path: string): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  return about !== undefined && !about.isFile() && !about.isDirectory();
}

function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof UserError) return error;
  return new UserError(`${path} ${whyNot(String(error.code))}`, 1, { cause: error });
}

const LACKS_PERMISSION = "can't be written: this user lacks the permission.";
const IS_FULL = "can't be written: the disk is full.";

const WHY_NOT: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'exists already: overwrite it with --force, or choose another name.'],
  ['EISDIR', 'is a directory: name a file in it for an mbox, or choose --format eml or maildir.'],
  ['ENOTDIR', "can't be created: a part of its path is not a directory."],
  ['ENOENT', "can't be created: its directory does not exist, or the system allows no new files there."],
  ['EACCES', LACKS_PERMISSION],
  ['EPERM', LACKS_PERMISSION],
  ['EROFS', LACKS_PERMISSION],
  ['ENOSPC', IS_FULL],
  ['EDQUOT', IS_FULL],
]);

function whyNot(code: string): string {
  return WHY_NOT.get(code) ?? `can't be written (${code}).`;
}
