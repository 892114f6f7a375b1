import type { Context } from '../context.ts';
import type { EventType, FeedItem } from '../domain/event.ts';
import { feedIdOf } from '../domain/event.ts';
import { type EventId, isUid, type MailboxId, type MessageId, nextUid, uidOf, ulidTime } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { visitMessages } from '../reading/listed-messages.ts';
import { type MessageFlags, writeFlags } from './flags.ts';
import type { SequenceSet } from './grammar.ts';

/** The start of 2026, from which UIDVALIDITY counts quarters of a second: it lasts until 2060. */
const EPOCH = Date.UTC(2026, 0, 1);
const QUARTER_MS = 250;
/** The events that are read at a time. */
const EVENTS = 500;
const RETRY_MS = 100;
const TYPES: ReadonlySet<EventType> = new Set(['message.received', 'message.updated', 'message.deleted']);

/** Returns the UIDVALIDITY of a mailbox: a later mailbox of the same name has a higher one (docs/imap.md#uids). */
export function uidValidityOf(id: MailboxId): number {
  return validityAt(ulidTime(id));
}

function validityAt(time: number): number {
  return Math.max(1, Math.floor((time - EPOCH) / QUARTER_MS));
}

export interface Entry {
  readonly id: MessageId;
  readonly uid: number;
  flags: MessageFlags;
}

/** Marks that are alike share an object, because a mailbox may have many messages. */
const UNREAD: MessageFlags = { isRead: false, isStarred: false, tags: [], session: new Set() };
const READ: MessageFlags = { ...UNREAD, isRead: true };

function flagsOf({ isRead, isStarred, tags }: Pick<Message, 'isRead' | 'isStarred' | 'tags'>): MessageFlags {
  if (!isStarred && tags.length === 0) return isRead ? READ : UNREAD;
  return { isRead, isStarred, tags: [...tags], session: UNREAD.session };
}

/**
 * A mailbox that a client has selected: its messages with their numbers, as the client knows them. What changes is read
 * from the feed as it happens, and told when the protocol allows it.
 */
export class SelectedMailbox {
  readonly mailbox: Mailbox;
  readonly isReadOnly: boolean;
  readonly uidValidity: number;
  entries: Entry[];
  isGone = false;
  readonly #ctx: Context;
  readonly #byId = new Map<MessageId, Entry>();
  readonly #arrived: Entry[] = [];
  readonly #expunged = new Set<MessageId>();
  readonly #changed = new Set<Entry>();
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
    rows: readonly (readonly [MessageId, MessageFlags])[],
  ) {
    this.#ctx = ctx;
    this.mailbox = mailbox;
    this.isReadOnly = isReadOnly;
    this.#position = position;
    // Ids of a development version have no numbers in order. Their UIDs last as long as the session, and say so.
    let last = 0;
    const isNumbered = rows.every(([id]) => {
      const uid = uidOf(id);
      const isNext = uid > last && isUid(uid);
      last = uid;
      return isNext;
    });
    this.uidValidity = isNumbered ? uidValidityOf(mailbox.id) : validityAt(ctx.clock.now() - ctx.clock.offsetMs());
    this.entries = rows.map(([id, flags], index) => ({ id, uid: isNumbered ? uidOf(id) : index + 1, flags }));
    for (const entry of this.entries) this.#byId.set(entry.id, entry);
    this.#end = ctx.store.onCommit(({ mailboxIds, all }) => {
      if (all || mailboxIds.has(mailbox.id)) this.#wake();
    });
  }

  static async open(
    ctx: Context,
    mailbox: Mailbox,
    isReadOnly: boolean,
    signal: CancelSignal,
  ): Promise<SelectedMailbox> {
    // Later events are applied to the rows, and do no harm to those that show them already.
    const position = await ctx.store.read.events.lastId();
    const rows: [MessageId, MessageFlags][] = [];
    await visitMessages(ctx, mailbox.id, (row) => rows.push([row.id, flagsOf(row)]), signal);
    const selected = new SelectedMailbox(ctx, mailbox, isReadOnly, position, rows.reverse());
    await selected.refresh();
    selected.takeNews(true);
    return selected;
  }

  /** The UID of the next message. */
  async uidNext(): Promise<number> {
    const last = this.entries.at(-1)?.uid ?? 0;
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
    const { entries } = this;
    const most = isUid ? (entries.at(-1)?.uid ?? 0) : entries.length;
    if (entries.length === 0) return [];
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
      let at = Math.max(next, isUid ? this.#indexOfUid(first) : first - 1);
      for (; at < entries.length && (isUid ? (entries[at]?.uid ?? 0) : at + 1) <= last; at++) found.push(at);
      next = Math.max(next, at);
    }
    return found;
  }

  entryOf(id: MessageId): Entry | undefined {
    return this.#byId.get(id);
  }

  /** Changes the session's own flags of a message. */
  setSession(entry: Entry, session: ReadonlySet<string>): void {
    entry.flags = { ...entry.flags, session };
  }

  /** Takes the marks that were just stored, so that the feed tells nothing new about them. */
  setMarks(entry: Entry, marks: Pick<Message, 'isRead' | 'isStarred' | 'tags'>): void {
    entry.flags = { ...flagsOf(marks), session: entry.flags.session };
  }

  /** Drops the news about flags that an answer tells anyway. */
  forget(entries: Iterable<Entry>): void {
    for (const entry of entries) this.#changed.delete(entry);
  }

  /** Notes that a message is gone, because a read of it found nothing. */
  lose(entry: Entry): void {
    this.#expunged.add(entry.id);
  }

  /**
   * Returns what the client does not know yet, as untagged answers. With `mayExpunge`, messages that are gone leave the
   * numbers (RFC 3501 7.4.1: never while FETCH, STORE or SEARCH run).
   */
  takeNews(mayExpunge: boolean): string {
    let news = '';
    if (mayExpunge && this.#expunged.size > 0) {
      const gone: number[] = [];
      for (const [index, { id }] of this.entries.entries()) if (this.#expunged.has(id)) gone.push(index + 1);
      // From the last to the first, so that no number moves before it is told.
      news += gone
        .reverse()
        .map((number) => `* ${number} EXPUNGE\r\n`)
        .join('');
      this.entries = this.entries.filter(({ id }) => !this.#expunged.has(id));
      for (const id of this.#expunged) this.#byId.delete(id);
      this.#expunged.clear();
    }
    if (this.#arrived.length > 0) {
      for (const entry of this.#arrived.splice(0)) this.entries.push(entry);
      const recent = this.entries.filter(({ flags }) => !flags.isRead).length;
      news += `* ${this.entries.length} EXISTS\r\n* ${recent} RECENT\r\n`;
    }
    if (this.#changed.size > 0) {
      const numbers = new Map(this.#changed.size > 50 ? this.entries.map((entry, index) => [entry, index + 1]) : []);
      for (const entry of this.#changed) {
        const number = numbers.get(entry) ?? this.entries.indexOf(entry) + 1;
        if (number > 0) news += `* ${number} FETCH (UID ${entry.uid} FLAGS ${writeFlags(entry.flags)})\r\n`;
      }
      this.#changed.clear();
    }
    return news;
  }

  end(): void {
    this.#isEnded = true;
    this.onNews = () => {};
    this.#end();
  }

  #indexOfUid(uid: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle]?.uid ?? 0) < uid) low = middle + 1;
      else high = middle;
    }
    return low;
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
        const items = await store.read.events.after({
          after: this.#position,
          types: TYPES,
          mailboxId: this.mailbox.id,
          limit: EVENTS,
          now: momentNow(clock),
        });
        for (const item of items) {
          this.#apply(item);
          this.#position = feedIdOf(item);
        }
        isNew ||= items.length > 0;
        if (items.length === EVENTS) this.#isWoken = true;
        if (items.length === 0 && (await store.read.mailboxes.get(this.mailbox.id)) === null) {
          this.isGone = true;
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
    if (item.kind === 'message') this.#arrive(item.message);
    else if (item.kind === 'event' && item.event.type === 'message.deleted') {
      const { ids, upTo } = item.event.data;
      for (const id of ids ?? []) this.#leave(id);
      if (ids === null && upTo !== null) for (const id of [...this.#byId.keys()]) if (id <= upTo) this.#leave(id);
    } else if (item.kind === 'event' && item.event.type === 'message.updated') {
      for (const { id, read, starred, tags } of item.event.data.messages) {
        const entry = this.#byId.get(id);
        if (entry === undefined) continue;
        const before = writeFlags(entry.flags);
        this.setMarks(entry, { isRead: read, isStarred: starred, tags });
        // A message that is still to be told is told with its flags.
        if (writeFlags(entry.flags) !== before && !this.#arrived.includes(entry)) this.#changed.add(entry);
      }
    }
  }

  #arrive(message: Message): void {
    if (this.#byId.has(message.id)) return;
    const last = this.#arrived.at(-1) ?? this.entries.at(-1);
    // An event of a message that was listed and is gone by now.
    if (last !== undefined && message.id <= last.id) return;
    const uid = this.uidValidity === uidValidityOf(this.mailbox.id) ? uidOf(message.id) : (last?.uid ?? 0) + 1;
    const entry: Entry = { id: message.id, uid, flags: flagsOf(message) };
    this.#byId.set(message.id, entry);
    this.#arrived.push(entry);
  }

  #leave(id: MessageId): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    const at = this.#arrived.indexOf(entry);
    if (at >= 0) {
      this.#arrived.splice(at, 1);
      this.#byId.delete(id);
    } else this.#expunged.add(id);
  }
}
