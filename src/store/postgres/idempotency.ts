import { type IdempotencyRecord, REPLAY_WINDOW_MS } from '../../domain/idempotency.ts';
import type { Reader } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/aggregate.ts';
import { documentOf, numberColumn, statement } from './connection.ts';
import type { GroupWrites } from './group.ts';
import { limitOf, momentOf, type ReadSource } from './source.ts';

const GET = statement('get idempotency record', 'select row from idempotency where id = $1');
const EXPIRE = statement(
  'expire idempotency records',
  `with gone as (
     delete from idempotency where id in (
       select id from idempotency where created_at <= $1 order by created_at limit $2)
     returning 1)
   select count(*)::float8 as count from gone`,
);

export function readIdempotency({ query }: ReadSource): Reader['idempotency'] {
  return {
    get: async (id) => {
      const [row] = await query(GET, [id]);
      return row === undefined ? null : documentOf<IdempotencyRecord>(row);
    },
  };
}

export function writeIdempotency(group: GroupWrites): Writes<'idempotency'> {
  return {
    put: async (record) => group.write(['put', 'idempotency', record]),
    removeExpired: async (realNow, limit) => {
      const [row] = await group.query(EXPIRE, [momentOf(realNow - REPLAY_WINDOW_MS), limitOf(limit)]);
      const count = numberColumn(row, 'count');
      if (count > 0) group.note(['remove', 'idempotency', '']);
      return count;
    },
  };
}
