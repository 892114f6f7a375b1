import { heldBytes } from '../../domain/captured-request.ts';
import { type Expiry, isExpired, type Message } from '../../domain/message.ts';
import { isPending } from '../../domain/send.ts';
import { type ClockStep, spansOf } from '../../domain/time.ts';
import { ulidTimeDigits } from '../../text/ulid-digits.ts';
import { type AppendTable, blobsOf, isAppendTable, type Put } from '../tables/state.ts';
import { blobIdOf } from './bodies.ts';
import {
  type DatabaseRow,
  numberColumn,
  type RunStatement,
  type Statement,
  type StatementValue,
  statement,
  textColumn,
} from './connection.ts';
import type { SmallState } from './small-state.ts';

/** The largest time that a ULID can hold, in milliseconds since 1970. */
const LARGEST_ULID_TIME = 2 ** 48 - 1;

/** The sources of reads: the database, and the small rows in memory. */
export interface ReadSource {
  readonly query: RunStatement;
  /** Returns the small rows, as current as the read needs. */
  small(): Promise<SmallState>;
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

/** Returns the ids of the first rows past their retention. `rows` have `id` and `received_at`, the oldest first. */
export function expiredIds(rows: readonly DatabaseRow[], expiry: Expiry): string[] {
  const end = rows.findIndex((row) => !isExpired(numberColumn(row, 'received_at'), expiry));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => textColumn(row, 'id'));
}

/**
 * The insertion of a row into an append table. Append tables grow with traffic, so their rows are only in the
 * database, never in the servers' memory.
 */
export type AppendPut = Extract<Put, readonly ['put', AppendTable, unknown]>;

export function isAppendPut(put: Put): put is AppendPut {
  return isAppendTable(put[1]);
}

interface Columns {
  readonly name: string;
  readonly type: string;
}

/** The columns of each table besides `id` and `row`. Queries filter by them. `row` holds the whole row as JSON. */
const COLUMNS: Readonly<Record<AppendTable, readonly Columns[]>> = {
  messages: [
    { name: 'mailbox_id', type: 'text' },
    { name: 'received_at', type: 'float8' },
    { name: 'size_bytes', type: 'float8' },
    { name: 'unread', type: 'bool' },
    { name: 'tags', type: 'text' },
    { name: 'is_sms', type: 'bool' },
    { name: 'blobs', type: 'text' },
  ],
  requests: [
    { name: 'webhook_id', type: 'text' },
    { name: 'received_at', type: 'float8' },
    { name: 'pending', type: 'bool' },
    { name: 'held_bytes', type: 'float8' },
    { name: 'blobs', type: 'text' },
  ],
  sends: [
    { name: 'workspace_id', type: 'text' },
    { name: 'mailbox_id', type: 'text' },
    { name: 'created_at', type: 'float8' },
    { name: 'pending', type: 'bool' },
    { name: 'blobs', type: 'text' },
  ],
  events: [
    { name: 'type', type: 'text' },
    { name: 'mailbox_id', type: 'text' },
  ],
  idempotency: [{ name: 'created_at', type: 'float8' }],
};

const UPSERTS: Readonly<Record<AppendTable, Statement>> = {
  messages: upsert('messages'),
  requests: upsert('requests'),
  sends: upsert('sends'),
  events: upsert('events'),
  idempotency: upsert('idempotency'),
};

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
  const columns = [{ name: 'id', type: 'text' }, ...COLUMNS[table], { name: 'row', type: 'text' }];
  const names = columns.map(({ name }) => name).join(', ');
  // In PostgreSQL the inner arrays of an array must have the same length, so the blobs of a row are passed as the text
  // of an array.
  const values = columns.map(({ name }) => (name === 'blobs' ? 'blobs::bigint[]' : name)).join(', ');
  const arrays = columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(', ');
  const sets = columns.slice(1).map(({ name }) => `${name} = excluded.${name}`);
  return `insert into ${table} (${names}) select ${values} from ${beside}unnest(${arrays}) as new (${names})
     on conflict (id) do update set ${sets.join(', ')}`;
}

function upsert(table: AppendTable): Statement {
  return statement(`put ${table}`, putSql(table));
}

/** Builds the statement that inserts or replaces rows of one table, each id once. */
export function putRows(table: AppendTable, puts: readonly AppendPut[]): [Statement, StatementValue[]] {
  return [UPSERTS[table], arraysOf(puts)];
}

/** Transposes rows of one table: returns one array of values for each column. */
export function arraysOf(puts: readonly AppendPut[]): StatementValue[] {
  const rows = puts.map((put) => [put[2].id, ...valuesOf(put), JSON.stringify(put[2])]);
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? null));
}

function valuesOf(put: AppendPut): (string | number | boolean | null)[] {
  const blobs = `{${blobsOf(put).map(blobIdOf).join()}}`;
  switch (put[1]) {
    case 'messages': {
      const { mailboxId, receivedAt, sizeBytes, isRead, kind } = put[2];
      return [mailboxId, receivedAt, sizeBytes, !isRead, tagsColumn(put[2]), kind === 'sms', blobs];
    }
    case 'requests':
      return [put[2].webhookId, put[2].receivedAt, put[2].forwardStatus === 'pending', heldBytes(put[2]), blobs];
    case 'sends':
      return [put[2].workspaceId, put[2].mailboxId, put[2].createdAt, isPending(put[2]), blobs];
    case 'events':
      return [put[2].type, mailboxIdOf(put[2].data)];
    case 'idempotency':
      // The column has the real time, by which records are removed.
      return [put[2].storedAt];
  }
}

function tagsColumn({ tags }: Message): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags);
}

function mailboxIdOf(data: object): string | null {
  return 'mailboxId' in data && typeof data.mailboxId === 'string' ? data.mailboxId : null;
}

/** The tables with blobs. */
type WithBlobs = 'messages' | 'requests' | 'sends';

/**
 * Builds the statement that removes the rows that meet an SQL condition, and the blobs to which no other row refers. It
 * returns one row: `count` is the number of removed rows, and `bytes` the sum of the SQL expression `weight` over them.
 * `more` are further columns that it reads from the removed rows, and what it computes of them.
 */
export function removal(
  name: string,
  table: WithBlobs,
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
