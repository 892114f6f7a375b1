import type { CopySource } from '../copy/copy-end.ts';
import { isGrowing, type Put, type Rows, type TableName } from '../tables/state.ts';
import { Bodies } from './bodies.ts';
import {
  type DatabaseRow,
  documentOf,
  numberColumn,
  type RunStatement,
  type Statement,
  statement,
  textColumn,
} from './connection.ts';
import type { StoredObjects } from './stored-objects.ts';

const PAGE = 200;

const HEAD = statement('head', 'select last_id from head');
const COUNT_SMALL = statement(
  'count small rows',
  'select count(*)::float8 as count from small_rows where kind = $1 and row is not null',
);
const SMALL = statement(
  'small rows by id',
  'select id, row from small_rows where kind = $1 and row is not null and id > $2 order by id limit $3',
);

/** Returns a store in a database as the source of a copy. All calls of `query` must read the same snapshot. */
export function databaseSource(query: RunStatement, objects: StoredObjects | null): CopySource {
  const bodies = new Bodies(query, objects);
  const pageOf = (table: TableName, after: string): Promise<readonly DatabaseRow[]> =>
    isGrowing(table) ? query(byId(table), [after, PAGE]) : query(SMALL, [table, after, PAGE]);
  return {
    count: async (table) => {
      const [row] = isGrowing(table) ? await query(counted(table)) : await query(COUNT_SMALL, [table]);
      return numberColumn(row, 'count');
    },
    rows: async function* (table) {
      for (let after = ''; ; ) {
        const page = await pageOf(table, after);
        // The cast is safe: the store writes rows of the table's type.
        for (const row of page) yield ['put', table, documentOf<Rows[typeof table]>(row)] as Put;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = textColumn(last, 'id');
      }
    },
    stream: (ref) => bodies.stream(ref),
    lastId: async () => textColumn((await query(HEAD))[0], 'last_id'),
  };
}

function byId(table: TableName): Statement {
  return statement(`${table} by id`, `select id, row from ${table} where id > $1 order by id limit $2`);
}

function counted(table: TableName): Statement {
  return statement(`count all ${table}`, `select count(*)::float8 as count from ${table}`);
}
