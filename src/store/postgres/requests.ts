import { type CapturedRequest, heldBytes } from '../../domain/captured-request.ts';
import type { CapturedRequestId, WebhookId } from '../../domain/ids.ts';
import type { Reader } from '../../ports/store.ts';
import { arrivalsWith } from '../tables/aggregates/in-time.ts';
import type { Writes } from '../tables/aggregates/rows.ts';
import { trimmedUpTo } from '../tables/aggregates/webhooks.ts';
import { checkNewest } from '../tables/feed.ts';
import {
  type BatchWrites,
  END,
  expiredIds,
  type IdRange,
  limitOf,
  momentOf,
  ofOwner,
  oneRow,
  pendingRows,
  type ReadSource,
  rangesAfter,
  readRanges,
  removal,
} from './append-tables.ts';
import { numberColumn, parseRow, type RunStatement, statement, textColumn } from './connection.ts';
import type { SmallState } from './small-state.ts';

const PAGE = statement(
  'page requests',
  `select row from requests where ${ofOwner('webhook_id', '$1', { from: '$4', to: '$5' })} and received_at > $6
   order by webhook_id desc, id desc offset $2 limit $3`,
);
const COUNT = statement(
  'count requests',
  `select count(*)::float8 as count from requests where (webhook_id, id) < ($1, $4) and (webhook_id, id) >= ($1, coalesce(
     (select id from requests where ${ofOwner('webhook_id', '$1', { from: '$3', to: '$4' })} and received_at > $2
      order by webhook_id, id limit 1), $4))`,
);
const SUM = statement(
  'held bytes',
  'select coalesce(sum(held_bytes), 0)::float8 as bytes from requests where webhook_id = $1',
);
const GET_HELD = statement('get request and its bytes', 'select row, held_bytes from requests where id = $1');
const ALL = { from: "''", to: `'${END}'` };
const OLDEST_HELD = statement(
  'oldest requests and their bytes',
  `select id, held_bytes from requests where ${ofOwner('webhook_id', '$1', ALL)} order by webhook_id, id limit $2`,
);
const REMOVE_IDS = removal('remove requests', 'requests', 'id = any ($1::text[])', 'held_bytes');
const CLEAR = removal('clear requests', 'requests', 'webhook_id = $1');

export function readRequests({ query, small }: ReadSource): Reader['requests'] {
  return {
    get: async (id, now) => {
      const [state, request] = await Promise.all([small(), oneRow<CapturedRequest>(query, 'requests', id)]);
      return request === null || state.isExpiredRequest(request, now) ? null : request;
    },
    page: async (webhookId, { page, pageSize, now }) => {
      const state = await small();
      const { shown } = state.expiryOfWebhook(webhookId, now);
      let skip = (page - 1) * pageSize;
      const ranges = rangesAfter(state.captured.get(webhookId)?.steps, shown);
      const found = await readRanges(ranges, pageSize, async (range, left) => {
        const rows = await query(PAGE, [webhookId, skip, left, range.floor, range.end, momentOf(shown)]);
        // The range may end within the skipped requests, or within this page.
        if (rows.length > 0) skip = 0;
        else if (skip > 0) skip = Math.max(0, skip - (await countIn(query, webhookId, shown, range)));
        return rows;
      });
      return found.map(parseRow<CapturedRequest>);
    },
    count: async (webhookId, now) => {
      const state = await small();
      const { shown } = state.expiryOfWebhook(webhookId, now);
      let count = 0;
      for (const range of rangesAfter(state.captured.get(webhookId)?.steps, shown))
        count += await countIn(query, webhookId, shown, range);
      return count;
    },
    heldBytes: async (webhookId) => (await small()).toldByWebhook.of(webhookId),
    trimmed: async (webhookId) => (await small()).captured.get(webhookId)?.trimmed ?? null,
    // The cast is safe: the index has the ids of webhooks.
    largestHolder: async () => (await small()).toldByWebhook.largest() as WebhookId | null,
    pending: (after, limit) => pendingRows<CapturedRequest>(query, 'requests', after, limit),
  };
}

export function writeRequests(state: SmallState, batch: BatchWrites): Writes<'requests'> {
  const removeEach = async (webhookId: WebhookId, ids: readonly string[]): Promise<void> => {
    const [row] = await batch.query(REMOVE_IDS, [ids]);
    for (const id of ids) batch.note(['remove', 'requests', id]);
    countHeld(state, batch, webhookId, -numberColumn(row, 'bytes'));
  };
  return {
    insert: async (request) => {
      checkNewest(state, request.id);
      const { webhookId: id, receivedAt: lastRequestAt, id: lastId } = request;
      const facts = state.captured.get(id);
      const bytes = (facts?.bytes ?? 0) + heldBytes(request);
      batch.write(['put', 'requests', request]);
      state.learn(request.id);
      batch.write(['put', 'captured', { ...facts, id, lastRequestAt, lastId, bytes, ...arrivalsWith(facts, request) }]);
    },
    update: async (id, fields) => {
      const [row] = await batch.query(GET_HELD, [id]);
      if (row === undefined) return null;
      const current = parseRow<CapturedRequest>(row);
      const request: CapturedRequest = { ...current, ...fields };
      batch.replace(['put', 'requests', current], ['put', 'requests', request]);
      countHeld(state, batch, request.webhookId, heldBytes(request) - numberColumn(row, 'held_bytes'));
      return request;
    },
    removeAll: async (webhookId) => clearRequests(state, batch, webhookId),
    removeExpired: async (webhookId, now, limit) => {
      // A webhook that never captured anything has nothing to remove.
      const facts = state.captured.get(webhookId);
      if (facts === undefined) return 0;
      const expiry = state.expiryOfWebhook(webhookId, now);
      const ids = await expiredIds(batch.query, 'requests', webhookId, facts.steps, expiry, limit);
      if (ids.length > 0) await removeEach(webhookId, ids);
      return ids.length;
    },
    trim: async (webhookId, bytes, limit) => {
      const rows = await batch.query(OLDEST_HELD, [webhookId, limitOf(limit)]);
      const ids: CapturedRequestId[] = [];
      let freed = 0;
      for (const row of rows) {
        if (freed >= bytes) break;
        freed += numberColumn(row, 'held_bytes');
        ids.push(textColumn(row, 'id') as CapturedRequestId); // the column holds ids of requests
      }
      const upTo = ids.at(-1);
      if (upTo === undefined) return null;
      await removeEach(webhookId, ids);
      const trimmed = { count: ids.length, upTo };
      const facts = state.captured.get(webhookId);
      if (facts !== undefined) batch.write(['put', 'captured', { ...facts, trimmed: trimmedUpTo(facts, trimmed) }]);
      return trimmed;
    },
  };
}

/** Counts the requests of a range that are within their retention. */
async function countIn(
  query: RunStatement,
  webhookId: WebhookId,
  shown: number,
  { floor, end }: IdRange,
): Promise<number> {
  const [row] = await query(COUNT, [webhookId, momentOf(shown), floor, end]);
  return numberColumn(row, 'count');
}

/** Removes every captured request of a webhook and returns their number. */
export async function clearRequests(state: SmallState, batch: BatchWrites, webhookId: WebhookId): Promise<number> {
  const [row] = await batch.query(CLEAR, [webhookId]);
  batch.note(['clear', webhookId, '~', 'requests']);
  countHeld(state, batch, webhookId, -(state.captured.get(webhookId)?.bytes ?? 0));
  return numberColumn(row, 'count');
}

/** Sums the bytes that the requests of a webhook count against the quota. */
export async function sumOf({ query }: Pick<BatchWrites, 'query'>, webhookId: string): Promise<number> {
  const [row] = await query(SUM, [webhookId]);
  return numberColumn(row, 'bytes');
}

/** Adds to the sum of a webhook. */
function countHeld(state: SmallState, batch: BatchWrites, webhookId: WebhookId, by: number): void {
  const facts = state.captured.get(webhookId);
  const bytes = (facts?.bytes ?? 0) + by;
  if (facts !== undefined && facts.bytes !== bytes) batch.write(['put', 'captured', { ...facts, bytes }]);
}
