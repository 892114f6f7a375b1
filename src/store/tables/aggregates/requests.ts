import type { CapturedRequest } from '../../../domain/captured-request.ts';
import type { WebhookId } from '../../../domain/ids.ts';
import { isExpired } from '../../../domain/retention.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
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
    pending: async (after, limit) => take(state.pendingRequests.rows.ascending(after ?? undefined), limit),
  };
}

export function writeRequests(state: State, write: Write): Writes<'requests'> {
  return {
    insert: async (request) => {
      checkNewest(state, request.id);
      write(['put', 'requests', request]);
      const { webhookId: id, receivedAt: lastRequestAt, id: lastId } = request;
      write(['put', 'captured', { id, lastRequestAt, lastId }]);
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
  };
}

/** Removes every captured request of an interceptor and returns their number. */
export function clearRequests(state: State, write: Write, webhookId: WebhookId): number {
  const rows = state.requestsByWebhook.of(webhookId);
  const count = rows.size;
  const upTo = newestOf(rows);
  if (upTo !== null) write(['clear', webhookId, upTo, 'requests']);
  return count;
}
