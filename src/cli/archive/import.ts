import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RefusedError } from '../../client/errors.ts';
import { UserError } from '../../config/user-error.ts';
import { sentenceOfCode } from '../../text/refusals.ts';
import { saidCount } from '../../text/said.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printJson, say, writeSize } from '../output.ts';
import { withProgress } from '../progress.ts';
import { standardInput, whyUnreadable } from '../read-given.ts';
import { fromMbox, type MboxKind } from './mbox.ts';

const PATIENCE_MS = 5 * 60_000;
const FORMATS: readonly ImportFormat[] = ['auto', 'eml', 'mboxrd', 'mboxo', 'maildir'];

/** Runs `mailcap import`: stores one message after the other, so that their order stays, and prints the id of each. */
export async function importMail(args: Arguments): Promise<number> {
  const format = args.oneOf('format', FORMATS, 'auto');
  const json = args.isOn('json');
  const client = await connect(args, PATIENCE_MS);
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

type ImportFormat = 'auto' | 'eml' | 'maildir' | MboxKind;

/** A message and the path it was read from. */
interface ArchivedMessage {
  readonly source: string;
  readonly bytes: Buffer;
}

/**
 * Reads the messages of an .eml file, an mbox, a Maildir or a directory of .eml files, in order. The path `-` is
 * standard input. Throws a {@link UserError} if the path can't be read.
 */
export async function* readArchive(path: string, format: ImportFormat): AsyncGenerator<ArchivedMessage, void, void> {
  if (path === '-') {
    yield* readStream('standard input', standardInput(), format);
    return;
  }
  const about = await stat(path).catch(refusing(path));
  if (!about.isDirectory()) {
    // A message may begin with "From " too, so the extension of the file decides.
    yield* readStream(path, createReadStream(path), format === 'auto' && /\.eml$/i.test(path) ? 'eml' : format);
    return;
  }
  for (const file of await filesOf(path, format).catch(refusing(path)))
    yield { source: file, bytes: await readFile(file).catch(refusing(file)) };
}

async function* readStream(
  source: string,
  chunks: AsyncIterable<Buffer>,
  format: ImportFormat,
): AsyncGenerator<ArchivedMessage> {
  try {
    const { head, all } = await peek(chunks);
    const isMbox = format === 'auto' ? head.subarray(0, 5).toString('latin1') === 'From ' : format.startsWith('mbox');
    if (!isMbox) {
      const parts: Buffer[] = [];
      for await (const chunk of all) parts.push(chunk);
      const bytes = Buffer.concat(parts);
      if (format === 'auto' && bytes.length > 0) checkIsMail(source, bytes);
      if (bytes.length > 0) yield { source, bytes };
      return;
    }
    let count = 0;
    for await (const bytes of fromMbox(all, format === 'mboxo' ? 'mboxo' : 'mboxrd')) {
      count += 1;
      yield { source: `message ${count} of ${source}`, bytes };
    }
  } catch (error) {
    throw unreadable(source, error);
  }
}

/** The first header field of a mail (RFC 5322 section 2.2). */
const FIELD = /^[!-9;-~]{1,200}[ \t]*:/;
const PACKED = [
  ['gzip', [0x1f, 0x8b], 'zcat'],
  ['zip', [0x50, 0x4b, 0x03, 0x04], 'unzip -p'],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd], 'zstdcat'],
] as const;

/** Throws a {@link UserError} for content that is clearly not a mail, such as a compressed file. */
function checkIsMail(source: string, bytes: Buffer): void {
  const first = bytes
    .subarray(0, 1_000)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .replace(/^(?:\r?\n)+/, '');
  if (FIELD.test(first)) return;
  const packed = PACKED.find(([, magic]) => magic.every((byte, at) => bytes[at] === byte));
  if (packed !== undefined) {
    const [name, , unpack] = packed;
    throw new UserError(
      `${source} is compressed with ${name}: \`${unpack} ${source} | mailcap import -\` imports its content.`,
    );
  }
  throw new UserError(
    `${source} is not a mail, because it does not begin with a header field. Use --format eml to import it anyway.`,
  );
}

/** Returns the first chunk, and an iterator of all chunks. */
async function peek(chunks: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let ended = false;
  // Five bytes are enough to tell the format. A pipe may deliver them one by one.
  while (head.length < 5 && !ended) {
    const next = await iterator.next();
    if (next.done) ended = true;
    else head = Buffer.concat([head, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer, void, void> {
    if (head.length > 0) yield head;
    while (!ended) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  }
  return { head, all: all() };
}

async function filesOf(path: string, format: ImportFormat): Promise<string[]> {
  const hasFolders = format !== 'eml' && (await isMaildir(path));
  if (format === 'maildir' && !hasFolders)
    throw new UserError(`${path} is not a Maildir: it has no cur and no new directory.`);
  return hasFolders ? filesOfMaildir(path) : emlFilesOf(path);
}

async function isMaildir(path: string): Promise<boolean> {
  const names = await readdir(path);
  return names.includes('cur') && names.includes('new');
}

/** Lists the files of a Maildir in the order of their names, which begin with the time of delivery. */
async function filesOfMaildir(path: string): Promise<string[]> {
  const found: { name: string; file: string }[] = [];
  for (const folder of ['cur', 'new']) {
    for (const entry of await readdir(join(path, folder), { withFileTypes: true })) {
      if (entry.isFile() && !entry.name.startsWith('.'))
        found.push({ name: entry.name, file: join(path, folder, entry.name) });
    }
  }
  return found.sort((a, b) => inOrder(a.name, b.name)).map(({ file }) => file);
}

async function emlFilesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && /\.eml$/i.test(entry.name));
  if (files.length === 0)
    throw new UserError(`${path} holds no .eml file and is not a Maildir: name a file or another directory.`);
  return files.map((entry) => join(entry.parentPath, entry.name)).sort(inOrder);
}

/** Compares file names: numbers by value, so that `2.eml` stands before `10.eml`, other names by their letters. */
function inOrder(a: string, b: string): number {
  const [one, other] = [numberOf(a), numberOf(b)];
  if (one !== null && other !== null && one !== other) return one - other;
  return a < b ? -1 : 1;
}

function numberOf(path: string): number | null {
  const digits = /^\d+(?![\da-z])/i.exec(basename(path))?.[0];
  return digits === undefined ? null : Number(digits);
}

function refusing(path: string): (error: unknown) => never {
  return (error) => {
    throw unreadable(path, error);
  };
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof UserError) return error;
  return new UserError(`${path}: ${whyUnreadable(error)}.`, 1, { cause: error });
}
