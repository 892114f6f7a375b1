import type { GrowingTable } from '../tables/state.ts';
import type { PackedBlobs } from './bodies.ts';
import { type Statement, type StatementValue, statement } from './connection.ts';
import { arraysOf, type GrowingPut, parameterCount, putSql } from './growing.ts';
import type { SmallChange } from './small-state.ts';

/** The values that the last statement of a group stores besides the rows. */
export interface GroupEnd {
  readonly epoch: number;
  readonly channel: string;
  /** The note to the other servers. */
  readonly payload: string;
  readonly server: number;
  /**
   * The number of the group, counted by the server. The database keeps the number of the last committed group, so that
   * the server can find out whether a commit without an answer happened.
   */
  readonly number: number;
}

/** The writes that the last statement of a group contains. */
export interface LastWrites {
  readonly puts: ReadonlyMap<GrowingTable, ReadonlyMap<string, GrowingPut>>;
  readonly small: readonly SmallChange[];
  /** The newest id of the feed. */
  readonly lastId: string;
  /** The blobs to store. Null if they are stored already. */
  readonly blobs: PackedBlobs | null;
}

/** The statements, by the tables that they write. There are at most 64. */
const statements = new Map<string, Statement>();

/**
 * Builds the last statement of a group. It contains all remaining writes, because each further statement would cost as
 * much again. With `expected`, it writes nothing and returns no row unless `head` is at that epoch.
 */
export function endGroup(end: GroupEnd, writes: LastWrites, expected: number | null): [Statement, StatementValue[]] {
  const { puts, small, lastId, blobs } = writes;
  const tables = [...puts.keys()].sort();
  const key = [...(blobs === null ? [] : ['blobs']), ...tables].join();
  const wanted = statements.get(key) ?? statementOf(key, tables, blobs !== null);
  statements.set(key, wanted);
  const values: StatementValue[] = [
    expected,
    end.epoch,
    lastId,
    end.channel,
    end.payload,
    end.server,
    end.number,
    small.map(({ kind }) => kind),
    small.map(({ id }) => id),
    small.map(({ row }) => (row === null ? null : JSON.stringify(row))),
  ];
  for (const table of tables) values.push(...arraysOf([...(puts.get(table)?.values() ?? [])]));
  if (blobs !== null) values.push(blobs.bytes, blobs.ids, blobs.refs, blobs.starts, blobs.sizes);
  return [wanted, values];
}

function statementOf(key: string, tables: readonly GrowingTable[], withBlobs: boolean): Statement {
  // The update takes the lock on the row of `head`. PostgreSQL checks the epoch again after it has waited for the lock,
  // and updates no row if another server has changed the epoch. All other parts select from `moved`, so they write
  // nothing if no row was updated.
  const parts = [
    `moved as (update head set epoch = $2, last_id = greatest(last_id, $3)
               where $1::bigint is null or epoch = $1 returning one)`,
    `told as (insert into commits (server, number) select $6::bigint, $7::bigint from moved
              on conflict (server) do update set number = excluded.number, at = now())`,
    `changed as (insert into small_rows (kind, id, epoch, row)
                 select kind, id, $2::bigint, row from moved, unnest($8::text[], $9::text[], $10::text[]) as new (kind, id, row)
                 on conflict (kind, id) do update set epoch = excluded.epoch, row = excluded.row)`,
  ];
  let next = 11;
  for (const table of tables) {
    parts.push(`${table}_put as (${putSql(table, next, 'moved, ')})`);
    next += parameterCount(table);
  }
  if (withBlobs)
    parts.push(
      `blobs_put as (insert into blobs (id, refs, bytes)
       select id, refs, substring($${next}::bytea from start + 1 for size)
       from moved, unnest($${next + 1}::bigint[], $${next + 2}::int[], $${next + 3}::int[], $${next + 4}::int[])
         as blob (id, refs, start, size))`,
    );
  return statement(`end group ${key}`, `with ${parts.join(',\n   ')}\n   select pg_notify($4, $5) from moved`);
}
