import { heldBytes } from '../../../domain/capture-quota.ts';
import type { CapturedRequest } from '../../../domain/captured-request.ts';
import type { CapturedRequestId, WebhookId } from '../../../domain/ids.ts';
import { isExpired } from '../../../domain/retention.ts';
import type { Reader, Trimmed } from '../../../ports/store.ts';
import type { CaptureFacts, State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { checkNewest } from './events.ts';
import { arrivalsWith, countExpired, erasableOf, shownOf } from './in-time.ts';
import { newestOf, take } from './rows.ts';

export function readRequests(state: State): Reader['requests'] {
  return {
    get: async (id, now) => {
      const request = state.requests.get(id);
      return request === undefined || isExpired(request.receivedAt, state.expiryOfWebhook(request.webhookId, now))
        ? null
        : request;
    },
    page: async (webhookId, { page, pageSize, now }) => {
      const rows = state.requestsByWebhook.of(webhookId);
      const steps = state.captured.get(webhookId)?.steps;
      const expiry = state.expiryOfWebhook(webhookId, now);
      const skipped = (page - 1) * pageSize;
      // Without a shift of the clock, all expired requests are older than the others.
      if (steps === undefined)
        return take(rows.descendingPast(skipped), pageSize).filter(({ receivedAt }) => !isExpired(receivedAt, expiry));
      return take(shownOf(rows, steps, { expiry }), skipped + pageSize).slice(skipped);
    },
    count: async (webhookId, now) => {
      const rows = state.requestsByWebhook.of(webhookId);
      const steps = state.captured.get(webhookId)?.steps;
      return rows.size - countExpired(rows, steps, state.expiryOfWebhook(webhookId, now));
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
      const facts = state.captured.get(id);
      write(['put', 'captured', { ...facts, id, lastRequestAt, lastId, ...arrivalsWith(facts, request) }]);
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
      const steps = state.captured.get(webhookId)?.steps;
      const expired = erasableOf(rows, steps, state.expiryOfWebhook(webhookId, now), limit);
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
