import { type MessageId, ulidTime } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { isExpired, retentionCutoff } from '../../domain/retention.ts';
import { utcDay } from '../../domain/time.ts';
import type { PageQuery, Reader } from '../../ports/store.ts';
import type { State } from './state.ts';

/** Reads over a state. Nothing here scans what it does not return. */
export function createReader(state: State): Reader {
  const retentionOf = (mailboxId: string) => state.mailboxes.get(mailboxId)?.retentionDays ?? 0;
  const inboundOf = (mailboxId: string) => state.inbound.get(mailboxId);
  return {
    workspaces: {
      get: async (id) => state.workspaces.get(id) ?? null,
      list: async () => [...state.workspaces.values()],
      storedBytes: async (id) => state.storedBytes.of(id),
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

function found<Row>(table: { get(id: string): Row | undefined }, id: string | undefined): Row | null {
  return id === undefined ? null : (table.get(id) ?? null);
}

/** The newest id a clear reaches to, null where there is nothing to clear. */
export function newestOf(state: State, mailboxId: string): MessageId | null {
  for (const message of state.messagesByMailbox.of(mailboxId).descending()) return message.id;
  return null;
}
