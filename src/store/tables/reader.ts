import { type EventId, ulidTime } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { isExpired, retentionCutoff } from '../../domain/retention.ts';
import type { Send } from '../../domain/send.ts';
import { utcDay } from '../../domain/time.ts';
import type { PageQuery, Reader, SendQuery } from '../../ports/store.ts';
import { feedAfter } from './feed.ts';
import type { Identified, SortedRows } from './sorted-rows.ts';
import { type State, suppressionKey } from './state.ts';

/** Reads over a state. Nothing here scans what it does not return. */
export function createReader(state: State): Reader {
  const retentionOf = (mailboxId: string) => state.mailboxes.get(mailboxId)?.retentionDays ?? 0;
  const daysOf = (webhookId: string) => state.webhooks.get(webhookId)?.retentionDays ?? 0;
  const inboundOf = (mailboxId: string) => state.inbound.get(mailboxId);
  return {
    workspaces: {
      get: async (id) => state.workspaces.get(id) ?? null,
      list: async () => [...state.workspaces.values()],
      storedBytes: async (id) => state.storedBytes.of(id),
      outboundUsed: async (id, now) => state.outbound.get(id)?.used[utcDay(now)] ?? 0,
    },
    keys: {
      get: async (id) => state.keys.get(id) ?? null,
      byHash: async (hash) => found(state.keys, state.keysByHash.idOf(hash)),
      list: async (workspaceId) => [...state.keysByWorkspace.of(workspaceId).ascending()],
    },
    groups: {
      get: async (id) => state.groups.get(id) ?? null,
      list: async (workspaceId) => [...state.groupsByWorkspace.of(workspaceId).ascending()],
    },
    authenticators: {
      get: async (id) => state.authenticators.get(id) ?? null,
      list: async (workspaceId) => [...state.authenticatorsByWorkspace.of(workspaceId).ascending()],
    },
    mailboxes: {
      get: async (id) => state.mailboxes.get(id) ?? null,
      bySubdomain: async (subdomain) => found(state.mailboxes, state.mailboxBySubdomain.idOf(subdomain)),
      list: async (workspaceId) => [...state.mailboxesByWorkspace.of(workspaceId).ascending()],
      inbox: async () => found(state.mailboxes, state.inbox.idOf('inbox')),
      inboundUsed: async (id, now) => {
        return inboundOf(id)?.used[utcDay(now)] ?? 0;
      },
    },
    messages: {
      get: async (id, now) => {
        const message = state.messages.get(id);
        return message === undefined || isExpired(message.receivedAt, retentionOf(message.mailboxId), now)
          ? null
          : message;
      },
      page: async (mailboxId, query) => page(state, mailboxId, retentionOf(mailboxId), query),
      after: async (mailboxId, after, limit, now) => {
        const days = retentionOf(mailboxId);
        const messages: Message[] = [];
        for (const message of state.messagesByMailbox.of(mailboxId).ascending(after ?? undefined)) {
          if (messages.length >= limit) break;
          if (!isExpired(message.receivedAt, days, now)) messages.push(message);
        }
        return messages;
      },
      lastId: async (mailboxId) => inboundOf(mailboxId)?.lastId ?? null,
      count: async (mailboxId) => state.messagesByMailbox.of(mailboxId).size,
    },
    identities: {
      get: async (id) => state.identities.get(id) ?? null,
      list: async (workspaceId) => [...state.identitiesByWorkspace.of(workspaceId).ascending()],
    },
    suppression: {
      get: async (id) => state.suppression.get(id) ?? null,
      byRecipient: async (workspaceId, recipient) =>
        found(state.suppression, state.suppressionByRecipient.idOf(suppressionKey(workspaceId, recipient))),
      list: async (workspaceId) => [...state.suppressionByWorkspace.of(workspaceId).ascending()],
    },
    sends: {
      get: async (id) => state.sends.get(id) ?? null,
      list: async (query) => sends(state, query),
      pending: async (after, limit) => take(state.pendingSends.rows.ascending(after ?? undefined), limit),
    },
    webhooks: {
      get: async (id) => state.webhooks.get(id) ?? null,
      byKey: async (key) => found(state.webhooks, state.webhookByKey.idOf(key)),
      list: async (workspaceId) => [...state.webhooksByWorkspace.of(workspaceId).ascending()],
      lastRequestAt: async (id) => state.captured.get(id)?.lastRequestAt ?? null,
      responses: async (id) => state.scripts.get(id)?.responses ?? [],
    },
    requests: {
      get: async (id, now) => {
        const request = state.requests.get(id);
        return request === undefined || isExpired(request.receivedAt, daysOf(request.webhookId), now) ? null : request;
      },
      page: async (webhookId, { page, pageSize, now }) => {
        const days = daysOf(webhookId);
        const rows = state.requestsByWebhook.of(webhookId).descendingPast((page - 1) * pageSize);
        return take(rows, pageSize).filter(({ receivedAt }) => !isExpired(receivedAt, days, now));
      },
      count: async (webhookId, now) => {
        const rows = state.requestsByWebhook.of(webhookId);
        let expired = 0;
        // Only what expired since the last sweep is walked over.
        for (const { receivedAt } of rows.ascending()) {
          if (!isExpired(receivedAt, daysOf(webhookId), now)) break;
          expired++;
        }
        return rows.size - expired;
      },
      pending: async (after, limit) => take(state.pendingRequests.rows.ascending(after ?? undefined), limit),
    },
    events: {
      after: async (query) => feedAfter(state, query),
      // What a row of the feed is told by is an event's id.
      lastId: async () => (state.newestFeedId === '' ? null : (state.newestFeedId as EventId)),
    },
    idempotency: { get: async (id) => state.idempotency.get(id) ?? null },
    settings: { clockOffsetMs: async () => state.settings.get('clockOffsetMs')?.value ?? 0 },
    counts: async () => ({
      workspaces: state.workspaces.size,
      mailboxes: state.mailboxes.size,
      messages: state.messages.size,
      storedBytes: state.storedBytes.total,
    }),
  };
}

function page(state: State, mailboxId: string, retentionDays: number, query: PageQuery): Message[] {
  const cutoff = retentionCutoff(retentionDays, query.now);
  const since = query.since ?? Number.NEGATIVE_INFINITY;
  const messages: Message[] = [];
  for (const message of state.messagesByMailbox.of(mailboxId).descending(query.before)) {
    if (messages.length >= query.limit) break;
    // An id's time never falls and is never below the receipt, even where the clock was set back: past this point nothing is left.
    const ceiling = ulidTime(message.id);
    if (ceiling < since || ceiling <= cutoff) break;
    if (message.receivedAt >= since && message.receivedAt > cutoff) messages.push(message);
  }
  return messages;
}

function sends(state: State, { workspaceId, mailboxId, before, limit }: SendQuery): Send[] {
  const rows =
    mailboxId !== undefined
      ? state.sendsByMailbox.of(mailboxId)
      : workspaceId !== undefined
        ? state.sendsByWorkspace.of(workspaceId)
        : state.sendsInOrder.rows;
  return take(rows.descending(before), limit);
}

function take<Row>(rows: Iterable<Row>, limit: number): Row[] {
  const taken: Row[] = [];
  for (const row of rows) {
    if (taken.length >= limit) break;
    taken.push(row);
  }
  return taken;
}

function found<Row>(table: { get(id: string): Row | undefined }, id: string | undefined): Row | null {
  return id === undefined ? null : (table.get(id) ?? null);
}

/** The newest id a clear reaches to, null where there is nothing to clear. */
export function newestOf<Row extends Identified>(rows: SortedRows<Row>): Row['id'] | null {
  for (const row of rows.descending()) return row.id;
  return null;
}

/** The rows past their retention that a sweep removes next, by id. */
export function expiredOf<Row extends Identified & { readonly receivedAt: number }>(
  rows: SortedRows<Row>,
  days: number,
  now: number,
  limit: number,
): Row['id'][] {
  const expired: Row['id'][] = [];
  for (const row of rows.ascending()) {
    // The oldest come first; a clock that was set back may hide a few until their turn comes.
    if (expired.length >= limit || !isExpired(row.receivedAt, days, now)) break;
    expired.push(row.id);
  }
  return expired;
}
