import type { Message, MessageKind } from '../../../domain/message.ts';
import { getOrCreate } from '../../../text/maps.ts';
import { extentKey } from '../blob-ref.ts';
import type { GoneRow, LogPosition, MessageTable } from '../state.ts';
import type { SortedRows } from '../table.ts';
import { SummedTags, TagCounts } from '../tag-counts.ts';
import {
  AddressList,
  type HeldPage,
  HeldPages,
  MailboxRows,
  pageNumberOf,
  rowAddress,
  rowOf,
  WorkspaceSums,
} from './held-pages.ts';
import { IdKey, idKey } from './id-key.ts';
import { FLAG } from './record.ts';
import { packPage, unpackPages } from './row-page.ts';
import { RowView, rowViews } from './row-view.ts';

/** The ratio of all rows to cleared rows below which a clear walks the whole list instead of looking up each row. */
const WALK_WORTHWHILE = 256;
/** The number of rows examined before the event loop gets control. */
const ROWS_PER_TURN = 32_768;

/** The durable messages in packed form. An object for a row exists only while a caller reads the row. */
export class CommittedMessages implements MessageTable {
  readonly #pages = new HeldPages();
  readonly #order = new AddressList(this.#pages.compareId);
  readonly #mailboxes = new Map<string, MailboxRows>();
  readonly #workspaces = new Map<string, WorkspaceSums>();
  readonly #cache = new RowCache();
  readonly #scans = new Set<KeyScan>();
  readonly #key = new IdKey();
  /** The view that {@link peek} shows. */
  #view: RowView | null = null;
  #bytes = 0;
  #hiddenRows = 0;
  #hiddenBytes = 0;
  #newestId = '';
  readonly inOrder: SortedRows<Message> = this.#rows(this.#order);

  get size(): number {
    return this.#order.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The newest id that the table ever held, or ''. */
  get newestId(): string {
    return this.#newestId;
  }

  get(id: string): Message | undefined {
    const address = this.find(id);
    return address < 0 ? undefined : this.at(address);
  }

  of(mailboxId: string): SortedRows<Message> {
    return this.#rows(this.addresses(mailboxId));
  }

  ofKind(mailboxId: string, kind: MessageKind): Pick<SortedRows<Message>, 'descending'> {
    return this.#rows(this.addresses(mailboxId, kind));
  }

  glimpse(mailboxId?: string, before?: string, kind?: MessageKind): Iterable<Message> {
    return rowViews(this.#pages, this.addresses(mailboxId, kind), before);
  }

  peek(id: string): Message | undefined {
    const address = this.find(id);
    if (address < 0) return undefined;
    const held = this.#pages.at(address);
    this.#view = this.#view === null ? new RowView(held, rowOf(address)) : this.#view.show(held, rowOf(address));
    return this.#view;
  }

  bytesOf(workspaceId: string): number {
    return this.#workspaces.get(workspaceId)?.bytes ?? 0;
  }

  unreadOf(mailboxId: string): number {
    return this.#mailboxes.get(mailboxId)?.unread ?? 0;
  }

  tagsOf(workspaceId: string): SummedTags {
    return new SummedTags([this.tagCounts(workspaceId)]);
  }

  *values(): Generator<Message, void, void> {
    for (const address of this.#order.ascending()) yield this.#read(address);
  }

  /**
   * Inserts a row, or replaces the one with its id. Returns the replaced row or null. Throws a RangeError if the row
   * cannot be packed, and then changes nothing.
   */
  put(message: Message, home: LogPosition): GoneRow | null {
    this.#compact();
    const held = this.#pages.filling(home.segment);
    const row = held.page.append(message, home.offset);
    const { page } = held;
    held.mailboxes.set(page.mailboxNumber(row), this.#mailbox(message.mailboxId));
    held.workspaces.set(page.workspaceNumber(row), this.#workspace(message.workspaceId));
    if (message.id > this.#newestId) this.#newestId = message.id;
    const replaced = this.#enter(held, row);
    if (replaced < 0) return null;
    const gone = this.#goneAt(this.#pages.at(replaced), rowOf(replaced));
    this.#buryReplaced(replaced, rowAddress(held, row));
    return gone;
  }

  /** Removes a row. Returns it, or null if there was none. */
  remove(id: string): GoneRow | null {
    this.#compact();
    const key = this.#key.setText(id);
    const address = this.#order.find(key);
    if (address === undefined) return null;
    const held = this.#pages.at(address);
    const gone = this.#goneAt(held, rowOf(address));
    this.#order.remove(key);
    this.#leave(held.mailboxOf(rowOf(address)), key);
    this.#bury(address);
    return gone;
  }

  /** Removes a mailbox's messages up to an id, oldest first. The result must be read before the next change. */
  clear(mailboxId: string, upTo: string): Iterable<GoneRow> {
    this.#compact();
    const mailbox = this.#mailboxes.get(mailboxId);
    const doomed = mailbox?.removeUpTo(this.#key.setText(upTo)) ?? [];
    const [first] = doomed;
    if (mailbox === undefined || first === undefined) return [];
    const pages = new Map<number, HeldPage>();
    const walk = doomed.length * WALK_WORTHWHILE > this.#order.size;
    for (const address of doomed) {
      const held = this.#pages.at(address);
      pages.set(held.number, held);
      if (!walk) this.#order.remove(held.page.keyInto(rowOf(address), this.#key));
    }
    if (walk) this.#order.removeAll(this.#pages.at(first).page.keyInto(rowOf(first), this.#key), doomed);
    for (const address of doomed) this.#bury(address);
    if (mailbox.addresses.size === 0) this.#mailboxes.delete(mailboxId);
    return this.#goneOf(doomed, pages);
  }

  /** Returns the ids of the rows in a segment, or only those at the given offsets. */
  idsAt(segment: number, offsets?: ReadonlySet<number>): string[] {
    const ids: string[] = [];
    for (const { page } of this.#pages.of(segment)) {
      page.eachLiving((row) => {
        if (offsets === undefined || offsets.has(page.homeOffset(row))) ids.push(page.id(row));
      });
    }
    return ids;
  }

  /** Returns the number of rows in a segment, and the bytes that they use in each segment. */
  weigh(segment: number): { readonly rows: number; readonly bytes: ReadonlyMap<number, number> } {
    const bytes = new Map<number, number>();
    const add = (at: number, _offset: number, length: number) => bytes.set(at, (bytes.get(at) ?? 0) + length);
    let rows = 0;
    for (const { page } of this.#pages.of(segment)) {
      rows += page.live;
      page.eachLiving((row) => page.eachExtent(row, add));
    }
    return { rows, bytes };
  }

  /** Returns the ids of rows in other segments whose bytes lie in this one. */
  idsWithBytesIn(segment: number): string[] {
    const ids: string[] = [];
    for (const page of this.#pages.all()) {
      if (page.segment === segment) continue;
      let found = false;
      const look = (at: number) => {
        if (at === segment) found = true;
      };
      page.eachLiving((row) => {
        found = false;
        page.eachExtent(row, look);
        if (found) ids.push(page.id(row));
      });
    }
    return ids;
  }

  /**
   * Finds which of these positions (`segment * 2 ** 32 + offset`) rows refer to, including rows added during the
   * search. It yields after every `budget` rows.
   */
  *referenced(keys: ReadonlySet<number>, budget = ROWS_PER_TURN): Generator<void, Set<number>, void> {
    const scan = new KeyScan(keys);
    this.#scans.add(scan);
    try {
      let looked = 0;
      for (const page of this.#pages.all()) {
        page.eachLiving((row) => page.eachExtent(row, scan.see));
        looked += page.stored;
        if (looked < budget) continue;
        looked = 0;
        yield;
      }
      return scan.found;
    } finally {
      this.#scans.delete(scan);
    }
  }

  /** Packs the rows of a segment into buffers for {@link load}, which accepts them one by one or joined. */
  pack(segment: number): Buffer[] {
    const packed: Buffer[] = [];
    for (const { page } of this.#pages.of(segment)) if (page.live > 0) packed.push(packPage(page));
    return packed;
  }

  /**
   * Loads packed rows. Each replaces the row with the same id, which `gone` gets. The table keeps `bytes` and writes to
   * them, so the caller must not use them again. Throws an Error and changes nothing if the bytes have another format.
   */
  load(segment: number, bytes: Buffer, gone: (row: GoneRow) => void = () => {}): void {
    for (const page of unpackPages(segment, bytes)) {
      const held = this.#pages.add(page, false);
      this.#bind(held);
      page.eachLiving((row) => {
        const replaced = this.#enter(held, row);
        if (replaced < 0) return;
        gone(this.#goneAt(this.#pages.at(replaced), rowOf(replaced)));
        this.#buryReplaced(replaced, rowAddress(held, row));
      });
      const newest = page.id(page.rows - 1);
      if (newest > this.#newestId) this.#newestId = newest;
    }
  }

  // The following methods serve the table of transactions: rows by address, and the rows hidden from transactions.

  /** Returns the address of a row, or a number below 0. The address is valid until the row is replaced or removed. */
  find(id: string): number {
    return this.#order.find(this.#key.setText(id)) ?? -1;
  }

  at(address: number): Message {
    return this.#cache.get(address, this.#read);
  }

  idAt(address: number): string {
    return this.#pages.at(address).page.id(rowOf(address));
  }

  /** Yields the ids of all rows, or of the rows of a mailbox, in their order. With `after`, it yields only ids above it. */
  *ids(mailboxId?: string, after?: string): Generator<string, void, void> {
    for (const address of this.addresses(mailboxId).ascending(idKey(after))) yield this.idAt(address);
  }

  /** Returns the addresses of all rows, or of the rows of a mailbox, of a kind if one is given. */
  addresses(mailboxId?: string, kind?: MessageKind): AddressList {
    if (mailboxId === undefined) return this.#order;
    const mailbox = this.#mailboxes.get(mailboxId);
    return (kind === undefined ? mailbox?.addresses : mailbox?.of(kind)) ?? NO_ADDRESSES;
  }

  isHidden(address: number): boolean {
    return this.#pages.at(address).page.has(rowOf(address), FLAG.hidden);
  }

  /** Hides a row from transactions, because a transaction that is not durable yet removed or replaced it. */
  hide(address: number): void {
    if (this.isHidden(address)) return;
    this.#pages.at(address).page.set(rowOf(address), FLAG.hidden);
    this.#countHidden(address, 1);
  }

  show(address: number): void {
    if (!this.isHidden(address)) return;
    this.#pages.at(address).page.unset(rowOf(address), FLAG.hidden);
    this.#countHidden(address, -1);
  }

  /** Returns the number of hidden rows, in total or of a mailbox. */
  hiddenRows(mailboxId?: string): number {
    return mailboxId === undefined ? this.#hiddenRows : (this.#mailboxes.get(mailboxId)?.hidden ?? 0);
  }

  /** Returns the bytes of mail of hidden rows, in total or of a workspace. */
  hiddenBytes(workspaceId?: string): number {
    return workspaceId === undefined ? this.#hiddenBytes : (this.#workspaces.get(workspaceId)?.hidden ?? 0);
  }

  /** Returns the number of hidden rows of a mailbox that nobody has read. */
  hiddenUnread(mailboxId: string): number {
    return this.#mailboxes.get(mailboxId)?.hiddenUnread ?? 0;
  }

  /** Returns the counts of the tags of all rows of a workspace, or those of the hidden ones, which are below zero. */
  tagCounts(workspaceId: string, which: 'tags' | 'hiddenTags' = 'tags'): TagCounts | undefined {
    return this.#workspaces.get(workspaceId)?.[which];
  }

  readonly #read = (address: number): Message => this.#pages.at(address).page.message(rowOf(address));

  /** Returns rows in the order of their ids. An object for a row is created only when an iteration reaches the row. */
  #rows(addresses: AddressList): SortedRows<Message> {
    return {
      get size() {
        return addresses.size;
      },
      ascending: (after) => this.#each(addresses.ascending(idKey(after))),
      descending: (before) => this.#each(addresses.descending(idKey(before))),
    };
  }

  *#each(addresses: Iterable<number>): Generator<Message, void, void> {
    for (const address of addresses) yield this.at(address);
  }

  /** Adds a row to the lists and sums. Returns the address of the row with the same id that it replaced, or -1. */
  #enter(held: HeldPage, row: number): number {
    const { page } = held;
    const address = rowAddress(held, row);
    const key = page.keyInto(row, this.#key);
    const mailbox = held.mailboxOf(row);
    // A mailbox is not in the map after its last row was removed.
    if (mailbox.addresses.size === 0) this.#mailboxes.set(mailbox.id, mailbox);
    mailbox.insert(address, key, page.has(row, FLAG.sms) ? 'sms' : 'email');
    const workspace = held.workspaceOf(row);
    if (workspace.rows === 0) this.#workspaces.set(workspace.id, workspace);
    const bytes = page.sizeBytes(row);
    workspace.rows++;
    workspace.bytes += bytes;
    this.#bytes += bytes;
    this.#countMarks(held, row, 1);
    for (const scan of this.#scans) page.eachExtent(row, scan.see);
    return this.#order.insert(address, key) ?? -1;
  }

  /** Buries a replaced row. If it belonged to another mailbox, that mailbox's list drops it too. */
  #buryReplaced(address: number, by: number): void {
    const old = this.#pages.at(address);
    const mailbox = old.mailboxOf(rowOf(address));
    const now = this.#pages.at(by).mailboxOf(rowOf(by));
    if (mailbox !== now) this.#leave(mailbox, old.page.keyInto(rowOf(address), this.#key));
    this.#bury(address);
  }

  #leave(mailbox: MailboxRows, key: IdKey): void {
    mailbox.remove(key);
    if (mailbox.addresses.size === 0) this.#mailboxes.delete(mailbox.id);
  }

  /** Marks a row as dead after all lists dropped it. */
  #bury(address: number): void {
    const held = this.#pages.at(address);
    const row = rowOf(address);
    const { page } = held;
    if (page.has(row, FLAG.hidden)) this.#countHidden(address, -1);
    this.#countMarks(held, row, -1);
    page.set(row, FLAG.dead);
    page.live--;
    this.#cache.forget(address);
    const workspace = held.workspaceOf(row);
    const bytes = page.sizeBytes(row);
    this.#bytes -= bytes;
    workspace.bytes -= bytes;
    if (--workspace.rows === 0) this.#workspaces.delete(workspace.id);
    this.#pages.thinned(held);
  }

  #countMarks(held: HeldPage, row: number, by: 1 | -1): void {
    if (!held.page.has(row, FLAG.read)) held.mailboxOf(row).unread += by;
    const tags = held.page.tags(row);
    if (tags.length === 0) return;
    const workspace = held.workspaceOf(row);
    workspace.tags ??= new TagCounts();
    workspace.tags.add(tags, by);
  }

  #countHidden(address: number, by: 1 | -1): void {
    const held = this.#pages.at(address);
    const bytes = by * held.page.sizeBytes(rowOf(address));
    const mailbox = held.mailboxOf(rowOf(address));
    const workspace = held.workspaceOf(rowOf(address));
    mailbox.hidden += by;
    workspace.hidden += bytes;
    if (!held.page.has(rowOf(address), FLAG.read)) mailbox.hiddenUnread += by;
    const tags = held.page.tags(rowOf(address));
    if (tags.length > 0) {
      workspace.hiddenTags ??= new TagCounts();
      workspace.hiddenTags.add(tags, -by);
    }
    this.#hiddenRows += by;
    this.#hiddenBytes += bytes;
  }

  #mailbox(id: string): MailboxRows {
    return getOrCreate(this.#mailboxes, id, () => new MailboxRows(id, this.#pages.compareId));
  }

  #workspace(id: string): WorkspaceSums {
    return getOrCreate(this.#workspaces, id, () => new WorkspaceSums(id));
  }

  /** Maps the text numbers of a page to its mailboxes and workspaces. */
  #bind(held: HeldPage): void {
    const { page, mailboxes, workspaces } = held;
    mailboxes.clear();
    workspaces.clear();
    page.eachLiving((row) => {
      const mailbox = page.mailboxNumber(row);
      if (!mailboxes.has(mailbox)) mailboxes.set(mailbox, this.#mailbox(page.texts.text(mailbox)));
      const workspace = page.workspaceNumber(row);
      if (!workspaces.has(workspace)) workspaces.set(workspace, this.#workspace(page.texts.text(workspace)));
    });
  }

  /** Compacts pages in which most rows are dead. */
  #compact(): void {
    for (const held of this.#pages.takeSparse()) {
      held.page.compact();
      this.#bind(held);
    }
  }

  #goneAt(held: HeldPage, row: number): GoneRow {
    const { page } = held;
    const home = { segment: page.segment, offset: page.homeOffset(row) };
    return { table: 'messages', id: page.id(row), home, blobs: [page.raw(row), page.facts(row)] };
  }

  *#goneOf(addresses: readonly number[], pages: ReadonlyMap<number, HeldPage>): Generator<GoneRow, void, void> {
    for (const address of addresses) {
      const held = pages.get(pageNumberOf(address));
      if (held !== undefined) yield this.#goneAt(held, rowOf(address));
    }
  }
}

/** The address list of a mailbox without messages. */
const NO_ADDRESSES = new AddressList(() => 0);

const ROWS = 4_096;

/** A cache of recently read rows by address. Repeated reads return the same object. */
class RowCache {
  readonly #addresses = new Int32Array(ROWS).fill(-1);
  readonly #rows = new Array<Message | undefined>(ROWS).fill(undefined);

  /** Returns the row at an address. It calls `read` on a miss. */
  get(address: number, read: (address: number) => Message): Message {
    const place = address % ROWS;
    const known = this.#addresses[place] === address ? this.#rows[place] : undefined;
    if (known !== undefined) return known;
    const row = read(address);
    this.#addresses[place] = address;
    this.#rows[place] = row;
    return row;
  }

  forget(address: number): void {
    const place = address % ROWS;
    if (this.#addresses[place] !== address) return;
    this.#addresses[place] = -1;
    this.#rows[place] = undefined;
  }
}

/** Finds the positions to which rows refer, out of a given set. A position is `segment * 2 ** 32 + offset`. */
class KeyScan {
  readonly found = new Set<number>();
  readonly #keys: ReadonlySet<number>;
  /** The segments of the positions. Few rows have bytes in them, so this check comes first. */
  readonly #segments = new Set<number>();

  constructor(keys: ReadonlySet<number>) {
    this.#keys = keys;
    for (const key of keys) this.#segments.add(Math.floor(key / 2 ** 32));
  }

  /** Adds a position to which a row refers to `found` if it is in the given set. */
  readonly see = (segment: number, offset: number): void => {
    if (!this.#segments.has(segment)) return;
    const key = extentKey({ segment, offset });
    if (this.#keys.has(key)) this.found.add(key);
  };
}
