import type { CapturedRequest } from '../../domain/captured-request.ts';
import type { WebhookId } from '../../domain/ids.ts';
import { isExpired, retentionCutoff } from '../../domain/retention.ts';
import type { Reader } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/aggregate.ts';
import { checkNewest } from '../tables/aggregates/events.ts';
import { documentOf, numberColumn, statement } from './connection.ts';
import type { GroupWrites } from './group.ts';
import { removal } from './growing.ts';
import type { SmallState } from './small-state.ts';
import { expiredIds, limitOf, momentOf, type ReadSource } from './source.ts';

const GET = statement('get request', 'select row from requests where id = $1');
const PAGE = statement(
  'page requests',
  'select row from requests where webhook_id = $1 order by id desc offset $2 limit $3',
);
const COUNT = statement(
  'count requests',
  `select count(*)::float8 as count from requests where webhook_id = $1 and id >= coalesce(
     (select id from requests where webhook_id = $1 and received_at > $2 order by id limit 1), '~')`,
);
const PENDING = statement(
  'pending requests',
  'select row from requests where pending and id > $1 order by id limit $2',
);
const OLDEST = statement(
  'oldest requests',
  'select id, received_at from requests where webhook_id = $1 order by id limit $2',
);
const REMOVE_IDS = removal('remove requests', 'requests', 'id = any ($1::text[])');
const CLEAR = removal('clear requests', 'requests', 'webhook_id = $1');

export function readRequests({ query, small }: ReadSource): Reader['requests'] {
  return {
    get: async (id, now) => {
      const [state, [row]] = await Promise.all([small(), query(GET, [id])]);
      if (row === undefined) return null;
      const request = documentOf<CapturedRequest>(row);
      return isExpired(request.receivedAt, state.retentionOfWebhook(request.webhookId), now) ? null : request;
    },
    page: async (webhookId, { page, pageSize, now }) => {
      const days = (await small()).retentionOfWebhook(webhookId);
      const rows = await query(PAGE, [webhookId, (page - 1) * pageSize, pageSize]);
      return rows.map(documentOf<CapturedRequest>).filter(({ receivedAt }) => !isExpired(receivedAt, days, now));
    },
    count: async (webhookId, now) => {
      const cutoff = retentionCutoff((await small()).retentionOfWebhook(webhookId), now);
      const [row] = await query(COUNT, [webhookId, momentOf(cutoff)]);
      return numberColumn(row, 'count');
    },
    pending: async (after, limit) => {
      const rows = await query(PENDING, [after ?? '', limitOf(limit)]);
      return rows.map(documentOf<CapturedRequest>);
    },
  };
}

export function writeRequests(state: SmallState, group: GroupWrites): Writes<'requests'> {
  return {
    insert: async (request) => {
      checkNewest(state, request.id);
      group.write(['put', 'requests', request]);
      state.learn(request.id);
      const { webhookId: id, receivedAt: lastRequestAt, id: lastId } = request;
      group.write(['put', 'captured', { id, lastRequestAt, lastId }]);
    },
    update: async (id, fields) => {
      const [row] = await group.query(GET, [id]);
      if (row === undefined) return null;
      const current = documentOf<CapturedRequest>(row);
      const request: CapturedRequest = { ...current, ...fields };
      group.replace(['put', 'requests', current], ['put', 'requests', request]);
      return request;
    },
    removeAll: async (webhookId) => clearRequests(group, webhookId),
    removeExpired: async (webhookId, now, limit) => {
      // An interceptor that never captured anything has nothing to remove.
      if (state.captured.get(webhookId) === undefined) return 0;
      const rows = await group.query(OLDEST, [webhookId, limitOf(limit)]);
      const ids = expiredIds(rows, state.retentionOfWebhook(webhookId), now);
      if (ids.length === 0) return 0;
      await group.query(REMOVE_IDS, [ids]);
      for (const id of ids) group.note(['remove', 'requests', id]);
      return ids.length;
    },
  };
}

/** Removes every captured request of an interceptor and returns their number. */
export async function clearRequests(group: GroupWrites, webhookId: WebhookId): Promise<number> {
  const [row] = await group.query(CLEAR, [webhookId]);
  group.note(['clear', webhookId, '~', 'requests']);
  return numberColumn(row, 'count');
}
