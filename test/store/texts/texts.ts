import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageId } from '../../../src/domain/ids.ts';
import type { Mailbox } from '../../../src/domain/mailbox.ts';
import { SEARCH_FIELDS, type SearchDocument } from '../../../src/domain/search/document.ts';
import type { Disk } from '../../../src/ports/storage.ts';
import type { Store } from '../../../src/ports/store.ts';
import { nodeDisk } from '../../../src/store/disk/node-disk.ts';
import { TextLibrary } from '../../../src/store/texts/library.ts';
import type { LibraryCalls } from '../../../src/store/texts/message-texts.ts';
import { FileShelf, MemoryShelf } from '../../../src/store/texts/shelf.ts';
import type { TextPlace } from '../../../src/store/texts/text-thread.ts';
import { at } from '../../support/moment.ts';
import { deliver, NOON } from '../rows.ts';

/** Runs the library of a store's texts in this thread, with small blocks, so that few messages make merges. */
export function textsHere({ directory, store }: TextPlace, disk: Disk = nodeDisk): LibraryCalls {
  const shelf = directory === null ? new MemoryShelf() : new FileShelf(disk, directory, store);
  const opened = TextLibrary.open(shelf, [8, 32]);
  return {
    open: async () => (await opened).open(),
    add: async (after, texts) => (await opened).add(after, texts),
    compare: async (cover, ids) => (await opened).compare(cover, ids),
    erase: async (gone) => (await opened).erase(gone),
    find: async (request) => (await opened).find(request),
    close: async () => {},
  };
}

/** A document with one body. */
export function documentWith(body: string): SearchDocument {
  // The cast is safe: each field gets its texts.
  const texts = Object.fromEntries(
    SEARCH_FIELDS.map((field) => [field, field === 'body' ? [body] : []]),
  ) as unknown as SearchDocument['texts'];
  return { texts, hasCode: false, hasLink: false, hasInline: false, hasHtml: false };
}

/** The body of the message of a number: a word that all have, one that some have, and one that it alone has. */
export const bodyOf = (number: number) => `common every${number % 3} alone${number}x`;

/** Stores messages without texts, and returns their ids, the oldest first. */
export async function fill(store: Store, mailbox: Mailbox, count: number): Promise<MessageId[]> {
  const ids: MessageId[] = [];
  for (let number = 0; number < count; number++) ids.push((await deliver(store, mailbox)).id);
  return ids;
}

/** Prepares the missing texts of messages, a few at a time, as the server does. Returns how many it prepared. */
export async function prepare(store: Store, all: readonly MessageId[], atATime = 5): Promise<number> {
  let prepared = 0;
  for (let last = ''; ; ) {
    const missing = await store.texts.missing(atATime);
    if (missing.length === 0) return prepared;
    if (missing[0]?.id === last) throw new Error(`${last} gets no text`);
    last = missing[0]?.id ?? '';
    await store.texts.add(missing.map(({ id }) => ({ id, document: documentWith(bodyOf(all.indexOf(id))) })));
    prepared += missing.length;
  }
}

/** Finds messages by a word. A message without a text counts by its number, as a search that reads its mail finds it. */
export async function findWord(store: Store, all: readonly MessageId[], word: string): Promise<number[]> {
  const found: number[] = [];
  const left = [...all].reverse();
  const query = [{ kind: 'text' as const, field: 'body' as const, not: false, text: word }];
  for await (const { downTo, found: hits } of store.texts.find(query, {})) {
    const end = downTo === null ? left.length : left.findIndex((id) => id < downTo);
    const stretch = left.splice(0, end < 0 ? left.length : end);
    if (hits === null) found.push(...stretch.map((id) => all.indexOf(id)).filter((n) => bodyOf(n).includes(word)));
    else found.push(...hits.map(({ id }) => all.indexOf(id)));
  }
  const rows = await store.read.messages.many(
    found.map((number) => all[number] as MessageId), // each number is in range
    at(NOON),
  );
  return found.filter((_number, index) => rows[index] !== null);
}

export const textFiles = (directory: string) =>
  readdirSync(join(directory, 'texts'))
    .sort()
    .map((name) => join(directory, 'texts', name))
    .filter((path) => statSync(path).isFile());

/** Tells whether a file of the texts contains a word. */
export const isOnDisk = (directory: string, word: string) =>
  textFiles(directory).some((path) => readFileSync(path).includes(word));
