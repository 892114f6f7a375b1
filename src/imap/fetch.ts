import { markEach } from '../actions/mark-messages.ts';
import { unlessGone } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { MAX_HEADER_BYTES } from '../mail/header-block.ts';
import { bodyStart, fieldsOf, type MimeTreePart, readMimeTree } from '../mail/mime-tree.ts';
import { momentNow } from '../ports/system.ts';
import type { LineConnection } from '../reading/line-connection.ts';
import { writeFlags } from './flags.ts';
import type { FetchedSection, FetchItem, Section } from './grammar.ts';
import type { Entry, SelectedMailbox } from './selected.ts';
import { bodyStructure, dateTime, envelope } from './write.ts';

/** The messages whose rows are read at a time. */
const BATCH = 200;
/** The small mails that are read at a time, and what counts as small. */
const READS = 32;
const SMALL_BYTES = 64 * 1024;
/** The large mails that all sessions together hold in memory. */
const LARGE_AT_ONCE = 8;
/** The bytes that are written at once. */
const WRITE_BYTES = 64 * 1024;

/** What the sessions of a server share: envelopes that were read, and the room for large mails. */
export class FetchMemory {
  static readonly #MOST = 20_000;
  static readonly #MOST_CHARACTERS = 4_096;
  readonly #envelopes = new Map<MessageId, string>();
  readonly #waiting: (() => void)[] = [];
  #large = 0;

  envelope(id: MessageId): string | undefined {
    return this.#envelopes.get(id);
  }

  keepEnvelope(id: MessageId, text: string): void {
    if (text.length > FetchMemory.#MOST_CHARACTERS) return;
    this.#envelopes.set(id, text);
    if (this.#envelopes.size <= FetchMemory.#MOST) return;
    // A map keeps the order in which its entries came.
    for (const oldest of this.#envelopes.keys()) {
      this.#envelopes.delete(oldest);
      break;
    }
  }

  async withRoom<T>(act: () => Promise<T>): Promise<T> {
    while (this.#large >= LARGE_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#large++;
    try {
      return await act();
    } finally {
      this.#large--;
      this.#waiting.shift()?.();
    }
  }
}

export interface Fetch {
  readonly ctx: Context;
  readonly connection: LineConnection;
  readonly memory: FetchMemory;
  readonly selected: SelectedMailbox;
  readonly items: readonly FetchItem[];
}

type Piece = string | Buffer;

/**
 * Answers FETCH for the messages at these indexes. Returns false if some of them are gone, which the client learns with
 * its next command.
 */
export async function fetchMessages(fetch: Fetch, indexes: readonly number[]): Promise<boolean> {
  const { ctx, connection, selected } = fetch;
  let isWhole = true;
  const out = new Answers(connection);
  for (let at = 0; at < indexes.length && !connection.isCancelled; at += BATCH) {
    const some = indexes.slice(at, at + BATCH);
    const entries = some.map((index) => selected.entries[index]).filter((entry) => entry !== undefined);
    const read = await readsOf(fetch, entries);
    const needsRow = fetch.items.some(({ kind }) => kind !== 'UID' && kind !== 'FLAGS');
    const ids = entries.map(({ id }) => id);
    const rows = needsRow ? await ctx.store.read.messages.many(ids, momentNow(ctx.clock)) : null;
    const tasks = entries.map((entry, index) => ({
      entry,
      number: (some[index] ?? 0) + 1,
      row: rows?.[index] ?? null,
    }));
    for (const batch of byWeight(tasks)) {
      const answers = await Promise.all(
        batch.map(({ entry, number, row }) => {
          if (needsRow && row === null) return null;
          const answer = () => answerOf(fetch, entry, row, read.has(entry));
          const isLarge = row !== null && row.sizeBytes > SMALL_BYTES;
          const pieces = isLarge && needsBytes(fetch.items) ? fetch.memory.withRoom(answer) : answer();
          return pieces.then((list) => (list === null ? null : [`* ${number} FETCH (`, ...list, ')\r\n']));
        }),
      );
      for (const [index, pieces] of answers.entries()) {
        const entry = batch[index]?.entry;
        if (pieces === null && entry !== undefined) {
          selected.lose(entry);
          isWhole = false;
        }
      }
      await out.add(answers.flat());
    }
  }
  await out.flush();
  return isWhole;
}

function needsBytes(items: readonly FetchItem[]): boolean {
  return items.some(({ kind }) => kind === 'SECTION' || kind === 'BODY' || kind === 'BODYSTRUCTURE');
}

/** Divides the messages so that several small ones are read at a time, and each large one alone. */
function* byWeight<T extends { readonly row: Message | null }>(tasks: readonly T[]): Generator<T[]> {
  let some: T[] = [];
  for (const task of tasks) {
    const isLarge = (task.row?.sizeBytes ?? 0) > SMALL_BYTES;
    if (isLarge && some.length > 0) {
      yield some;
      some = [];
    }
    some.push(task);
    if (!isLarge && some.length < READS) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Collects answers, so that many short ones are one write. */
class Answers {
  readonly #connection: LineConnection;
  #held: Buffer[] = [];
  #bytes = 0;

  constructor(connection: LineConnection) {
    this.#connection = connection;
  }

  async add(pieces: readonly (Piece | null)[]): Promise<void> {
    for (const piece of pieces) {
      if (piece === null) continue;
      const chunk = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
      this.#held.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes >= WRITE_BYTES) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#bytes = 0;
    if (held.length > 0) await this.#connection.write(Buffer.concat(held));
  }
}

/** Marks the messages as read whose text is fetched without PEEK. Returns those that were unread. */
async function readsOf({ ctx, connection, selected, items }: Fetch, entries: readonly Entry[]): Promise<Set<Entry>> {
  const reads = items.some((item) => item.kind === 'SECTION' && !item.isPeek) && !selected.isReadOnly;
  const unread = reads ? entries.filter(({ flags }) => !flags.isRead) : [];
  if (unread.length === 0) return new Set();
  const ids = unread.map(({ id }) => id);
  await markEach(ctx, ids, { read: true }, { workspaceId: selected.mailbox.workspaceId, cancelSignal: connection });
  await selected.refresh();
  selected.forget(unread);
  return new Set(unread);
}

async function answerOf(fetch: Fetch, entry: Entry, row: Message | null, wasRead: boolean): Promise<Piece[] | null> {
  const source = row === null ? null : new Source(fetch, row);
  const pieces: Piece[] = [];
  const items = wasRead && !fetch.items.some(({ kind }) => kind === 'FLAGS') ? [FLAGS, ...fetch.items] : fetch.items;
  for (const item of items) {
    if (pieces.length > 0) pieces.push(' ');
    if (item.kind === 'UID') pieces.push(`UID ${entry.uid}`);
    else if (item.kind === 'FLAGS') pieces.push(`FLAGS ${writeFlags(entry.flags)}`);
    else if (row === null || source === null) return null;
    else if (item.kind === 'INTERNALDATE') pieces.push(`INTERNALDATE ${dateTime(row.receivedAt)}`);
    else if (item.kind === 'RFC822.SIZE') pieces.push(`RFC822.SIZE ${row.sizeBytes}`);
    else if (item.kind === 'ENVELOPE') {
      const text = await source.envelope();
      if (text === null) return null;
      pieces.push(`ENVELOPE ${text}`);
    } else {
      const raw = await source.whole();
      if (raw === null) return null;
      if (item.kind === 'SECTION') pieces.push(...(await sectionOf(item, raw, source)));
      else pieces.push(`${item.kind} ${bodyStructure(await source.tree(raw), item.kind === 'BODYSTRUCTURE')}`);
    }
  }
  return pieces;
}

const FLAGS: FetchItem = { kind: 'FLAGS' };

/** The bytes of one message and what they say, each read once. */
class Source {
  readonly #fetch: Fetch;
  readonly #row: Message;
  #raw: Promise<Buffer | null> | null = null;
  #tree: Promise<MimeTreePart> | null = null;

  constructor(fetch: Fetch, row: Message) {
    this.#fetch = fetch;
    this.#row = row;
  }

  whole(): Promise<Buffer | null> {
    const { ctx } = this.#fetch;
    this.#raw ??= unlessGone(ctx, this.#row, () => ctx.store.blobs.read(this.#row.raw));
    return this.#raw;
  }

  tree(raw: Buffer): Promise<MimeTreePart> {
    this.#tree ??= readMimeTree(raw);
    return this.#tree;
  }

  async envelope(): Promise<string | null> {
    const { memory } = this.#fetch;
    const known = memory.envelope(this.#row.id);
    if (known !== undefined) return known;
    const header = await readMailHeader(this.#fetch.ctx, this.#row);
    if (header === null) return null;
    const text = envelope(header);
    memory.keepEnvelope(this.#row.id, text);
    return text;
  }
}

/** Reads the header of a message with its empty line, and no more of a large mail. Null if the message is gone. */
export function readMailHeader(ctx: Context, row: Message): Promise<Buffer | null> {
  return unlessGone(ctx, row, async () => {
    if (row.sizeBytes <= SMALL_BYTES) {
      const raw = await ctx.store.blobs.read(row.raw);
      return raw.subarray(0, bodyStart(raw));
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of ctx.store.blobs.stream(row.raw)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_HEADER_BYTES || Buffer.concat(chunks).includes('\r\n\r\n')) break;
    }
    const raw = Buffer.concat(chunks);
    return raw.subarray(0, bodyStart(raw));
  });
}

/** Writes a section: `BODY[1.TEXT] {3}` and its bytes, or NIL if there is no such part. */
async function sectionOf({ name, section, partial }: FetchedSection, raw: Buffer, source: Source): Promise<Piece[]> {
  const all = await bytesOf(section, raw, source);
  if (all === null) return [`${name} NIL`];
  const bytes = partial === null ? all : all.subarray(partial.from, partial.from + partial.length);
  return [`${name} {${bytes.length}}\r\n`, bytes];
}

async function bytesOf(section: Section, raw: Buffer, source: Source): Promise<Buffer | null> {
  const { part, text } = section;
  if (part.length === 0) {
    const start = bodyStart(raw);
    return text === null ? raw : textOf(section, raw.subarray(0, start), raw.subarray(start));
  }
  const found = partAt(await source.tree(raw), part);
  if (found === null) return null;
  if (text === null) return raw.subarray(found.bodyFrom, found.to);
  if (text === 'MIME') return raw.subarray(found.from, found.bodyFrom);
  // The others are of a mail within the mail (RFC 3501 6.4.5).
  const [mail] = found.type === 'MESSAGE' ? found.children : [];
  if (mail === undefined) return null;
  return textOf(section, raw.subarray(mail.from, mail.bodyFrom), raw.subarray(mail.bodyFrom, mail.to));
}

function textOf({ text, fields }: Section, header: Buffer, body: Buffer): Buffer {
  if (text === 'TEXT') return body;
  if (text === 'HEADER') return header;
  const names = new Set(fields.map((field) => field.toLowerCase()));
  const isWanted = (name: string) => names.has(name) === (text === 'HEADER.FIELDS');
  const wanted = fieldsOf(header).filter(({ name }) => isWanted(name));
  return Buffer.concat([...wanted.map(({ bytes }) => bytes), Buffer.from('\r\n')]);
}

function partAt(root: MimeTreePart, numbers: readonly number[]): MimeTreePart | null {
  let at: MimeTreePart = root;
  for (const [depth, number] of numbers.entries()) {
    // A mail within the mail has the numbers of its own parts.
    const [mail] = depth > 0 && at.type === 'MESSAGE' ? at.children : [];
    const whole = mail ?? at;
    const isDivided = whole.type === 'MULTIPART' && whole.children.length > 0;
    const isBody = !isDivided && number === 1 && (depth === 0 || mail !== undefined);
    const next = isDivided ? whole.children[number - 1] : isBody ? whole : undefined;
    if (next === undefined) return null;
    at = next;
  }
  return at;
}
