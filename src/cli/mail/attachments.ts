import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttachmentResponse } from '../../client/index.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { makeDirectory } from '../../make-directory.ts';
import { attachmentFileName, numberedFileName } from '../../text/file-name.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { errorCode } from '../../text/unknown.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { listNumber } from '../named.ts';
import { print, printBytes, printJson, writeSize } from '../output.ts';
import { printList } from '../table.ts';
import { messageNamed } from './message-named.ts';

/**
 * Runs `mailcap messages attachments`: lists the attachments of a message, prints the bytes of the named one, or with
 * --save writes them to a directory under safe names.
 */
export async function attachments(args: Arguments): Promise<number> {
  const [directory, named] = [args.text('save'), args.text('name')];
  if (directory === null && args.isOn('force')) throw new ConfigError('--force needs --save <directory>.');
  const client = await connect(args);
  const { id, mailboxId } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const { attachments: all } = await client.getMessage(mailboxId, id);
  const chosen = named === null ? all : [attachmentNamed(all, named)];
  const bytesOf = (one: AttachmentResponse) => client.local.getAttachment(id, one.id);
  if (directory !== null) return saveAll(args, directory, chosen, bytesOf);
  const [only] = chosen;
  if (named !== null && only !== undefined) {
    await printBytes(await bytesOf(only));
    return EXIT.done;
  }
  return printList(
    args,
    all.map((attachment, at) => ({ ...attachment, number: at + 1 })),
    [
      { title: '#', of: ({ number }) => number, align: 'right' },
      { title: 'NAME', of: ({ filename }) => filename, flexible: true },
      { title: 'TYPE', of: ({ contentType }) => contentType, from: 60 },
      { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right' },
    ],
    'the message has no attachment.',
  );
}

/** Finds an attachment by its position in the list, or by its name. */
function attachmentNamed(all: readonly AttachmentResponse[], named: string): AttachmentResponse {
  const number = listNumber(named);
  const found = all.find(({ filename }) => filename === named) ?? (number === null ? undefined : all[number - 1]);
  if (found !== undefined) return found;
  const there = all.map(({ filename }) => harmlessLine(filename ?? 'without a name', 60)).join(', ');
  throw new UserError(
    `${named}: no such attachment; ${all.length === 0 ? 'the message has none' : `there are: ${there}`}.`,
  );
}

async function saveAll(
  args: Arguments,
  directory: string,
  chosen: readonly AttachmentResponse[],
  bytesOf: (one: AttachmentResponse) => Promise<Uint8Array>,
): Promise<number> {
  const saved: { path: string; sizeBytes: number }[] = [];
  try {
    makeDirectory(directory);
    for (const attachment of chosen) {
      const bytes = await bytesOf(attachment);
      const name = await write(directory, attachmentFileName(attachment.filename ?? ''), bytes, args.isOn('force'));
      saved.push({ path: join(directory, name), sizeBytes: bytes.length });
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UserError(`${directory} can't be written (${errorCode(error) ?? error.message}).`);
  }
  if (args.isOn('json')) printJson(saved);
  else for (const { path } of saved) print(path);
  return EXIT.done;
}

/** The most names that are tried for one attachment. */
const MOST_NAMES = 1_000;

/** Writes a new file, never through a link. A name that is taken gets a number, unless it may be replaced. */
async function write(directory: string, name: string, bytes: Uint8Array, replaces: boolean): Promise<string> {
  const { rm } = await import('node:fs/promises');
  if (replaces) await rm(join(directory, name), { force: true });
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : numberedFileName(name, number);
    try {
      await writeFile(join(directory, free), bytes, { flag: 'wx', mode: 0o600 });
      return free;
    } catch (error) {
      const isTaken = errorCode(error) === 'EEXIST';
      if (!isTaken || number >= MOST_NAMES) throw error;
    }
  }
}
