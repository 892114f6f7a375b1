import { kindOf, type Message, type MessageKind } from '../../../domain/message.ts';
import { getOrCreate, increase } from '../../../text/maps.ts';
import type { MessageTable, PendingChange } from '../state.ts';
import { merged, SortedChunks, type SortedRows } from '../table.ts';
import { SummedTags, TagCounts } from '../tag-counts.ts';
import type { CommittedMessages } from './committed-messages.ts';
import { IdKey, idKey } from './id-key.ts';
import { checkPackable } from './row-page.ts';

// The rows that transactions see: the committed rows without hidden ones, and the rows that are not durable yet.
// Changes are settled in their order and undone in reverse. While a change is pending, the committed row with its id is
// hidden, and a row hidden by its address stays there until the change is settled or undone.

/** A row that is not durable yet. */
interface PendingRow {
  readonly id: string;
  readonly message: Message;
  settled: boolean;
}

/** The row that a change hides: a pending row, or the committed row at an address. */
interface CoveredRow {
  readonly pending: PendingRow | undefined;
  /** -1 if there is none. */
  readonly address: number;
}

export class WorkingMessages implements MessageTable {
  readonly #committed: CommittedMessages;
  readonly #pending = new Map<string, PendingRow>();
  readonly #byMailbox = new Map<string, SortedChunks<PendingRow>>();
  readonly #bytesOf = new Map<string, number>();
  /** The number of pending rows that nobody has read, by mailbox, and the tags of pending rows, by workspace. */
  readonly #unreadOf = new Map<string, number>();
  readonly #tagsOf = new Map<string, TagCounts>();
  #bytes = 0;
  readonly inOrder: SortedRows<Message>;

  constructor(committed: CommittedMessages) {
    this.#committed = committed;
    this.inOrder = this.#rows(undefined, () => this.#allPending());
  }

  get size(): number {
    return this.#committed.size - this.#committed.hiddenRows() + this.#pending.size;
  }

  get bytes(): number {
    return this.#committed.bytes - this.#committed.hiddenBytes() + this.#bytes;
  }

  get(id: string): Message | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending.message;
    const address = this.#visible(id);
    return address < 0 ? undefined : this.#committed.at(address);
  }

  of(mailboxId: string): SortedRows<Message> {
    return this.#rows(mailboxId, () => this.#byMailbox.get(mailboxId) ?? NO_ROWS);
  }

  ofKind(mailboxId: string, kind: MessageKind): Pick<SortedRows<Message>, 'descending'> {
    return this.#rows(mailboxId, () => this.#byMailbox.get(mailboxId) ?? NO_ROWS, kind);
  }

  glimpse(mailboxId?: string, before?: string, kind?: MessageKind): Iterable<Message> {
    if (mailboxId === undefined) return this.inOrder.descending(before);
    return (kind === undefined ? this.of(mailboxId) : this.ofKind(mailboxId, kind)).descending(before);
  }

  peek(id: string): Message | undefined {
    return this.get(id);
  }

  bytesOf(workspaceId: string): number {
    const committed = this.#committed.bytesOf(workspaceId) - this.#committed.hiddenBytes(workspaceId);
    return committed + (this.#bytesOf.get(workspaceId) ?? 0);
  }

  unreadOf(mailboxId: string): number {
    const committed = this.#committed.unreadOf(mailboxId) - this.#committed.hiddenUnread(mailboxId);
    return committed + (this.#unreadOf.get(mailboxId) ?? 0);
  }

  tagsOf(workspaceId: string): SummedTags {
    const committed = this.#committed;
    const hidden = committed.tagCounts(workspaceId, 'hiddenTags');
    return new SummedTags([committed.tagCounts(workspaceId), hidden, this.#tagsOf.get(workspaceId)]);
  }

  values(): Iterable<Message> {
    return this.inOrder.ascending();
  }

  /** Inserts or replaces a row. Throws a RangeError if it cannot be packed. */
  put(message: Message): PendingChange {
    checkPackable(message);
    const covered = this.#cover(message.id);
    const row = { id: message.id, message, settled: false };
    this.#enter(row);
    return {
      replaces: covered.pending !== undefined || covered.address >= 0,
      undo: () => {
        if (this.#pending.get(row.id) === row) this.#leave(row);
        this.#uncover(covered);
      },
      settle: () => this.#settle(row),
    };
  }

  remove(id: string): PendingChange {
    const covered = this.#cover(id);
    return { undo: () => this.#uncover(covered), settle: () => {} };
  }

  /** Removes every message of a mailbox up to an id. It keeps one number per message, with which it can be undone. */
  clear(mailboxId: string, upTo: string): PendingChange {
    const before: PendingRow[] = [];
    for (const row of this.#byMailbox.get(mailboxId)?.ascending() ?? []) {
      if (row.id > upTo) break;
      before.push(row);
    }
    for (const row of before) this.#leave(row);
    const hid: number[] = [];
    for (const address of this.#committed.addresses(mailboxId).through(IdKey.of(upTo))) {
      if (this.#committed.isHidden(address)) continue;
      this.#committed.hide(address);
      hid.push(address);
    }
    return {
      undo: () => {
        for (const row of before) this.#restore(row);
        for (const address of hid) this.#committed.show(address);
      },
      settle: () => {},
    };
  }

  /** Reports that the committed table has the row. If a later change covers it, the committed row is hidden. */
  #settle(row: PendingRow): void {
    row.settled = true;
    if (this.#pending.get(row.id) === row) {
      this.#leave(row);
      return;
    }
    const address = this.#committed.find(row.id);
    if (address >= 0) this.#committed.hide(address);
  }

  /** Hides the row with an id, if there is one. */
  #cover(id: string): CoveredRow {
    const pending = this.#pending.get(id);
    const address = pending === undefined ? this.#visible(id) : -1;
    if (pending !== undefined) this.#leave(pending);
    if (address >= 0) this.#committed.hide(address);
    return { pending, address };
  }

  #uncover({ pending, address }: CoveredRow): void {
    if (pending !== undefined) this.#restore(pending);
    if (address >= 0) this.#committed.show(address);
  }

  /** Makes a row visible again: here, or in the committed table if the row is durable by now. */
  #restore(row: PendingRow): void {
    if (!row.settled) {
      this.#enter(row);
      return;
    }
    const address = this.#committed.find(row.id);
    if (address >= 0) this.#committed.show(address);
  }

  #visible(id: string): number {
    const address = this.#committed.find(id);
    return address >= 0 && this.#committed.isHidden(address) ? -1 : address;
  }

  #enter(row: PendingRow): void {
    const { mailboxId } = row.message;
    this.#pending.set(row.id, row);
    getOrCreate(this.#byMailbox, mailboxId, () => new SortedChunks()).insert(row);
    this.#weigh(row.message, 1);
  }

  #leave(row: PendingRow): void {
    const { mailboxId } = row.message;
    this.#pending.delete(row.id);
    const rows = this.#byMailbox.get(mailboxId);
    rows?.remove(row.id);
    if (rows?.size === 0) this.#byMailbox.delete(mailboxId);
    this.#weigh(row.message, -1);
  }

  #weigh({ workspaceId, mailboxId, sizeBytes, isRead, tags }: Message, sign: 1 | -1): void {
    if (!isRead) increase(this.#unreadOf, mailboxId, sign);
    if (tags.length > 0) this.#countTags(workspaceId, tags, sign);
    increase(this.#bytesOf, workspaceId, sign * sizeBytes);
    this.#bytes += sign * sizeBytes;
  }

  #countTags(workspaceId: string, tags: readonly string[], sign: 1 | -1): void {
    const counts = getOrCreate(this.#tagsOf, workspaceId, () => new TagCounts());
    counts.add(tags, sign);
    if (counts.size === 0) this.#tagsOf.delete(workspaceId);
  }

  /** Collects all pending rows. There are few, because they are being written. */
  #allPending(): SortedChunks<PendingRow> {
    const all = new SortedChunks<PendingRow>();
    for (const row of this.#pending.values()) all.insert(row);
    return all;
  }

  /** Returns the rows of a mailbox, or all rows. Those of one kind have no size. */
  #rows(
    mailboxId: string | undefined,
    pending: () => SortedChunks<PendingRow>,
    kind?: MessageKind,
  ): SortedRows<Message> {
    const committed = this.#committed;
    function* visible(addresses: Iterable<number>): Generator<Message, void, void> {
      // A pending clear may hide a million rows. The loop is skipped if all are hidden.
      if (committed.addresses(mailboxId).size === committed.hiddenRows(mailboxId)) return;
      for (const address of addresses) if (!committed.isHidden(address)) yield committed.at(address);
    }
    return {
      get size() {
        return committed.addresses(mailboxId).size - committed.hiddenRows(mailboxId) + pending().size;
      },
      ascending: (after) =>
        merged(
          ofKind(pending().ascending(after)),
          visible(committed.addresses(mailboxId).ascending(idKey(after))),
          (a, b) => a < b,
        ),
      descending: (before) =>
        merged(
          ofKind(pending().descending(before), kind),
          visible(committed.addresses(mailboxId, kind).descending(idKey(before))),
          (a, b) => a > b,
        ),
    };
  }
}

const NO_ROWS = new SortedChunks<PendingRow>();

/** Yields the messages of a kind, or all. There are few others, because they are being written. */
function* ofKind(rows: Iterable<PendingRow>, kind?: MessageKind): Generator<Message, void, void> {
  for (const { message } of rows) if (kind === undefined || kindOf(message) === kind) yield message;
}
