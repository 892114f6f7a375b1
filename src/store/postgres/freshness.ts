import { type DatabaseRow, numberColumn, type RunStatement, statement, textColumn } from './connection.ts';
import { type SmallChange, type SmallKind, SmallState } from './small-state.ts';

/** Asks for what changed after an epoch. It returns no row if the head is still there: most answers are that. */
const CHANGES = statement(
  'changes',
  `select head.epoch::float8 as epoch, head.last_id, head.pruned::float8 as pruned, small.kind, small.id, small.row
   from head left join small_rows as small on small.epoch > $1
   where head.epoch <> $1`,
);

/** The changes in the database after an epoch. */
export interface Changes {
  readonly epoch: number;
  readonly lastId: string;
  /** The removals up to this epoch are forgotten. Who knows an older one loads everything. */
  readonly pruned: number;
  readonly rows: readonly SmallChange[];
}

/** Asks for the changes after an epoch. */
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
      const document = row['row'] === null ? null : textColumn(row, 'row');
      // The casts are safe: only the store writes these columns, from its own rows.
      const kind = textColumn(row, 'kind') as SmallKind;
      return [
        {
          kind,
          id: textColumn(row, 'id'),
          row: document === null ? null : (JSON.parse(document) as SmallChange['row']),
        },
      ];
    }),
  };
}

/** Brings a state to the epoch of the changes. They must reach back to its own epoch. */
export function applyChanges(state: SmallState, { epoch, lastId, rows }: Omit<Changes, 'pruned'>): void {
  // Everything that changed goes first, because a name may have passed from one row to another.
  for (const { kind, id } of rows) state.change({ kind, id, row: null });
  for (const change of rows) if (change.row !== null) state.change(change);
  state.learn(lastId);
  state.epoch = epoch;
}

/** Brings a state up to date by a query, which tells what is after an epoch. */
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

/** The small rows that everyone except transactions reads. */
export class Freshness {
  readonly state = new SmallState();
  readonly #query: RunStatement;
  readonly #onChanged: (changes: readonly SmallChange[]) => void;
  #waiting: Promise<SmallState> | null = null;
  #running = 0;

  constructor(query: RunStatement, onChanged: (changes: readonly SmallChange[]) => void) {
    this.#query = query;
    this.#onChanged = onChanged;
  }

  /** Returns the state with everything that was committed before the call. Calls of one turn share a question. */
  fresh(): Promise<SmallState> {
    this.#waiting ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      // Whoever calls from now on needs another question.
      this.#waiting = null;
      await this.#look();
      return this.state;
    });
    return this.#waiting;
  }

  /** Settles when no question is under way. */
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
