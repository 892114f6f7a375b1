import type { CapturedRequest } from '../../domain/captured-request.ts';
import { refuse } from '../../domain/errors.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { expiredOf, newestOf } from './reader.ts';
import type { Change, State } from './state.ts';

/** The writes of a transaction that concern interceptors and what they captured. */
export function webhookWrites(
  state: State,
  reader: Reader,
  write: (change: Change) => void,
): Pick<Tx, 'webhooks' | 'requests'> {
  const clear = (webhookId: string): number => {
    const rows = state.requestsByWebhook.of(webhookId);
    const count = rows.size;
    const upTo = newestOf(rows);
    if (upTo !== null) write(['clear', webhookId, upTo, 'requests']);
    return count;
  };
  return {
    webhooks: {
      ...reader.webhooks,
      insert: async (webhook, max) => {
        if (state.webhooksByWorkspace.of(webhook.workspaceId).size >= max)
          throw refuse('hook_limit_reached', { limit: max });
        write(['put', 'webhooks', webhook]);
      },
      update: async (webhook) => write(['put', 'webhooks', webhook]),
      remove: async (id) => {
        clear(id);
        write(['remove', 'scripts', id]);
        write(['remove', 'captured', id]);
        write(['remove', 'webhooks', id]);
      },
      setResponses: async (id, responses) => {
        if (responses.length > 0) write(['put', 'scripts', { id, responses }]);
        else write(['remove', 'scripts', id]);
      },
      takeResponse: async (id) => {
        const [next, ...rest] = state.scripts.get(id)?.responses ?? [];
        if (next === undefined) return null;
        if (rest.length > 0) write(['put', 'scripts', { id, responses: rest }]);
        else write(['remove', 'scripts', id]);
        return next;
      },
    },
    requests: {
      ...reader.requests,
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
      removeAll: async (webhookId) => clear(webhookId),
      removeExpired: async (webhookId, now, limit) => {
        const days = state.webhooks.get(webhookId)?.retentionDays ?? 0;
        const expired = expiredOf(state.requestsByWebhook.of(webhookId), days, now, limit);
        for (const id of expired) write(['remove', 'requests', id, true]);
        return expired.length;
      },
    },
  };
}

/** Those who resume the feed by an id must find everything that came after it. */
export function checkNewest(state: State, id: string): void {
  if (id <= state.newestFeedId) throw new Error(`${id} is not the newest of the feed`);
}
