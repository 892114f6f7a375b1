import { markEach } from '../actions/mark-messages.ts';
import { unlessGone } from '../actions/read-message.ts';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import { MAX_HEADER_BYTES } from '../mail/header-block.ts';
import { bodyStart, fieldsOf, type MimeTreePart, readMimeTree } from '../mail/mime-tree.ts';
import { type Clock, momentNow } from '../ports/system.ts';
import type { LineConnection } from '../reading/line-connection.ts';
import { ListRoom } from '../reading/list-room.ts';
import { Semaphore } from '../semaphore.ts';
import { writeFlags } from './flags.ts';
import type { FetchedSection, FetchItem, Section } from './grammar.ts';
import { KeptEnvelopes } from './kept-envelopes.ts';
import type { Entry, SelectedMailbox } from './selected.ts';
import { bodyStructure, dateTime, envelope } from './write.ts';

/** The messages that are read at a time, and the bytes of their mails. */
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;
/** A mail up to this size is read with others. A larger one is read for itself. */
const SMALL_BYTES = 64 * 1024;
/** The bytes of a small mail that are read for its header. Few headers are longer. */
const HEADER_BYTES = 8 * 1024;
/** The large mails that all sessions together read at a time. */
const LARGE_AT_ONCE = 8;
/** The large mails that stay in memory for the next part that a client asks for. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;
const KEPT_MS = 10_000;
/** The bytes of mails that are looked at before others have their turn. */
const BYTES_PER_TURN = 64 * 1024;
/** The bytes that are written at once. */
const WRITE_BYTES = 64 * 1024;
/** The bytes of a large mail that are written at once, so that it is known how far a slow client has read. */
const LARGE_WRITE_BYTES = 1024 * 1024;
/** The bytes of large mails that all sessions together hold while their clients read them. */
const MOST_SENT_BYTES = 256 * 1024 * 1024;
/** A client that reads nothing for so long, in milliseconds, gives way to one that waits for a large mail. */
const STALLED_MS = 10_000;
/** The milliseconds between two looks for such clients. */
const LOOK_MS = 1_000;

/**
 * The sessions of a server share this: the room for their lists, the room for large mails and those that were read last,
 * and the envelopes of the last minute.
 */
export class FetchMemory {
  readonly lists = new ListRoom();
  readonly envelopes = new KeptEnvelopes();
  /** The room for large mails that are read. */
  readonly large = new Semaphore(LARGE_AT_ONCE);
  readonly #kept = new Map<MessageId, { readonly source: Source; readonly bytes: number }>();
  #keptBytes = 0;
  readonly #sending = new Map<LineConnection, number>();
  readonly #senders: (() => void)[] = [];
  #sentBytes = 0;
  readonly #turns: (() => void)[] = [];

  /**
   * Lets others have the event loop. Of all sessions that wait for their turn, one goes on in each round of the loop, so
   * that many of them together hold it no longer than one.
   */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#turns.push(resolve);
      if (this.#turns.length === 1) setImmediate(() => this.#nextTurn());
    });
  }

  #nextTurn(): void {
    this.#turns.shift()?.();
    if (this.#turns.length > 0) setImmediate(() => this.#nextTurn());
  }

  /** Returns a large mail that was read a moment ago: clients fetch one in many parts. */
  kept(id: MessageId): Source | undefined {
    return this.#kept.get(id)?.source;
  }

  keep(ctx: Context, { id, sizeBytes: bytes }: Message, source: Source): void {
    if (bytes > MOST_KEPT_BYTES || this.#kept.has(id)) return;
    this.#kept.set(id, { source, bytes });
    this.#keptBytes += bytes;
    // A map keeps the order in which its entries came.
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MOST_KEPT_BYTES) break;
      this.#drop(oldest);
    }
    ctx.clock.after(KEPT_MS, () => this.#drop(id, source));
  }

  /**
   * Sends a large mail of so many bytes, once those that other clients read leave room for it. Of these clients, one that
   * reads nothing loses its connection.
   */
  async withRoomToSend(
    clock: Clock,
    connection: LineConnection,
    bytes: number,
    send: () => Promise<void>,
  ): Promise<void> {
    while (this.#sending.size > 0 && this.#sentBytes + bytes > MOST_SENT_BYTES) {
      for (const one of this.#sending.keys()) if (one.idleMs > STALLED_MS) one.cut();
      await new Promise<void>((resolve) => {
        const callOff = clock.after(LOOK_MS, resolve);
        this.#senders.push(() => {
          callOff();
          resolve();
        });
      });
      if (connection.isCancelled) return;
    }
    this.#sending.set(connection, bytes);
    this.#sentBytes += bytes;
    try {
      await send();
    } finally {
      this.#sending.delete(connection);
      this.#sentBytes -= bytes;
      for (const look of this.#senders.splice(0)) look();
    }
  }

  #drop(id: MessageId, source?: Source): void {
    const kept = this.#kept.get(id);
    if (kept === undefined || (source !== undefined && kept.source !== source)) return;
    this.#kept.delete(id);
    this.#keptBytes -= kept.bytes;
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

/** What of a mail the items are made of. */
type Need = 'nothing' | 'header' | 'whole';

/**
 * Answers FETCH for the messages at these indexes. Returns false if some of them are gone, which the client learns with
 * its next command.
 */
export async function fetchMessages(fetch: Fetch, indexes: readonly number[]): Promise<boolean> {
  const { connection } = fetch;
  const out = new Answers(connection);
  const need = fetch.items.map(needOf).reduce(greater, 'nothing');
  const looks = fetch.items.filter((item) => needOf(item) !== 'nothing').length;
  let isWhole = true;
  let bytes = 0;
  for await (const { entries, mails } of readAhead(fetch, indexes, need)) {
    if (connection.isCancelled) break;
    const read = await readsOf(fetch, entries);
    await fetch.memory.turn();
    await out.add([fetch.selected.takeKeywords()]);
    for (const entry of entries) {
      if (connection.isCancelled) break;
      if (fetch.selected.wasNeverListed(entry)) {
        isWhole = false;
        continue;
      }
      const mail = fetch.selected.isGone(entry) ? null : (mails.get(entry.id) ?? null);
      // Large mails of a batch would fill the memory if those that are answered stayed.
      mails.delete(entry.id);
      // Most answers wait for nothing, and a promise for each would take longer than to write it.
      if (typeof mail === 'string' || need === 'nothing') {
        out.hold(listedAnswer(fetch, entry, typeof mail === 'string' ? mail : null));
        if (out.isFull) await out.flush();
      } else {
        const answer = () => answerOf(fetch, entry, mail, read.has(entry.id), need);
        const send = async (pieces: readonly Piece[] | null) => {
          if (pieces !== null) return out.add(pieces);
          fetch.selected.lose(entry);
          isWhole = false;
        };
        const size = fetch.selected.list.sizeBytes(entry.index);
        if (need !== 'whole' || size <= SMALL_BYTES) await send(await answer());
        else
          await fetch.memory.withRoomToSend(fetch.ctx.clock, connection, size, async () =>
            send(await fetch.memory.large.run(answer)),
          );
      }
      // What is read already waits for nothing, so others would have no turn.
      bytes += looks * (typeof mail === 'string' ? mail.length : fetch.selected.list.sizeBytes(entry.index));
      if (bytes < BYTES_PER_TURN) continue;
      bytes = 0;
      await fetch.memory.turn();
    }
  }
  await out.flush();
  return isWhole;
}

const NEEDS: readonly Need[] = ['nothing', 'header', 'whole'];

function greater(one: Need, other: Need): Need {
  return NEEDS.indexOf(one) > NEEDS.indexOf(other) ? one : other;
}

function needOf(item: FetchItem): Need {
  if (item.kind === 'ENVELOPE') return 'header';
  if (item.kind === 'BODY' || item.kind === 'BODYSTRUCTURE') return 'whole';
  if (item.kind !== 'SECTION') return 'nothing';
  const { part, text } = item.section;
  return part.length === 0 && text?.startsWith('HEADER') ? 'header' : 'whole';
}

/** Divides the messages so that the mails of a batch fit the memory. */
function* batches({ selected }: Fetch, indexes: readonly number[], need: Need): Generator<readonly number[]> {
  let some: number[] = [];
  let bytes = 0;
  for (const index of indexes) {
    some.push(index);
    if (need !== 'nothing') bytes += Math.min(selected.list.sizeBytes(index), SMALL_BYTES);
    if (some.length < BATCH && bytes < BATCH_BYTES) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}

/** Messages, and the bytes of their mails, or the envelopes that are written already. One that is not there is gone. */
interface Batch {
  readonly entries: readonly Entry[];
  readonly mails: Map<MessageId, Source | string>;
}

/** Reads the messages batch by batch, each while the one before it is answered. */
async function* readAhead(fetch: Fetch, indexes: readonly number[], need: Need): AsyncGenerator<Batch> {
  const isEnvelope = fetch.items.every((item) => item.kind === 'ENVELOPE' || needOf(item) === 'nothing');
  let next: Promise<Batch> | null = null;
  for (const some of batches(fetch, indexes, need)) {
    const entries = some.map((index) => fetch.selected.entry(index));
    const reading = readBatch(fetch, entries, need, isEnvelope);
    // Its error is thrown when its turn comes.
    reading.catch(() => {});
    if (next !== null) yield await next;
    next = reading;
  }
  if (next !== null) yield await next;
}

async function readBatch(fetch: Fetch, entries: readonly Entry[], need: Need, isEnvelope: boolean): Promise<Batch> {
  const mails = new Map<MessageId, Source | string>();
  if (need === 'nothing') return { entries, mails };
  if (isEnvelope) await readEnvelopes(fetch, entries, mails);
  const missing = entries.filter(({ id }) => !mails.has(id)).map(({ id }) => id);
  if (missing.length > 0) for (const source of await sourcesOf(fetch, missing, need)) mails.set(source.row.id, source);
  return { entries, mails };
}

/** Reads the envelopes of small mails from the first bytes of each, without its row. Others are left out. */
async function readEnvelopes(
  { ctx, memory, selected }: Fetch,
  entries: readonly Entry[],
  into: Map<MessageId, Source | string>,
): Promise<void> {
  const ids: MessageId[] = [];
  for (const { id, index } of entries) {
    const kept = memory.envelopes.get(id);
    if (kept !== undefined) into.set(id, kept);
    else if (selected.list.sizeBytes(index) <= SMALL_BYTES) ids.push(id);
  }
  if (ids.length === 0) return;
  const raws = await ctx.store.read.messages.raws(ids, momentNow(ctx.clock));
  const there = ids.filter((_, nth) => raws[nth] !== null);
  const starts = await ctx.store.blobs.readSmall(
    raws.filter((raw) => raw !== null),
    HEADER_BYTES,
  );
  let bytes = 0;
  for (const [nth, id] of there.entries()) {
    const header = wholeHeaderIn(starts[nth] ?? NOTHING);
    if (header === null) continue;
    const written = envelope(header);
    memory.envelopes.keep(ctx, id, written);
    into.set(id, written);
    bytes += header.length;
    if (bytes < BYTES_PER_TURN) continue;
    bytes = 0;
    await memory.turn();
  }
}

/** Returns the header in the first bytes of a mail with its empty line. Null if it may go on behind them. */
function wholeHeaderIn(start: Buffer): Buffer | null {
  const from = bodyStart(start);
  return from > 0 && from < start.length ? start.subarray(0, from) : null;
}

/** Finds the mails of messages. The small ones are read at once. */
async function sourcesOf({ ctx, memory }: Fetch, ids: readonly MessageId[], need: Need): Promise<Source[]> {
  const rows = await ctx.store.read.messages.many(ids, momentNow(ctx.clock));
  const there = rows.filter((row) => row !== null);
  const found = await readSmallMails(ctx, there, need === 'header' ? HEADER_BYTES : undefined);
  return there.map((row, index) => memory.kept(row.id) ?? new Source(ctx, row, found[index] ?? null));
}

/** Reads the mails that are small, or at least so many bytes of each. One that is not read is null. */
async function readSmallMails(ctx: Context, rows: readonly Message[], enough?: number): Promise<(Buffer | null)[]> {
  const small = rows.filter(({ sizeBytes }) => sizeBytes <= SMALL_BYTES);
  const refs = small.map(({ raw }) => raw);
  const read = await ctx.store.blobs.readSmall(refs, enough);
  const found = new Map(refs.map((ref, index) => [ref, read[index] ?? null]));
  return rows.map(({ raw }) => found.get(raw) ?? null);
}

/** Collects answers, so that many short ones are one write. */
class Answers {
  readonly #connection: LineConnection;
  readonly #held: Piece[] = [];
  #bytes = 0;

  constructor(connection: LineConnection) {
    this.#connection = connection;
  }

  async add(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) this.hold(piece);
    if (this.isFull) await this.flush();
  }

  hold(piece: Piece): void {
    const last = this.#held.length - 1;
    if (typeof piece === 'string' && typeof this.#held[last] === 'string') this.#held[last] += piece;
    else this.#held.push(piece);
    this.#bytes += piece.length;
  }

  get isFull(): boolean {
    return this.#bytes >= WRITE_BYTES;
  }

  async flush(): Promise<void> {
    const held = this.#held.splice(0);
    this.#bytes = 0;
    const small: Buffer[] = [];
    const writeSmall = async () => {
      if (small.length > 0) await this.#connection.write(Buffer.concat(small.splice(0)));
    };
    for (const piece of held) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
      if (bytes.length < WRITE_BYTES) small.push(bytes);
      else {
        // A copy of a large mail would be as large.
        await writeSmall();
        for (let at = 0; at < bytes.length; at += LARGE_WRITE_BYTES)
          await this.#connection.write(bytes.subarray(at, at + LARGE_WRITE_BYTES));
      }
    }
    await writeSmall();
  }
}

/** Marks the messages as read whose text is fetched without PEEK. Returns those that were unread. */
async function readsOf(
  { ctx, connection, selected, items }: Fetch,
  entries: readonly Entry[],
): Promise<ReadonlySet<MessageId>> {
  const reads = items.some((item) => item.kind === 'SECTION' && !item.isPeek) && !selected.isReadOnly;
  const unread = reads ? entries.filter(({ index }) => !selected.list.isRead(index)) : [];
  if (unread.length === 0) return NOBODY;
  const ids = unread.map(({ id }) => id);
  await markEach(ctx, ids, { read: true }, { workspaceId: selected.mailbox.workspaceId, cancelSignal: connection });
  await selected.refresh();
  selected.forget(unread);
  return new Set(ids);
}

const NOBODY: ReadonlySet<MessageId> = new Set();

/** Writes an answer of what the list tells, and of an envelope. */
function listedAnswer({ selected, items }: Fetch, { index }: Entry, envelope: string | null): string {
  let text = `* ${index + 1} FETCH (`;
  for (const [nth, item] of items.entries()) {
    if (nth > 0) text += ' ';
    text += listedItem(selected, item, index) ?? `ENVELOPE ${envelope}`;
  }
  return `${text})\r\n`;
}

/** Writes an item that the list tells. Null for others. */
function listedItem(selected: SelectedMailbox, { kind }: FetchItem, index: number): string | null {
  switch (kind) {
    case 'UID':
      return `UID ${selected.uid(index)}`;
    case 'FLAGS':
      return `FLAGS ${writeFlags(selected.flags(index))}`;
    case 'INTERNALDATE':
      return `INTERNALDATE ${dateTime(selected.list.receivedAt(index))}`;
    case 'RFC822.SIZE':
      return `RFC822.SIZE ${selected.list.sizeBytes(index)}`;
    default:
      return null;
  }
}

async function answerOf(
  { ctx, selected, memory, items: asked }: Fetch,
  { id, index }: Entry,
  mail: Source | null,
  wasRead: boolean,
  need: Need,
): Promise<Piece[] | null> {
  if (mail === null) return null;
  const items = wasRead && !asked.some(({ kind }) => kind === 'FLAGS') ? [FLAGS, ...asked] : asked;
  const pieces: Piece[] = [];
  let text = `* ${index + 1} FETCH (`;
  for (const [nth, item] of items.entries()) {
    if (nth > 0) text += ' ';
    const listed = listedItem(selected, item, index);
    if (listed !== null) {
      text += listed;
      continue;
    }
    const isOfHeader = needOf(item) === 'header';
    const bytes = await (!isOfHeader ? mail.whole() : need === 'header' ? mail.header() : mail.headerOfWhole());
    if (bytes === null) return null;
    if (item.kind === 'SECTION') {
      const part = isOfHeader ? textOf(item.section, bytes, NOTHING) : await bytesOf(item.section, bytes, mail);
      const [head, section] = sectionOf(item, part);
      pieces.push(text + head, section);
      text = '';
      if (!isOfHeader && item.partial !== null && bytes.length > SMALL_BYTES) memory.keep(ctx, mail.row, mail);
    } else if (item.kind === 'ENVELOPE') {
      const written = envelope(bytes);
      memory.envelopes.keep(ctx, id, written);
      text += `ENVELOPE ${written}`;
    } else text += `${item.kind} ${bodyStructure(await mail.tree(bytes), item.kind === 'BODYSTRUCTURE')}`;
  }
  pieces.push(`${text})\r\n`);
  return pieces;
}

const FLAGS: FetchItem = { kind: 'FLAGS' };
const NOTHING = Buffer.alloc(0);

/** The bytes of one message and what they say, each read once. */
class Source {
  readonly row: Message;
  readonly #ctx: Context;
  #raw: Promise<Buffer | null> | null;
  #header: Promise<Buffer | null> | null = null;
  #tree: Promise<MimeTreePart> | null = null;

  /** @param start the first bytes of the mail, if they are read already */
  constructor(ctx: Context, row: Message, start: Buffer | null) {
    this.#ctx = ctx;
    this.row = row;
    const isWhole = start?.length === row.sizeBytes;
    this.#raw = isWhole ? Promise.resolve(start) : null;
    const header = start === null || isWhole ? null : wholeHeaderIn(start);
    if (header !== null) this.#header = Promise.resolve(header);
  }

  whole(): Promise<Buffer | null> {
    const ctx = this.#ctx;
    this.#raw ??= unlessGone(ctx, this.row, () => ctx.store.blobs.read(this.row.raw));
    return this.#raw;
  }

  /** The header with its empty line. No more of a large mail is read, unless it is read already. */
  header(): Promise<Buffer | null> {
    const isLarge = this.#raw === null && this.row.sizeBytes > SMALL_BYTES;
    this.#header ??= isLarge ? readMailHeader(this.#ctx, this.row) : this.headerOfWhole();
    return this.#header;
  }

  async headerOfWhole(): Promise<Buffer | null> {
    const raw = await this.whole();
    return raw === null ? null : raw.subarray(0, bodyStart(raw));
  }

  tree(raw: Buffer): Promise<MimeTreePart> {
    this.#tree ??= readMimeTree(raw);
    return this.#tree;
  }
}

/** Reads the headers of messages with their empty lines. One is null if its message is gone. */
export async function readMailHeaders(ctx: Context, rows: readonly (Message | null)[]): Promise<(Buffer | null)[]> {
  const there = rows.filter((row) => row !== null);
  const read = await readSmallMails(ctx, there, HEADER_BYTES);
  const starts = new Map(there.map(({ id }, index) => [id, read[index] ?? null]));
  const headers: (Buffer | null)[] = [];
  for (const row of rows)
    headers.push(row === null ? null : await new Source(ctx, row, starts.get(row.id) ?? null).header());
  return headers;
}

/** Reads the header of a large mail with its empty line, and no more. Null if the message is gone. */
function readMailHeader(ctx: Context, row: Message): Promise<Buffer | null> {
  return unlessGone(ctx, row, async () => {
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
function sectionOf({ name, partial }: FetchedSection, all: Buffer | null): [head: string, bytes: Buffer] {
  if (all === null) return [`${name} NIL`, NOTHING];
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
