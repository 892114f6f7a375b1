import { heldBytes } from '../../domain/capture-quota.ts';
import { storedAtOf } from '../../domain/idempotency.ts';
import { isPending } from '../../domain/send.ts';
import { blobsOf } from '../tables/blobs.ts';
import { type GrowingTable, isGrowing, type Put } from '../tables/state.ts';
import { blobIdOf } from './bodies.ts';
import { type Statement, type StatementValue, statement } from './connection.ts';

/**
 * The insertion of a row into a growing table. Growing tables grow with traffic, so their rows are only in the
 * database, never in the servers' memory.
 */
export type GrowingPut = Extract<Put, readonly ['put', GrowingTable, unknown]>;

export function isGrowingPut(put: Put): put is GrowingPut {
  return isGrowing(put[1]);
}

interface Columns {
  readonly name: string;
  readonly type: string;
}

/** The columns of each table besides `id` and `row`. Queries filter by them. `row` holds the whole row as JSON. */
const COLUMNS: Readonly<Record<GrowingTable, readonly Columns[]>> = {
  messages: [
    { name: 'mailbox_id', type: 'text' },
    { name: 'received_at', type: 'float8' },
    { name: 'size_bytes', type: 'float8' },
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

const UPSERTS: Readonly<Record<GrowingTable, Statement>> = {
  messages: upsert('messages'),
  requests: upsert('requests'),
  sends: upsert('sends'),
  events: upsert('events'),
  idempotency: upsert('idempotency'),
};

/** Returns the number of parameters that {@link putSql} takes for a table. */
export function parameterCount(table: GrowingTable): number {
  return COLUMNS[table].length + 2;
}

/**
 * Returns the SQL that inserts or replaces rows of one table. Its parameters are one array for each column, beginning
 * with the number `first`. `beside` may name a common table expression, with a comma at its end; nothing is written if
 * that expression has no row.
 */
export function putSql(table: GrowingTable, first = 1, beside = ''): string {
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

function upsert(table: GrowingTable): Statement {
  return statement(`put ${table}`, putSql(table));
}

/** Builds the statement that inserts or replaces rows of one table, each id once. */
export function putRows(table: GrowingTable, puts: readonly GrowingPut[]): [Statement, StatementValue[]] {
  return [UPSERTS[table], arraysOf(puts)];
}

/** Transposes rows of one table: returns one array of values for each column. */
export function arraysOf(puts: readonly GrowingPut[]): StatementValue[] {
  const rows = puts.map((put) => [put[2].id, ...valuesOf(put), JSON.stringify(put[2])]);
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? null));
}

function valuesOf(put: GrowingPut): (string | number | boolean | null)[] {
  const blobs = `{${blobsOf(put).map(blobIdOf).join()}}`;
  switch (put[1]) {
    case 'messages':
      return [put[2].mailboxId, put[2].receivedAt, put[2].sizeBytes, blobs];
    case 'requests':
      return [put[2].webhookId, put[2].receivedAt, put[2].forwardStatus === 'pending', heldBytes(put[2]), blobs];
    case 'sends':
      return [put[2].workspaceId, put[2].mailboxId, put[2].createdAt, isPending(put[2]), blobs];
    case 'events':
      return [put[2].type, mailboxIdOf(put[2].data)];
    case 'idempotency':
      // The column has the real time, by which records are removed.
      return [storedAtOf(put[2])];
  }
}

function mailboxIdOf(data: object): string | null {
  return 'mailboxId' in data && typeof data.mailboxId === 'string' ? data.mailboxId : null;
}

/** The tables with blobs. */
type WithBlobs = 'messages' | 'requests' | 'sends';

/**
 * Builds the statement that removes the rows that meet an SQL condition, and the blobs to which no other row refers. It
 * returns one row: `count` is the number of removed rows, and `bytes` the sum of the SQL expression `weight` over them.
 */
export function removal(name: string, table: WithBlobs, condition: string, weight = '0'): Statement {
  return statement(
    name,
    `with gone as (delete from ${table} where ${condition} returning blobs, ${weight} as weight),
     freed as (select blob, count(*) as refs from gone, unnest(gone.blobs) as blob group by blob),
     kept as (update blobs set refs = blobs.refs - freed.refs from freed
              where blobs.id = freed.blob and blobs.refs > freed.refs),
     removed as (delete from blobs using freed where blobs.id = freed.blob and blobs.refs <= freed.refs)
     select count(*)::float8 as count, coalesce(sum(weight), 0)::float8 as bytes from gone`,
  );
}
