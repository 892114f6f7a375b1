import type { Message } from '../../domain/message.ts';
import type { MessageTable } from '../tables/messages/message-table.ts';
import { SortedBlocks } from '../tables/sorted-rows.ts';
import { type Rows, SMALL_TABLES, State } from '../tables/state.ts';
import { SumIndex, Table } from '../tables/table.ts';

/** The number and bytes of the messages of a mailbox. */
export interface Stored {
  /** The id of the mailbox. */
  readonly id: string;
  readonly workspaceId: string;
  readonly messages: number;
  readonly bytes: number;
}

/** The server that does the work that only one may do. */
export interface Duty {
  readonly id: 'leader';
  readonly server: number;
}

/** The tables that every server keeps in memory. */
export type SmallKind = (typeof SMALL_TABLES)[number] | 'stored' | 'duties';

/** A small row as the database tells it. Null means that it is gone. */
export interface SmallChange {
  readonly kind: SmallKind;
  readonly id: string;
  readonly row: Rows[(typeof SMALL_TABLES)[number]] | Stored | Duty | null;
}

/** The small rows in memory, as of an epoch of the database. The growing tables in it stay empty. */
export class SmallState extends State<StoredCounts> {
  readonly stored: Table<Stored>;
  readonly duties = new Table<Duty>([]);
  /** All changes up to this epoch are in. */
  epoch = 0;

  constructor() {
    const counts = new StoredCounts();
    super(counts);
    this.stored = counts.table;
  }

  /** Replaces or removes a row. Returns the row before. */
  change({ kind, id, row }: SmallChange): SmallChange['row'] {
    // The cast is safe: kind and row come together, from a typed write or from the store's own table.
    const table = this.#tableOf(kind) as Table<NonNullable<SmallChange['row']>>;
    return (row === null ? table.remove(id) : table.put(row)) ?? null;
  }

  smallRow(kind: SmallKind, id: string): SmallChange['row'] {
    return this.#tableOf(kind).get(id) ?? null;
  }

  /** Takes note of the newest id of the feed. */
  learn(lastId: string): void {
    this.told(lastId);
  }

  /** Returns to an earlier newest id of the feed. */
  unlearn(lastId: string): void {
    this.returnTo(lastId);
  }

  /** Removes every small row, to load them again. */
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

/** Counts stored messages. The messages themselves are in the database. */
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
