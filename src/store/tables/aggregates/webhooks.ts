import { type CapturedRequest, heldBytes } from '../../../domain/captured-request.ts';
import { refuse } from '../../../domain/errors.ts';
import type { CapturedRequestId, WebhookId } from '../../../domain/ids.ts';
import { isExpired } from '../../../domain/message.ts';
import type { Moment } from '../../../domain/time.ts';
import type { ScriptedResponse } from '../../../domain/webhook.ts';
import type { Reader, TrimmedRequests } from '../../../ports/store.ts';
import { checkNewest } from '../feed.ts';
import type { CaptureFacts, State } from '../state.ts';
import type { SortedChunks } from '../table.ts';
import { arrivalsWith, countShown, erasableOf, shownOf, type TimedRows } from './in-time.ts';
import { found, newestOf, ofWorkspace, take, type Write, type Writes } from './rows.ts';

export function readWebhooks(state: State): Reader['webhooks'] {
  return {
    ...ofWorkspace(state.webhooks, state.webhooksByWorkspace),
    byKey: async (key) => found(state.webhooks, state.webhookByKey.idOf(key)),
    lastRequestAt: async (id) => state.captured.get(id)?.lastRequestAt ?? null,
    responses: async (id) => state.scripts.get(id)?.responses ?? [],
  };
}

export function writeWebhooks(state: State, write: Write): Writes<'webhooks'> {
  const setResponses = (id: WebhookId, responses: readonly ScriptedResponse[]): void => {
    if (responses.length > 0) write(['put', 'scripts', { id, responses }]);
    else write(['remove', 'scripts', id]);
  };
  return {
    insert: async (webhook, max) => {
      if (state.webhooksByWorkspace.of(webhook.workspaceId).size >= max)
        throw refuse('hook_limit_reached', { limit: max });
      write(['put', 'webhooks', webhook]);
    },
    update: async (webhook) => write(['put', 'webhooks', webhook]),
    remove: async (id) => removeWebhook(state, write, id),
    setResponses: async (id, responses) => setResponses(id, responses),
    takeResponse: async (id) => {
      const [next, ...rest] = state.scripts.get(id)?.responses ?? [];
      if (next === undefined) return null;
      setResponses(id, rest);
      return next;
    },
  };
}

/** Removes a webhook with its captured requests and scripted responses. */
export function removeWebhook(state: State, write: Write, id: WebhookId): void {
  clearRequests(state, write, id);
  write(['remove', 'scripts', id]);
  write(['remove', 'captured', id]);
  write(['remove', 'webhooks', id]);
}

export function readRequests(state: State): Reader['requests'] {
  return {
    get: async (id, now) => {
      const request = state.requests.get(id);
      return request === undefined || state.isExpiredRequest(request, now) ? null : request;
    },
    page: async (webhookId, { page, pageSize, now }) => {
      const timed = inTime(state, webhookId, now);
      const { rows, steps, expiry } = timed;
      const skipped = (page - 1) * pageSize;
      // Without a shift of the clock, all expired requests are older than the others.
      if (steps === undefined)
        return take(rows.descendingPast(skipped), pageSize).filter(({ receivedAt }) => !isExpired(receivedAt, expiry));
      return take(shownOf(timed), skipped + pageSize).slice(skipped);
    },
    count: async (webhookId, now) => countShown(inTime(state, webhookId, now)),
    heldBytes: async (webhookId) => state.heldByWebhook.of(webhookId),
    trimmed: async (webhookId) => state.captured.get(webhookId)?.trimmed ?? null,
    // The cast is safe: the index has the ids of webhooks.
    largestHolder: async () => state.heldByWebhook.largest() as WebhookId | null,
    pending: async (after, limit) => take(state.pendingRequests.rows.ascending(after ?? undefined), limit),
  };
}

function inTime(state: State, webhookId: WebhookId, now: Moment): TimedRows<SortedChunks<CapturedRequest>> {
  return {
    rows: state.requestsByWebhook.of(webhookId),
    steps: state.captured.get(webhookId)?.steps,
    expiry: state.expiryOfWebhook(webhookId, now),
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
      const expired = erasableOf(inTime(state, webhookId, now), limit);
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
export function trimmedUpTo({ trimmed: before }: CaptureFacts, { count, upTo }: TrimmedRequests): TrimmedRequests {
  return { count: (before?.count ?? 0) + count, upTo };
}

/** Adds up the first rows until they count `bytes`, at most `limit` of them. */
function oldestWith(rows: Iterable<CapturedRequest>, bytes: number, limit: number): TrimmedRequests | null {
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

/** Removes every captured request of a webhook and returns their number. */
export function clearRequests(state: State, write: Write, webhookId: WebhookId): number {
  const rows = state.requestsByWebhook.of(webhookId);
  const count = rows.size;
  const upTo = newestOf(rows);
  if (upTo !== null) write(['clear', webhookId, upTo, 'requests']);
  return count;
}
