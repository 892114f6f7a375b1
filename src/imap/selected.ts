import type { Context } from '../context.ts';
import type { EventType, FeedItem } from '../domain/event.ts';
import { feedIdOf } from '../domain/event.ts';
import {
  type EventId,
  isUid,
  type MailboxId,
  type MessageId,
  NUMBER_DIGITS,
  nextUid,
  numberDigits,
  ulidTime,
} from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Marks } from '../domain/marks.ts';
import { kindOf, type Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { type ListRoom, ListsAreFull } from '../reading/list-room.ts';
import { MailboxListing } from '../reading/mailbox-listing.ts';
import type { ListedMessage } from '../reading/message-block.ts';
import { firstIndex } from '../text/first-index.ts';
import { ulidDigits } from '../text/ulid-digits.ts';
import { isKeyword, type MessageFlags, SYSTEM_FLAGS, writeFlags } from './flags.ts';
import type { SequenceSet } from './grammar.ts';

/** The start of 2026, from which UIDVALIDITY counts quarters of a second: it lasts until 2060. */
const EPOCH = Date.UTC(2026, 0, 1);
const QUARTER_MS = 250;
/** The events that are read at a time. */
const EVENTS = 500;
const RETRY_MS = 100;
/** The keywords that FLAGS lists. */
const MOST_KEYWORDS = 1_000;
const TYPES: ReadonlySet<EventType> = new Set(['message.received', 'message.updated', 'message.deleted']);

/** Returns the UIDVALIDITY of a mailbox: a later mailbox of the same name has a higher one (docs/imap.md#uids). */
export function uidValidityOf(id: MailboxId): number {
  return validityAt(ulidTime(id));
}

function validityAt(time: number): number {
  return Math.max(1, Math.floor((time - EPOCH) / QUARTER_MS));
}

/** A message with its place in the list, which is right until news are taken. */
export interface Entry {
  readonly id: MessageId;
  readonly index: number;
}

const NO_FLAGS: ReadonlySet<string> = new Set();

/** The facts that a client was told of a mailbox before it was listed. */
export interface ToldFacts {
  readonly count: number;
  /** The newest id that the mailbox ever held. No message above it is counted. */
  readonly lastId: MessageId;
  /** The position of the feed before the count. */
  readonly position: EventId | null;
}

/**
 * A mailbox that a client has selected: its messages with their numbers, as the client knows them. What changes is read
 * from the feed as it happens, and told when the protocol allows it.
 */
export class SelectedMailbox {
  readonly mailbox: Mailbox;
  readonly isReadOnly: boolean;
  readonly uidValidity: number;
  /** Why the session has to end. Null while it need not. */
  lost: string | null = null;
  readonly #ctx: Context;
  /** The messages that the client knows, by index. Only this class changes it. */
  readonly list: MailboxListing;
  /** The UIDs, if the ids of the messages have no numbers. */
  readonly #uids: number[] | null;
  /** The flags that last as long as the session. */
  readonly #session = new Map<MessageId, ReadonlySet<string>>();
  readonly #arrived: ListedMessage[] = [];
  readonly #expunged = new Set<MessageId>();
  readonly #changed = new Set<MessageId>();
  /** Messages that the client knows of, and that were gone before they were listed. */
  readonly #neverListed = new Set<MessageId>();
  /** The newest id that the client was told of before the list was read. Null if it was told of the list. */
  #toldUpTo: MessageId | null = null;
  /** The keywords that the client knows of, and whether there is another one. */
  readonly #told: Set<string>;
  #hasNewKeyword = false;
  readonly #end: () => void;
  #position: EventId | null;
  #reading: Promise<void> | null = null;
  #isWoken = false;
  #isEnded = false;
  /** Called when something can be told. */
  onNews: () => void = () => {};

  private constructor(
    ctx: Context,
    mailbox: Mailbox,
    isReadOnly: boolean,
    position: EventId | null,
    list: MailboxListing,
  ) {
    this.#ctx = ctx;
    this.mailbox = mailbox;
    this.isReadOnly = isReadOnly;
    this.#position = position;
    this.list = list;
    // Ids of a development version have no numbers in order. Their UIDs last as long as the session, and say so.
    const isNumbered = hasNumbers(list);
    this.#uids = isNumbered ? null : Array.from({ length: list.length }, (_, index) => index + 1);
    this.uidValidity = isNumbered ? uidValidityOf(mailbox.id) : validityAt(ctx.clock.now() - ctx.clock.offsetMs());
    this.#told = new Set([...list.allTags()].flatMap((tags) => tags.filter(isKeyword)));
    this.#end = ctx.store.onCommit(({ mailboxIds, all }) => {
      if (all || mailboxIds.has(mailbox.id)) this.#wake();
    });
  }

  static async open(
    ctx: Context,
    mailbox: Mailbox,
    isReadOnly: boolean,
    signal: CancelSignal,
    room: ListRoom,
  ): Promise<SelectedMailbox> {
    // Later events are applied to the rows, and do no harm to those that show them already.
    const position = await ctx.store.read.events.lastId();
    const list = await MailboxListing.read(ctx, mailbox.id, signal, room);
    const selected = new SelectedMailbox(ctx, mailbox, isReadOnly, position, list);
    await selected.refresh();
    selected.takeNews(true);
    return selected;
  }

  /**
   * Lists the messages of a mailbox of which a client was told before. They have the numbers that the client gives them:
   * what came since is still to be told, and what went since keeps its number until then.
   */
  static async listAfter(
    told: ToldFacts,
    ...[ctx, mailbox, isReadOnly, signal, room]: Parameters<typeof SelectedMailbox.open>
  ): Promise<SelectedMailbox> {
    const list = await MailboxListing.read(ctx, mailbox.id, signal, room);
    const selected = new SelectedMailbox(ctx, mailbox, isReadOnly, told.position, list);
    selected.#holdBack(told);
    selected.#toldUpTo = told.lastId;
    await selected.refresh();
    selected.#toldUpTo = null;
    selected.#insertGone(told.count);
    // No keyword was told either.
    selected.#hasNewKeyword = selected.#told.size > 0;
    return selected;
  }

  /** Takes from the list what the client was not told of. */
  #holdBack({ count, lastId }: ToldFacts): void {
    const list = this.list;
    let known = Math.min(count, list.length);
    while (known > 0 && list.id(known - 1) > lastId) known--;
    const later = Array.from({ length: list.length - known }, (_, nth) => known + nth);
    this.#arrived.push(...later.map((index) => list.message(index)));
    list.removeAll(later);
  }

  /** Gives the messages that went since their numbers. What is not known of them was the oldest: it was cleared or expired. */
  #insertGone(count: number): void {
    const missing = count - this.list.length;
    const known = [...this.#neverListed].sort().slice(-missing);
    const gone = missing <= 0 ? [] : [...oldestIds(missing - known.length), ...known];
    this.#neverListed.clear();
    for (const id of gone) {
      this.#neverListed.add(id);
      this.#expunged.add(id);
    }
    this.list.insertAll(
      gone.map((id) => ({ id, isRead: true, isStarred: false, tags: [], sizeBytes: 0, receivedAt: 0 })),
    );
  }

  /** Returns the number of the first unread message, from 1. 0 if there is none. */
  firstUnread(): number {
    if (this.list.unread === 0) return 0;
    let index = 0;
    while (this.list.isRead(index)) index++;
    return index + 1;
  }

  /** The keywords that messages have. */
  get keywords(): ReadonlySet<string> {
    return this.#told;
  }

  /** Returns `FLAGS` if there are keywords that the client does not know: it has to know them before a message has one. */
  takeKeywords(): string {
    if (!this.#hasNewKeyword) return '';
    this.#hasNewKeyword = false;
    return `* FLAGS (${[...SYSTEM_FLAGS, ...this.#told].join(' ')})\r\n`;
  }

  entry(index: number): Entry {
    return { id: this.list.id(index), index };
  }

  uid(index: number): number {
    return this.#uids === null ? this.list.number(index) : (this.#uids[index] ?? 0);
  }

  /** The flags of a message that the server keeps no mark for. */
  sessionFlags({ id }: Pick<Entry, 'id'>): ReadonlySet<string> {
    return this.#session.get(id) ?? NO_FLAGS;
  }

  flags(index: number): MessageFlags {
    const session = this.#session.size === 0 ? NO_FLAGS : this.sessionFlags(this.entry(index));
    return {
      isRead: this.list.isRead(index),
      isStarred: this.list.isStarred(index),
      tags: this.list.tags(index),
      session,
    };
  }

  /** The messages that have a session's flag, in their order. */
  withSessionFlag(flag: string): Entry[] {
    const having = [...this.#session].filter(([, flags]) => flags.has(flag)).map(([id]) => this.#entryOf(id));
    return having.filter((entry) => entry !== null).sort((a, b) => a.index - b.index);
  }

  /** The UID of the next message. */
  async uidNext(): Promise<number> {
    const last = this.list.length === 0 ? 0 : this.uid(this.list.length - 1);
    return Math.max(last + 1, nextUid(await this.#ctx.store.read.messages.lastId(this.mailbox.id)));
  }

  /** Waits until the changes that were committed before are known. */
  async refresh(): Promise<void> {
    // A read that is under way may have begun before the commit.
    await this.#reading;
    this.#wake();
    await this.#reading;
  }

  /** Returns the indexes of the messages in a set, ascending. `*` is the last message. */
  indexes(set: SequenceSet, isUid: boolean): number[] {
    const { length } = this.list;
    if (length === 0) return [];
    const most = isUid ? this.uid(length - 1) : length;
    const ranges = set
      .map(([first, last]): [number, number] => {
        const [one, other] = [
          Math.min(first, first === Number.POSITIVE_INFINITY ? most : first),
          last === Number.POSITIVE_INFINITY ? most : last,
        ];
        return one <= other ? [one, other] : [other, one];
      })
      .sort((a, b) => a[0] - b[0]);
    const found: number[] = [];
    let next = 0;
    for (const [first, last] of ranges) {
      const from = Math.max(next, isUid ? this.#indexOfUid(first) : first - 1);
      const end = Math.min(length, isUid ? this.#indexOfUid(last + 1) : last);
      for (let at = from; at < end; at++) found.push(at);
      next = Math.max(next, end);
    }
    return found;
  }

  /** Changes the session's own flags of a message. */
  setSession({ id }: Entry, session: ReadonlySet<string>): void {
    this.#learn([...session]);
    if (session.size > 0) this.#session.set(id, session);
    else this.#session.delete(id);
  }

  /** Drops the news about flags that an answer tells anyway. */
  forget(entries: Iterable<Entry>): void {
    for (const { id } of entries) this.#changed.delete(id);
  }

  /** Tells whether a message is known to be gone, which the client was not told yet. */
  isGone({ id }: Entry): boolean {
    return this.#expunged.has(id);
  }

  /** Tells whether nothing is known of a message but that it was there. */
  wasNeverListed({ id }: Entry): boolean {
    return this.#neverListed.size > 0 && this.#neverListed.has(id);
  }

  /** Notes that a message is gone, because a read of it found nothing. */
  lose({ id }: Entry): void {
    this.#expunged.add(id);
  }

  /**
   * Returns what the client does not know yet, as untagged answers. With `mayExpunge`, messages that are gone leave the
   * numbers (RFC 3501 7.4.1: never while FETCH, STORE or SEARCH run).
   */
  takeNews(mayExpunge: boolean): string {
    const list = this.list;
    const news: string[] = [];
    if (mayExpunge && this.#expunged.size > 0) {
      const gone = [...this.#expunged].map((id) => list.indexOf(id)).filter((index) => index >= 0);
      gone.sort((a, b) => a - b);
      list.removeAll(gone);
      if (this.#uids !== null) for (const index of gone.toReversed()) this.#uids.splice(index, 1);
      for (const id of this.#expunged) {
        this.#session.delete(id);
        this.#changed.delete(id);
      }
      this.#expunged.clear();
      this.#neverListed.clear();
      // From the last to the first, so that no number moves before it is told.
      for (const index of gone.reverse()) news.push(`* ${index + 1} EXPUNGE\r\n`);
    }
    if (this.#arrived.length > 0) {
      for (const message of this.#arrived.splice(0)) {
        this.#uids?.push((this.#uids.at(-1) ?? 0) + 1);
        list.add(message);
        this.#learn(message.tags);
      }
      news.push(`* ${list.length} EXISTS\r\n* ${list.unread} RECENT\r\n`);
    }
    news.push(this.takeKeywords());
    for (const id of this.#changed) {
      const index = list.indexOf(id);
      if (index < 0) continue;
      news.push(`* ${index + 1} FETCH (UID ${this.uid(index)} FLAGS ${writeFlags(this.flags(index))})\r\n`);
    }
    this.#changed.clear();
    this.#share();
    return news.join('');
  }

  end(): void {
    this.#isEnded = true;
    this.onNews = () => {};
    this.list.end();
    this.#end();
  }

  #entryOf(id: MessageId): Entry | null {
    const index = this.list.indexOf(id);
    return index < 0 ? null : { id, index };
  }

  /** Returns the index of the first message with this UID or a higher one. */
  #indexOfUid(uid: number): number {
    return firstIndex(this.list.length, (index) => this.uid(index) >= uid);
  }

  #wake(): void {
    if (this.#isEnded) return;
    this.#isWoken = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
  }

  async #read(): Promise<void> {
    const { store, clock } = this.#ctx;
    let isNew = false;
    try {
      while (this.#isWoken && !this.#isEnded) {
        this.#isWoken = false;
        const items = await store.read.events.list({
          after: this.#position,
          types: TYPES,
          mailboxId: this.mailbox.id,
          limit: EVENTS,
          now: momentNow(clock),
        });
        if (this.#isEnded) return;
        for (const item of items) {
          this.#apply(item);
          this.#position = feedIdOf(item);
        }
        isNew ||= items.length > 0;
        this.#share();
        if (items.length === EVENTS) this.#isWoken = true;
        if (items.length === 0 && (await store.read.mailboxes.get(this.mailbox.id)) === null) {
          this.lost = 'the mailbox was deleted';
          isNew = true;
        }
      }
    } catch {
      // The position has not moved, so nothing is lost.
      clock.after(RETRY_MS, () => this.#wake());
    }
    if (isNew) this.onNews();
  }

  #apply(item: FeedItem): void {
    if (item.kind === 'message') {
      if (kindOf(item.message) === 'email') this.#arrive(item.message);
    } else if (item.kind === 'event' && item.event.type === 'message.deleted') {
      const { ids, upTo } = item.event.data;
      for (const id of ids ?? []) this.#leave(id);
      if (ids === null && upTo !== null) this.#leaveUpTo(upTo);
    } else if (item.kind === 'event' && item.event.type === 'message.updated') {
      for (const { id, read: isRead, starred: isStarred, tags } of item.event.data.messages)
        this.#mark(id, { isRead, isStarred, tags });
    }
  }

  /** Takes no more room than the sessions that know the same. A session that knows too much of its own has to end. */
  #share(): void {
    if (!this.list.share()) this.lost ??= new ListsAreFull().message;
  }

  #learn(flags: readonly string[]): void {
    for (const flag of flags) {
      if (!isKeyword(flag) || this.#told.has(flag)) continue;
      // A client that makes ever new keywords is not told of each for ever.
      if (this.#told.size >= MOST_KEYWORDS) this.#told.clear();
      this.#told.add(flag);
      this.#hasNewKeyword = true;
    }
  }

  #mark(id: MessageId, marks: Marks): void {
    // A message that is still to be told is told with its flags.
    const waiting = this.#arrived.findIndex((message) => message.id === id);
    const arrived = this.#arrived[waiting];
    if (arrived !== undefined) this.#arrived[waiting] = { ...arrived, ...marks };
    const index = arrived === undefined ? this.list.indexOf(id) : -1;
    if (index < 0) return;
    const before = writeFlags(this.flags(index));
    this.list.setMarks(index, marks);
    this.#learn(marks.tags);
    if (writeFlags(this.flags(index)) !== before) this.#changed.add(id);
  }

  #arrive({ id, isRead, isStarred, tags, sizeBytes, receivedAt }: Message): void {
    const last = this.#arrived.at(-1)?.id ?? (this.list.length === 0 ? '' : this.list.id(this.list.length - 1));
    // One that was listed already, or is gone by now.
    if (id <= last) return;
    this.#arrived.push({ id, isRead, isStarred, tags, sizeBytes, receivedAt });
  }

  #leave(id: MessageId): void {
    const at = this.#arrived.findIndex((message) => message.id === id);
    if (at >= 0) this.#arrived.splice(at, 1);
    else if (this.list.indexOf(id) >= 0) this.#expunged.add(id);
    else if (this.#toldUpTo !== null && id <= this.#toldUpTo) this.#neverListed.add(id);
  }

  #leaveUpTo(upTo: MessageId): void {
    for (let index = 0; index < this.list.length; index++) {
      const id = this.list.id(index);
      if (id > upTo) break;
      this.#expunged.add(id);
    }
    while (this.#arrived[0] !== undefined && this.#arrived[0].id <= upTo) this.#arrived.shift();
  }
}

/** Makes ids that are older than all others, and whose number is 0, which is no UID. */
function oldestIds(count: number): MessageId[] {
  // The casts are safe: these are digits of ULIDs.
  return Array.from(
    { length: count },
    (_, nth) => `${ulidDigits(nth, 26 - NUMBER_DIGITS)}${numberDigits(0)}` as MessageId,
  );
}

/** Tells whether the numbers at the end of the ids are UIDs: they ascend. */
function hasNumbers(list: MailboxListing): boolean {
  for (let index = 0, last = 0; index < list.length; index++) {
    const uid = list.number(index);
    if (uid <= last || !isUid(uid)) return false;
    last = uid;
  }
  return true;
}
