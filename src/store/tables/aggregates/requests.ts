import { heldBytes } from '../../../domain/capture-quota.ts';
import type { CapturedRequest } from '../../../domain/captured-request.ts';
import type { CapturedRequestId, WebhookId } from '../../../domain/ids.ts';
import { isExpired } from '../../../domain/retention.ts';
import type { Reader, Trimmed } from '../../../ports/store.ts';
import type { CaptureFacts, State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { checkNewest } from './events.ts';
import { expiredOf, newestOf, take } from './rows.ts';

export function readRequests(state: State): Reader['requests'] {
  return {
    get: async (id, now) => {
      const request = state.requests.get(id);
      return request === undefined || isExpired(request.receivedAt, state.retentionOfWebhook(request.webhookId), now)
        ? null
        : request;
    },
    page: async (webhookId, { page, pageSize, now }) => {
      const days = state.retentionOfWebhook(webhookId);
      const rows = state.requestsByWebhook.of(webhookId).descendingPast((page - 1) * pageSize);
      return take(rows, pageSize).filter(({ receivedAt }) => !isExpired(receivedAt, days, now));
    },
    count: async (webhookId, now) => {
      const days = state.retentionOfWebhook(webhookId);
      const rows = state.requestsByWebhook.of(webhookId);
      let expired = 0;
      // The loop visits only requests that expired since the last sweep.
      for (const { receivedAt } of rows.ascending()) {
        if (!isExpired(receivedAt, days, now)) break;
        expired++;
      }
      return rows.size - expired;
    },
    heldBytes: async (webhookId) => state.heldByWebhook.of(webhookId),
    trimmed: async (webhookId) => state.captured.get(webhookId)?.trimmed ?? null,
    // The cast is safe: the index has the ids of interceptors.
    largestHolder: async () => state.heldByWebhook.largest() as WebhookId | null,
    pending: async (after, limit) => take(state.pendingRequests.rows.ascending(after ?? undefined), limit),
  };
}

export function writeRequests(state: State, write: Write): Writes<'requests'> {
  return {
    insert: async (request) => {
      checkNewest(state, request.id);
      write(['put', 'requests', request]);
      const { webhookId: id, receivedAt: lastRequestAt, id: lastId } = request;
      write(['put', 'captured', { ...state.captured.get(id), id, lastRequestAt, lastId }]);
    },
    update: async (id, fields) => {
      const current = state.requests.get(id);
      if (current === undefined) return null;
      const request: CapturedRequest = { ...current, ...fields };
      write(['put', 'requests', request]);
      return request;
    },
    removeAll: async (webhookId) => clearRequests(state, write, webhookId),
    removeExpired: async (webhookId, now, limit) => {
      const rows = state.requestsByWebhook.of(webhookId);
      const expired = expiredOf(rows, state.retentionOfWebhook(webhookId), now, limit);
      for (const id of expired) write(['remove', 'requests', id, true]);
      return expired.length;
    },
    trim: async (webhookId, bytes, limit) => {
      const trimmed = oldestWith(state.requestsByWebhook.of(webhookId).ascending(), bytes, limit);
      const facts = state.captured.get(webhookId);
      if (trimmed === null || facts === undefined) return null;
      write(['clear', webhookId, trimmed.upTo, 'requests']);
      write(['put', 'captured', { ...facts, trimmed: trimmedUpTo(facts, trimmed) }]);
      return trimmed;
    },
  };
}

/** Adds requests that went now to those that went before. */
export function trimmedUpTo({ trimmed: before }: CaptureFacts, { count, upTo }: Trimmed): Trimmed {
  return { count: (before?.count ?? 0) + count, upTo };
}

/** Adds up the first rows until they count `bytes`, at most `limit` of them. */
function oldestWith(rows: Iterable<CapturedRequest>, bytes: number, limit: number): Trimmed | null {
  let count = 0;
  let freed = 0;
  let upTo: CapturedRequestId | null = null;
  for (const row of rows) {
    if (freed >= bytes || count >= limit) break;
    count++;
    freed += heldBytes(row);
    upTo = row.id;
  }
  return upTo === null ? null : { count, upTo };
}

/** Removes every captured request of an interceptor and returns their number. */
export function clearRequests(state: State, write: Write, webhookId: WebhookId): number {
  const rows = state.requestsByWebhook.of(webhookId);
  const count = rows.size;
  const upTo = newestOf(rows);
  if (upTo !== null) write(['clear', webhookId, upTo, 'requests']);
  return count;
}
