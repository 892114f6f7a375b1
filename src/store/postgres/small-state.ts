import type { Message } from '../../domain/message.ts';
import type { MessageTable } from '../tables/messages/message-table.ts';
import { SortedBlocks } from '../tables/sorted-rows.ts';
import { type Rows, SMALL_TABLES, State } from '../tables/state.ts';
import { SumIndex, Table } from '../tables/table.ts';

/** The number and the total size of the messages of a mailbox. */
export interface Stored {
  /** The id of the mailbox. */
  readonly id: string;
  readonly workspaceId: string;
  readonly messages: number;
  readonly bytes: number;
}

/** The server that is the leader. */
export interface Duty {
  readonly id: 'leader';
  readonly server: number;
}

/** The small tables, which every server keeps in memory. */
export type SmallKind = (typeof SMALL_TABLES)[number] | 'stored' | 'duties';

/** A change of a small row. `row` is null if the row was removed. */
export interface SmallChange {
  readonly kind: SmallKind;
  readonly id: string;
  readonly row: Rows[(typeof SMALL_TABLES)[number]] | Stored | Duty | null;
}

/** The rows of the small tables in memory. The growing tables of this state stay empty. */
export class SmallState extends State<StoredCounts> {
  readonly stored: Table<Stored>;
  readonly duties = new Table<Duty>([]);
  /**
   * The epoch of these rows. An epoch is the number of groups of transactions that all servers together have committed;
   * the table `head` has the current one. The rows include all changes up to their epoch.
   */
  epoch = 0;

  constructor() {
    const counts = new StoredCounts();
    super(counts);
    this.stored = counts.table;
  }

  /** Inserts, replaces or removes a row. Returns the previous row, or null. */
  change({ kind, id, row }: SmallChange): SmallChange['row'] {
    // The cast is safe: kind and row come together, from a typed write or from the store's own table.
    const table = this.#tableOf(kind) as Table<NonNullable<SmallChange['row']>>;
    return (row === null ? table.remove(id) : table.put(row)) ?? null;
  }

  smallRow(kind: SmallKind, id: string): SmallChange['row'] {
    return this.#tableOf(kind).get(id) ?? null;
  }

  /** Records the newest id of the feed. */
  learn(lastId: string): void {
    this.told(lastId);
  }

  /** Returns to an earlier newest id of the feed. */
  unlearn(lastId: string): void {
    this.returnTo(lastId);
  }

  /** Removes every small row, before all are loaded again. */
  clear(): void {
    const kinds: readonly SmallKind[] = [...SMALL_TABLES, 'stored', 'duties'];
    for (const kind of kinds) {
      const table = this.#tableOf(kind);
      for (const { id } of [...table.values()]) table.remove(id);
    }
  }

  #tableOf(kind: SmallKind): Table<Stored> | Table<Duty> | Table<Rows[(typeof SMALL_TABLES)[number]]> {
    if (kind === 'stored') return this.stored;
    if (kind === 'duties') return this.duties;
    const table = this.table(kind);
    if (table === null) throw new Error(`${kind} is no small table`);
    // The cast is safe: the kind of a small table selects a table of small rows.
    return table as Table<Rows[(typeof SMALL_TABLES)[number]]>;
  }
}

/** Stands in for the table of messages: it has only counts, because the messages are in the database. */
class StoredCounts implements MessageTable {
  readonly #bytes = new SumIndex<Stored>(
    ({ workspaceId }) => workspaceId,
    ({ bytes }) => bytes,
  );
  readonly #messages = new SumIndex<Stored>(
    () => '',
    ({ messages }) => messages,
  );
  readonly table = new Table<Stored>([this.#bytes, this.#messages]);
  readonly inOrder = new SortedBlocks<Message>();

  get size(): number {
    return this.#messages.total;
  }

  get bytes(): number {
    return this.#bytes.total;
  }

  bytesOf(workspaceId: string): number {
    return this.#bytes.of(workspaceId);
  }

  get(): undefined {
    return undefined;
  }

  of(): SortedBlocks<Message> {
    return this.inOrder;
  }

  glimpse(): Iterable<Message> {
    return [];
  }

  values(): Iterable<Message> {
    return [];
  }
}
