import { heldBytes } from '../../domain/captured-request.ts';
import { type Expiry, isExpired } from '../../domain/message.ts';
import { isPending } from '../../domain/send.ts';
import { type ClockStep, spansOf } from '../../domain/time.ts';
import { ulidTimeDigits } from '../../text/ulid-digits.ts';
import {
  APPEND_TABLES,
  type AppendTable,
  type BlobTable,
  blobsOf,
  type Change,
  isAppendTable,
  type Put,
  type Rows,
} from '../tables/state.ts';
import { blobIdOf } from './bodies.ts';
import {
  type DatabaseRow,
  numberColumn,
  parseRow,
  type RunStatement,
  type Statement,
  type StatementValue,
  statement,
  textColumn,
} from './connection.ts';
import type { SmallChange, SmallState } from './small-state.ts';

/** The largest time that a ULID can hold, in milliseconds since 1970. */
const LARGEST_ULID_TIME = 2 ** 48 - 1;

/** The sources of reads: the database, and the small rows in memory. */
export interface ReadSource {
  readonly query: RunStatement;
  /** Returns the small rows, as current as the read needs. */
  small(): Promise<SmallState>;
}

/** The writes of the running transaction of a batch, and queries that see them. */
export interface BatchWrites {
  /** Records a change of the running transaction. */
  write(change: Change): void;
  /** Replaces a row of an append table. The blobs of the row `before` lose one reference each. */
  replace(before: AppendPut, after: AppendPut): void;
  /** Records a removal that a statement does itself, so that listeners learn of it. */
  note(change: Change): void;
  /** Changes a row of a small table. */
  change(change: SmallChange): void;
  /** Sends all writes, and then runs a statement in the same database transaction. */
  readonly query: RunStatement;
}

/** Returns a limit for SQL. Infinity becomes null, which means no limit, and a negative number becomes 0. */
export function limitOf(limit: number): number | null {
  return Number.isFinite(limit) ? Math.max(0, limit) : null;
}

/**
 * Returns a time for SQL, in milliseconds since 1970. An infinite time becomes the largest or the smallest safe
 * integer.
 */
export function momentOf(time: number): number {
  return Number.isFinite(time) ? time : time > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

/** Returns a text that does not sort after any ULID of `time` or later. `time` is in milliseconds since 1970. */
export function ulidFloor(time: number): string {
  return ulidTimeDigits(Math.min(Math.max(Math.ceil(time), 0), LARGEST_ULID_TIME));
}

/** The bounds of ids for SQL: at or above `floor` and below `end`. */
export interface IdRange {
  readonly floor: string;
  readonly end: string;
}

/** A text that sorts after every ULID. */
export const END = '~';

/**
 * Returns the condition for the rows of one owner whose ids are in a range. It needs the order `<column>, id`. PostgreSQL
 * then reads the index by owner and id, and no other one. If it were told that the owner is equal and to order by the id,
 * it would read the index of all ids, whenever most rows had one owner: for another owner, that reads the whole table.
 */
export function ofOwner(column: string, owner: string, range: { readonly from: string; readonly to: string }): string {
  return `(${column}, id) >= (${owner}, ${range.from}) and (${column}, id) < (${owner}, ${range.to})`;
}

/**
 * Returns the ranges of ids in which rows before an id can be that were received after a moment, the newest range first.
 * Each lies between two shifts of the workspace's clock, so the ranges hold few other rows.
 */
export function rangesAfter(steps: readonly ClockStep[] | undefined, moment: number, before = END): IdRange[] {
  return spansOf(steps)
    .reverse()
    .map(({ from, to = END, leadMs }) => {
      const floor = ulidFloor(moment - leadMs);
      return { floor: floor > from ? floor : from, end: before < to ? before : to };
    })
    .filter(({ floor, end }) => floor < end);
}

/** Returns the ranges of ids between the shifts of a clock, the oldest first, up to a moment of real time. */
export function rangesUpTo(steps: readonly ClockStep[] | undefined, moment = Number.POSITIVE_INFINITY): IdRange[] {
  const last = Number.isFinite(moment) ? ulidFloor(moment + 1) : END;
  return spansOf(steps)
    .map(({ from, to = END }) => ({ floor: from, end: last < to ? last : to }))
    .filter(({ floor, end }) => floor < end);
}

/** Reads the rows of ranges one after the other, until `limit` are found. `read` gets the number that is missing. */
export async function readRanges(
  ranges: readonly IdRange[],
  limit: number,
  read: (range: IdRange, left: number) => Promise<readonly DatabaseRow[]>,
): Promise<DatabaseRow[]> {
  const found: DatabaseRow[] = [];
  for (const range of ranges) {
    found.push(...(await read(range, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

/** The columns with the owners of rows that have a retention. */
const OWNERS = { messages: 'mailbox_id', requests: 'webhook_id' } as const;

/** Returns the ids of the first rows of an owner that are past their retention, the oldest first. */
export async function expiredIds(
  query: RunStatement,
  table: keyof typeof OWNERS,
  owner: string,
  steps: readonly ClockStep[] | undefined,
  expiry: Expiry,
  limit: number,
): Promise<string[]> {
  const column = OWNERS[table];
  const oldest = statement(
    `oldest ${table}`,
    `select id, received_at from ${table} where ${ofOwner(column, '$1', { from: '$3', to: '$4' })}
     order by ${column}, id limit $2`,
  );
  const ids: string[] = [];
  for (const { floor, end } of rangesUpTo(steps, expiry.real)) {
    const rows = await query(oldest, [owner, limitOf(limit - ids.length), floor, end]);
    const kept = rows.findIndex((row) => !isExpired(numberColumn(row, 'received_at'), expiry));
    ids.push(...rows.slice(0, kept < 0 ? rows.length : kept).map((row) => textColumn(row, 'id')));
  }
  return ids;
}

/**
 * The insertion of a row into an append table. Append tables grow with traffic, so their rows are only in the
 * database, never in the servers' memory.
 */
export type AppendPut = Extract<Put, readonly ['put', AppendTable, unknown]>;

export function isAppendPut(put: Put): put is AppendPut {
  return isAppendTable(put[1]);
}

/** A column of a table, its type in SQL, and its value for a row. */
type Column<Name extends AppendTable> = readonly [
  name: string,
  type: string,
  read: (row: Rows[Name]) => string | number | boolean | null,
];

/** The columns of each table besides `id` and `row`. Queries filter by them. `row` holds the whole row as JSON. */
const COLUMNS: { readonly [Name in AppendTable]: readonly Column<Name>[] } = {
  messages: [
    ['mailbox_id', 'text', ({ mailboxId }) => mailboxId],
    ['received_at', 'float8', ({ receivedAt }) => receivedAt],
    ['size_bytes', 'float8', ({ sizeBytes }) => sizeBytes],
    ['unread', 'bool', ({ isRead }) => !isRead],
    ['tags', 'text', ({ tags }) => (tags.length === 0 ? null : JSON.stringify(tags))],
    ['is_sms', 'bool', ({ kind }) => kind === 'sms'],
    ['blobs', 'text', (row) => blobIds(['put', 'messages', row])],
  ],
  requests: [
    ['webhook_id', 'text', ({ webhookId }) => webhookId],
    ['received_at', 'float8', ({ receivedAt }) => receivedAt],
    ['pending', 'bool', ({ forwardStatus }) => forwardStatus === 'pending'],
    ['held_bytes', 'float8', heldBytes],
    ['blobs', 'text', (row) => blobIds(['put', 'requests', row])],
  ],
  sends: [
    ['workspace_id', 'text', ({ workspaceId }) => workspaceId],
    ['mailbox_id', 'text', ({ mailboxId }) => mailboxId],
    ['created_at', 'float8', ({ createdAt }) => createdAt],
    ['pending', 'bool', isPending],
    ['blobs', 'text', (row) => blobIds(['put', 'sends', row])],
  ],
  events: [
    ['type', 'text', ({ type }) => type],
    ['mailbox_id', 'text', ({ data }) => ('mailboxId' in data ? (data.mailboxId ?? null) : null)],
  ],
  // The real time, by which records are removed.
  idempotency: [['created_at', 'float8', ({ storedAt }) => storedAt]],
};

function blobIds(put: Put): string {
  return `{${blobsOf(put).map(blobIdOf).join()}}`;
}

/** Returns the number of parameters that {@link putSql} takes for a table. */
export function parameterCount(table: AppendTable): number {
  return COLUMNS[table].length + 2;
}

/**
 * Returns the SQL that inserts or replaces rows of one table. Its parameters are one array for each column, beginning
 * with the number `first`. `beside` may name a common table expression, with a comma at its end; nothing is written if
 * that expression has no row.
 */
export function putSql(table: AppendTable, first = 1, beside = ''): string {
  const own = COLUMNS[table].map(([name, type]) => ({ name, type }));
  const columns = [{ name: 'id', type: 'text' }, ...own, { name: 'row', type: 'text' }];
  const names = columns.map(({ name }) => name).join(', ');
  // In PostgreSQL the inner arrays of an array must have the same length, so the blobs of a row are passed as the text
  // of an array.
  const values = columns.map(({ name }) => (name === 'blobs' ? 'blobs::bigint[]' : name)).join(', ');
  const arrays = columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(', ');
  const sets = columns.slice(1).map(({ name }) => `${name} = excluded.${name}`);
  return `insert into ${table} (${names}) select ${values} from ${beside}unnest(${arrays}) as new (${names})
     on conflict (id) do update set ${sets.join(', ')}`;
}

const UPSERTS = Object.fromEntries(
  APPEND_TABLES.map((table) => [table, statement(`put ${table}`, putSql(table))]),
) as Readonly<Record<AppendTable, Statement>>;

/** Builds the statement that inserts or replaces rows of one table, each id once. */
export function putRows(table: AppendTable, puts: readonly AppendPut[]): [Statement, StatementValue[]] {
  return [UPSERTS[table], arraysOf(table, puts)];
}

/** Transposes rows of one table: returns one array of values for each column. */
export function arraysOf(table: AppendTable, puts: readonly AppendPut[]): StatementValue[] {
  const rows = puts.map((put) => put[2]);
  // The cast is safe: the rows are of the table.
  const own = COLUMNS[table].map(([, , read]) => rows.map(read as (row: AppendPut[2]) => string));
  return [rows.map(({ id }) => id), ...own, rows.map((row) => JSON.stringify(row))];
}

/** Builds the statement that deletes the rows that meet an SQL condition. It returns their number as `count`. */
export function deletion(name: string, table: AppendTable, condition: string): Statement {
  return statement(
    name,
    `with gone as (delete from ${table} where ${condition} returning 1) select count(*)::float8 as count from gone`,
  );
}

/** Runs a statement that removes rows of a table. Returns their number, which listeners learn too. */
export async function removeCounted(
  batch: BatchWrites,
  table: AppendTable,
  wanted: Statement,
  values: readonly StatementValue[],
): Promise<number> {
  const [row] = await batch.query(wanted, values);
  const count = numberColumn(row, 'count');
  if (count > 0) batch.note(['remove', table, '']);
  return count;
}

/** Returns a row of a table, or null if there is none. */
export async function oneRow<Row>(query: RunStatement, table: AppendTable, id: string): Promise<Row | null> {
  const [row] = await query(statement(`get ${table}`, `select row from ${table} where id = $1`), [id]);
  return row === undefined ? null : parseRow<Row>(row);
}

/** Returns the rows after an id that are to be sent or forwarded. */
export async function pendingRows<Row>(
  query: RunStatement,
  table: 'requests' | 'sends',
  after: string | null,
  limit: number,
): Promise<Row[]> {
  const pending = `select row from ${table} where pending and id > $1 order by id limit $2`;
  return (await query(statement(`pending ${table}`, pending), [after ?? '', limitOf(limit)])).map(parseRow<Row>);
}

/**
 * Builds the statement that removes the rows that meet an SQL condition, and the blobs to which no other row refers. It
 * returns one row: `count` is the number of removed rows, and `bytes` the sum of the SQL expression `weight` over them.
 * `more` are further columns that it reads from the removed rows, and what it computes of them.
 */
export function removal(
  name: string,
  table: BlobTable,
  condition: string,
  weight = '0',
  more = { columns: '', results: '' },
): Statement {
  return statement(
    name,
    `with gone as (delete from ${table} where ${condition} returning blobs, ${weight} as weight${more.columns}),
     freed as (select blob, count(*) as refs from gone, unnest(gone.blobs) as blob group by blob),
     kept as (update blobs set refs = blobs.refs - freed.refs from freed
              where blobs.id = freed.blob and blobs.refs > freed.refs),
     removed as (delete from blobs using freed where blobs.id = freed.blob and blobs.refs <= freed.refs)
     select count(*)::float8 as count, coalesce(sum(weight), 0)::float8 as bytes${more.results} from gone`,
  );
}
