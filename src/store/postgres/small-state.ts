import { type TagCount, tagKey } from '../../domain/marks.ts';
import type { Message } from '../../domain/message.ts';
import { type MessageTable, type Rows, SMALL_TABLES, State } from '../tables/state.ts';
import { GroupIndex, SortedChunks, SumIndex, Table } from '../tables/table.ts';
import { SummedTags, TagCounts } from '../tables/tag-counts.ts';
import { type DatabaseRow, numberColumn, parseRow, type RunStatement, statement, textColumn } from './connection.ts';

/** The number and the total size of the messages of a mailbox, and the number of those that nobody has read. */
export interface MailboxUsage {
  /** The id of the mailbox. */
  readonly id: string;
  readonly workspaceId: string;
  readonly messages: number;
  readonly bytes: number;
  readonly unread: number;
}

/** A tag of a workspace, with the number of messages that have it. Its id is {@link tagId}. */
export interface TagUsage extends TagCount {
  readonly id: string;
  readonly workspaceId: string;
}

/** Returns the id of a tag of a workspace. */
export function tagId(workspaceId: string, tag: string): string {
  return `${workspaceId} ${tagKey(tag)}`;
}

/** The server that is the leader. */
interface Leadership {
  readonly id: 'leader';
  readonly server: number;
}

/** The small tables, which every server keeps in memory. */
export type SmallKind = (typeof SMALL_TABLES)[number] | 'stored' | 'tagged' | 'leadership';

type SmallRow = Rows[(typeof SMALL_TABLES)[number]] | MailboxUsage | TagUsage | Leadership;

/** A change of a small row. `row` is null if the row was removed. */
export interface SmallChange {
  readonly kind: SmallKind;
  readonly id: string;
  readonly row: SmallRow | null;
}

/** The rows of the small tables in memory. The append tables of this state stay empty. */
export class SmallState extends State<StoredCounts> {
  readonly stored: Table<MailboxUsage>;
  readonly tagged: Table<TagUsage>;
  readonly leadership = new Table<Leadership>([]);
  /**
   * The epoch of these rows. An epoch is the number of batches of transactions that all servers together have committed;
   * the table `head` has the current one. The rows include all changes up to their epoch.
   */
  epoch = 0;

  constructor() {
    const counts = new StoredCounts();
    super(counts);
    this.stored = counts.table;
    this.tagged = counts.tagged;
  }

  /** Inserts, replaces or removes a row. Returns the previous row, or null. */
  change({ kind, id, row }: SmallChange): SmallRow | null {
    const table = this.#tableOf(kind);
    return (row === null ? table.remove(id) : table.put(row)) ?? null;
  }

  smallRow(kind: SmallKind, id: string): SmallRow | null {
    return this.#tableOf(kind).get(id) ?? null;
  }

  /** Removes every small row, before all are loaded again. */
  clear(): void {
    const kinds: readonly SmallKind[] = [...SMALL_TABLES, 'stored', 'tagged', 'leadership'];
    for (const kind of kinds) {
      const table = this.#tableOf(kind);
      for (const { id } of [...table.values()]) table.remove(id);
    }
  }

  #tableOf(kind: SmallKind): Table<SmallRow> {
    const isOwn = kind === 'stored' || kind === 'tagged' || kind === 'leadership';
    // The cast is safe: kind and row come together, from a typed write or from the store's own table.
    return (isOwn ? this[kind] : this.table(kind)) as Table<SmallRow>;
  }
}

/** Stands in for the table of messages: it has only counts, because the messages are in the database. */
class StoredCounts implements MessageTable {
  readonly #bytes = new SumIndex<MailboxUsage>(
    ({ workspaceId }) => workspaceId,
    ({ bytes }) => bytes,
  );
  readonly #messages = new SumIndex<MailboxUsage>(
    () => '',
    ({ messages }) => messages,
  );
  readonly table = new Table<MailboxUsage>([this.#bytes, this.#messages]);
  readonly #tags = new GroupIndex<TagUsage>(({ workspaceId }) => workspaceId);
  readonly tagged = new Table<TagUsage>([this.#tags]);
  readonly inOrder = new SortedChunks<Message>();

  get size(): number {
    return this.#messages.total;
  }

  get bytes(): number {
    return this.#bytes.total;
  }

  bytesOf(workspaceId: string): number {
    return this.#bytes.of(workspaceId);
  }

  unreadOf(mailboxId: string): number {
    return this.table.get(mailboxId)?.unread ?? 0;
  }

  tagsOf(workspaceId: string): SummedTags {
    const counts = new TagCounts();
    for (const { name, count } of this.#tags.of(workspaceId).ascending()) counts.add([name], count);
    return new SummedTags([counts]);
  }

  get(): undefined {
    return undefined;
  }

  of(): SortedChunks<Message> {
    return this.inOrder;
  }

  ofKind(): SortedChunks<Message> {
    return this.inOrder;
  }

  glimpse(): Iterable<Message> {
    return [];
  }

  peek(): undefined {
    return undefined;
  }

  values(): Iterable<Message> {
    return [];
  }
}

/**
 * Reads the small rows that changed after an epoch. It returns no row if `head` is still at that epoch, which is the
 * most frequent case.
 */
const CHANGES = statement(
  'changes',
  `select head.epoch::float8 as epoch, head.last_id, head.pruned::float8 as pruned, small.kind, small.id, small.row
   from head left join small_rows as small on small.epoch > $1
   where head.epoch <> $1`,
);

/** The changes of small rows after an epoch. */
export interface Changes {
  readonly epoch: number;
  readonly lastId: string;
  /**
   * The database no longer knows the removals up to this epoch. A server at an older epoch must load all small rows
   * again.
   */
  readonly pruned: number;
  readonly rows: readonly SmallChange[];
}

/** Reads the changes after an epoch. */
export async function changesAfter(epoch: number, query: RunStatement): Promise<Changes> {
  const rows = await query(CHANGES, [epoch]);
  return rows.length === 0 ? { epoch, lastId: '', pruned: 0, rows: [] } : changesOf(rows);
}

function changesOf(rows: readonly DatabaseRow[]): Changes {
  const [head] = rows;
  return {
    epoch: numberColumn(head, 'epoch'),
    lastId: textColumn(head, 'last_id'),
    pruned: numberColumn(head, 'pruned'),
    rows: rows.flatMap((row): SmallChange[] => {
      if (row['kind'] === null) return [];
      // The cast is safe: only the store writes this column.
      const kind = textColumn(row, 'kind') as SmallKind;
      return [{ kind, id: textColumn(row, 'id'), row: row['row'] === null ? null : parseRow<SmallRow>(row) }];
    }),
  };
}

/** Brings a state to the epoch of the changes. They must be complete from the state's own epoch on. */
export function applyChanges(state: SmallState, { epoch, lastId, rows }: Omit<Changes, 'pruned'>): void {
  // All changed rows are removed before any is put back, because a unique name may have moved from one row to another.
  for (const { kind, id } of rows) state.change({ kind, id, row: null });
  for (const change of rows) if (change.row !== null) state.change(change);
  state.learn(lastId);
  state.epoch = epoch;
}

/**
 * Brings a state up to date. `first` holds the changes after its epoch. If removals are missing from them, `ask` loads
 * all rows. Returns the changes that it used: `first`, or all rows.
 */
export async function catchUp(
  state: SmallState,
  first: Changes,
  ask: (epoch: number) => Promise<Changes>,
): Promise<Changes> {
  let changes = first;
  if (state.epoch < first.pruned) {
    changes = await ask(-1);
    if (changes.epoch >= state.epoch) state.clear();
  }
  if (changes.epoch > state.epoch) applyChanges(state, changes);
  return changes;
}

/** The small rows for readers outside of transactions, and the query that keeps them current. */
export class SmallRowCache {
  readonly state = new SmallState();
  readonly #query: RunStatement;
  readonly #onChanged: (changes: readonly SmallChange[]) => void;
  #waiting: Promise<SmallState> | null = null;
  #running = 0;

  constructor(query: RunStatement, onChanged: (changes: readonly SmallChange[]) => void) {
    this.#query = query;
    this.#onChanged = onChanged;
  }

  /**
   * Returns the state with all changes that were committed before the call. Calls in one tick of the event loop share a
   * query.
   */
  fresh(): Promise<SmallState> {
    this.#waiting ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      // A later call needs a query of its own, because this one may start before commits that the call must see.
      this.#waiting = null;
      await this.#look();
      return this.state;
    });
    return this.#waiting;
  }

  /** Settles when no query is running. */
  async idle(): Promise<void> {
    while (this.#running > 0 || this.#waiting !== null)
      await Promise.allSettled([this.#waiting, new Promise((resolve) => setImmediate(resolve))]);
  }

  async #look(): Promise<void> {
    const ask = (epoch: number) => changesAfter(epoch, this.#query);
    this.#running++;
    try {
      const before = this.state.epoch;
      const { rows } = await catchUp(this.state, await ask(before), ask);
      if (this.state.epoch > before && rows.length > 0) this.#onChanged(rows);
    } finally {
      this.#running--;
    }
  }
}
