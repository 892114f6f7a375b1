import { refuse } from '../../../domain/errors.ts';
import type { WebhookId } from '../../../domain/ids.ts';
import type { ScriptedResponse } from '../../../domain/webhook.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { clearRequests } from './requests.ts';
import { found } from './rows.ts';

export function readWebhooks(state: State): Reader['webhooks'] {
  return {
    get: async (id) => state.webhooks.get(id) ?? null,
    byKey: async (key) => found(state.webhooks, state.webhookByKey.idOf(key)),
    list: async (workspaceId) => [...state.webhooksByWorkspace.of(workspaceId).ascending()],
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

/** Removes an interceptor with its captured requests and scripted responses. */
export function removeWebhook(state: State, write: Write, id: WebhookId): void {
  clearRequests(state, write, id);
  write(['remove', 'scripts', id]);
  write(['remove', 'captured', id]);
  write(['remove', 'webhooks', id]);
}
