import type { MessageKind } from '../../../domain/message.ts';
import { getOrCreate } from '../../../text/maps.ts';
import { SortedList } from '../sorted-list.ts';
import type { TagCounts } from '../tag-counts.ts';
import type { IdKey } from './id-key.ts';
import { PAGE_ROWS, RowPage } from './row-page.ts';

/** The number of pages that are filled at a time, each for another segment. */
const FILLING = 4;
/** The number of rows below which a filling page stays, even if all rows are dead. */
const WORTH_DROPPING_ROWS = 256;
/** The ratio of stored to living rows from which a page is compacted. */
const SPARSE = 4;
const WORTH_COMPACTING_ROWS = 64;
/** The number of pages. It keeps an address a small integer. */
const MOST_PAGES = 2 ** 31 / PAGE_ROWS;

/**
 * The addresses of rows in the order of their ids. An address is one number, so a million of them take a few megabytes.
 */
export class AddressList extends SortedList<number, IdKey> {}

/** The pages by number and by segment. The address of a row combines the number of its page and its place there. */
export class HeldPages {
  readonly #pages: (HeldPage | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #segments = new Map<number, Set<HeldPage>>();
  readonly #filling = new Map<number, HeldPage>();
  readonly #sparse = new Set<HeldPage>();

  /** Yields all pages, also those that are added meanwhile. */
  *all(): Generator<RowPage, void, void> {
    for (const held of this.#pages) if (held !== undefined) yield held.page;
  }

  at(address: number): HeldPage {
    const held = this.#pages[pageNumberOf(address)];
    if (held === undefined) throw new Error(`there is no message at ${address}`);
    return held;
  }

  /** Compares the id of the row at an address with a key. The result is negative, 0 or positive, as in `Array.sort`. */
  readonly compareId = (address: number, key: IdKey): number => this.at(address).page.compareId(rowOf(address), key);

  /** Returns the pages of a segment, in the order of their creation. */
  of(segment: number): Iterable<HeldPage> {
    return this.#segments.get(segment) ?? [];
  }

  /** Returns the page for the next row of a segment. */
  filling(segment: number): HeldPage {
    const current = this.#filling.get(segment);
    if (current !== undefined && !current.page.isFull) return current;
    if (current !== undefined) this.#seal(current);
    for (const oldest of this.#filling.values()) {
      if (this.#filling.size < FILLING) break;
      this.#seal(oldest);
    }
    const held = this.add(RowPage.filling(segment), true);
    this.#filling.set(segment, held);
    return held;
  }

  add(page: RowPage, filling: boolean): HeldPage {
    const number = this.#free.pop() ?? this.#pages.length;
    if (number >= MOST_PAGES) throw new RangeError('too many messages');
    const held = new HeldPage(number, page, filling);
    this.#pages[number] = held;
    getOrCreate(this.#segments, page.segment, () => new Set()).add(held);
    return held;
  }

  /** Reports that a row of the page died. */
  thinned(held: HeldPage): void {
    const { page } = held;
    if (page.live === 0 && (!held.filling || page.rows >= WORTH_DROPPING_ROWS)) this.#drop(held);
    else if (!held.filling && page.stored >= WORTH_COMPACTING_ROWS && page.live * SPARSE <= page.stored)
      this.#sparse.add(held);
  }

  /** Takes the pages to compact. They are not returned again until they are sparse once more. */
  takeSparse(): readonly HeldPage[] {
    if (this.#sparse.size === 0) return NONE;
    const sparse = [...this.#sparse];
    this.#sparse.clear();
    return sparse;
  }

  #seal(held: HeldPage): void {
    this.#filling.delete(held.page.segment);
    held.filling = false;
    held.page.seal();
    this.thinned(held);
  }

  #drop(held: HeldPage): void {
    const { segment } = held.page;
    this.#pages[held.number] = undefined;
    this.#free.push(held.number);
    this.#sparse.delete(held);
    if (this.#filling.get(segment) === held) this.#filling.delete(segment);
    const siblings = this.#segments.get(segment);
    siblings?.delete(held);
    if (siblings?.size === 0) this.#segments.delete(segment);
  }
}

const NONE: readonly HeldPage[] = [];

export function pageNumberOf(address: number): number {
  return Math.trunc(address / PAGE_ROWS);
}

export function rowOf(address: number): number {
  return address % PAGE_ROWS;
}

export function rowAddress(held: HeldPage, row: number): number {
  return held.number * PAGE_ROWS + row;
}

export class MailboxRows {
  readonly id: string;
  readonly addresses: AddressList;
  /** The rows of each kind. Null while all are emails, because most mailboxes never get a text message. */
  #byKind: Readonly<Record<MessageKind, AddressList>> | null = null;
  /** The number of rows that nobody has read. */
  unread = 0;
  /** The number of rows hidden from transactions, and of those that nobody has read. */
  hidden = 0;
  hiddenUnread = 0;

  constructor(id: string, compare: HeldPages['compareId']) {
    this.id = id;
    this.addresses = new AddressList(compare);
  }

  of(kind: MessageKind): AddressList | null {
    return this.#byKind === null ? (kind === 'email' ? this.addresses : null) : this.#byKind[kind];
  }

  insert(address: number, key: IdKey, kind: MessageKind): void {
    if (kind === 'sms') this.#byKind ??= { email: this.addresses.copy(), sms: this.addresses.emptied() };
    const replaced = this.addresses.insert(address, key);
    this.#byKind?.[kind].insert(address, key);
    if (replaced !== undefined) this.#byKind?.[kind === 'sms' ? 'email' : 'sms'].remove(key);
  }

  remove(key: IdKey): void {
    this.addresses.remove(key);
    this.#byKind?.email.remove(key);
    this.#byKind?.sms.remove(key);
  }

  /** Removes every row up to and including `key`. Returns their addresses, the oldest first. */
  removeUpTo(key: IdKey): number[] {
    this.#byKind?.email.removeUpTo(key);
    this.#byKind?.sms.removeUpTo(key);
    return this.addresses.removeUpTo(key);
  }
}

/** The sums of a workspace. */
export class WorkspaceSums {
  readonly id: string;
  rows = 0;
  bytes = 0;
  /** The bytes of rows hidden from transactions. */
  hidden = 0;
  /** The tags of the rows. Undefined while none has had a tag. */
  tags: TagCounts | undefined;
  /** The tags of rows hidden from transactions, counted below zero. */
  hiddenTags: TagCounts | undefined;

  constructor(id: string) {
    this.id = id;
  }
}

/**
 * A numbered page, with the mailboxes and workspaces of its rows. They are found by text number, without reading the
 * text.
 */
export class HeldPage {
  readonly number: number;
  readonly page: RowPage;
  filling: boolean;
  readonly mailboxes = new Map<number, MailboxRows>();
  readonly workspaces = new Map<number, WorkspaceSums>();

  constructor(number: number, page: RowPage, filling: boolean) {
    this.number = number;
    this.page = page;
    this.filling = filling;
  }

  mailboxOf(row: number): MailboxRows {
    const mailbox = this.mailboxes.get(this.page.mailboxNumber(row));
    if (mailbox === undefined) throw new Error(`the row ${row} of a message page has no mailbox`);
    return mailbox;
  }

  workspaceOf(row: number): WorkspaceSums {
    const workspace = this.workspaces.get(this.page.workspaceNumber(row));
    if (workspace === undefined) throw new Error(`the row ${row} of a message page has no workspace`);
    return workspace;
  }
}
