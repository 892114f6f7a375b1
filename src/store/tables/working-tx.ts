import { refuse } from '../../domain/errors.ts';
import { isReplayable } from '../../domain/idempotency.ts';
import type { MailboxId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { utcDay } from '../../domain/time.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { outboundWrites } from './outbound-writes.ts';
import { expiredOf, newestOf } from './reader.ts';
import type { Change, State } from './state.ts';
import { checkNewest, webhookWrites } from './webhook-writes.ts';

/** The writes of a transaction, applied to `state` at once and recorded. `write` is what the recording goes through. */
export function createTx(state: State, reader: Reader, write: (change: Change) => void): Tx {
  const clear = (mailboxId: MailboxId): number => {
    const rows = state.messagesByMailbox.of(mailboxId);
    const count = rows.size;
    const upTo = newestOf(rows);
    if (upTo !== null) write(['clear', mailboxId, upTo]);
    return count;
  };
  const removeMailbox = (id: MailboxId): void => {
    clear(id);
    for (const send of [...state.sendsByMailbox.of(id).ascending()]) write(['remove', 'sends', send.id]);
    write(['remove', 'inbound', id]);
    write(['remove', 'mailboxes', id]);
  };
  const insertMessage = (message: Message, received: 0 | 1): void => {
    const inbound = state.inbound.get(message.mailboxId);
    if (inbound !== undefined && inbound.lastId >= message.id)
      throw new Error(`message ${message.id} is not the newest of its mailbox`);
    const used = counted(inbound?.used ?? {}, utcDay(message.receivedAt), received);
    write(['put', 'messages', message]);
    write(['put', 'inbound', { id: message.mailboxId, used, lastId: message.id }]);
  };
  const outbound = outboundWrites(state, reader, write);
  const hooks = webhookWrites(state, reader, write);
  return {
    ...reader,
    workspaces: {
      ...reader.workspaces,
      insert: async (workspace) => write(['put', 'workspaces', workspace]),
      update: async (workspace) => write(['put', 'workspaces', workspace]),
      remove: async (id) => {
        for (const mailbox of [...state.mailboxesByWorkspace.of(id).ascending()]) removeMailbox(mailbox.id);
        for (const group of [...state.groupsByWorkspace.of(id).ascending()]) write(['remove', 'groups', group.id]);
        for (const { id: authenticator } of [...state.authenticatorsByWorkspace.of(id).ascending()]) {
          write(['remove', 'authenticators', authenticator]);
        }
        for (const { id: webhook } of [...state.webhooksByWorkspace.of(id).ascending()])
          await hooks.webhooks.remove(webhook);
        outbound.removeAllOf(id);
        for (const key of [...state.keysByWorkspace.of(id).ascending()]) write(['remove', 'keys', key.id]);
        write(['remove', 'workspaces', id]);
      },
      countOutbound: async (id, now, emails) => {
        const used = counted(state.outbound.get(id)?.used ?? {}, utcDay(now), emails);
        write(['put', 'outbound', { id, used }]);
      },
    },
    ...outbound.tables,
    ...hooks,
    keys: {
      ...reader.keys,
      insert: async (key, maxActive) => {
        if (state.activeKeys.of(key.workspaceId) >= maxActive)
          throw refuse('plan_max_keys_reached', { limit: maxActive });
        write(['put', 'keys', key]);
      },
      update: async (key) => write(['put', 'keys', key]),
    },
    groups: {
      ...reader.groups,
      insert: async (group) => write(['put', 'groups', group]),
      remove: async (id) => {
        for (const mailbox of [...state.mailboxesByGroup.of(id).ascending()]) {
          write(['put', 'mailboxes', { ...mailbox, groupId: null }]);
        }
        write(['remove', 'groups', id]);
      },
    },
    authenticators: {
      ...reader.authenticators,
      insert: async (authenticator) => write(['put', 'authenticators', authenticator]),
      remove: async (id) => write(['remove', 'authenticators', id]),
    },
    mailboxes: {
      ...reader.mailboxes,
      insert: async (mailbox, max) => {
        if (state.mailboxBySubdomain.idOf(mailbox.subdomain) !== undefined) throw refuse('subdomain_taken');
        if (state.mailboxesByWorkspace.of(mailbox.workspaceId).size >= max) {
          throw refuse('plan_max_mailboxes_reached', { limit: max });
        }
        write(['put', 'mailboxes', mailbox]);
      },
      update: async (mailbox) => write(['put', 'mailboxes', mailbox]),
      remove: async (id) => removeMailbox(id),
    },
    messages: {
      ...reader.messages,
      insert: async (message) => insertMessage(message, 1),
      insertOwn: async (message) => insertMessage(message, 0),
      remove: async (id) => {
        const there = state.messages.get(id) !== undefined;
        if (there) write(['remove', 'messages', id]);
        return there;
      },
      removeAll: async (mailboxId) => clear(mailboxId),
      removeExpired: async (mailboxId, now, limit) => {
        const days = state.mailboxes.get(mailboxId)?.retentionDays ?? 0;
        const expired = expiredOf(state.messagesByMailbox.of(mailboxId), days, now, limit);
        for (const id of expired) write(['remove', 'messages', id, true]);
        return expired;
      },
    },
    events: {
      ...reader.events,
      insert: async (event) => {
        checkNewest(state, event.id);
        write(['put', 'events', event]);
      },
      trim: async (keep, limit) => {
        const rows = state.eventsInOrder.rows;
        const doomed: string[] = [];
        for (const { id } of rows.ascending()) {
          if (doomed.length >= limit || rows.size - doomed.length <= keep) break;
          doomed.push(id);
        }
        for (const id of doomed) write(['remove', 'events', id]);
        return doomed.length;
      },
    },
    idempotency: {
      ...reader.idempotency,
      put: async (record) => {
        // Leaves and comes again, so that the table stays in the order of expiry.
        if (state.idempotency.get(record.id) !== undefined) write(['remove', 'idempotency', record.id]);
        write(['put', 'idempotency', record]);
      },
      removeExpired: async (now, limit) => {
        const expired: string[] = [];
        for (const record of state.idempotency.values()) {
          if (expired.length >= limit || isReplayable(record, now)) break;
          expired.push(record.id);
        }
        for (const id of expired) write(['remove', 'idempotency', id]);
        return expired.length;
      },
    },
    settings: {
      ...reader.settings,
      setClockOffsetMs: async (value) => write(['put', 'settings', { id: 'clockOffsetMs', value }]),
    },
  };
}

const DAYS_KEPT = 7;

/** So many more on that day; the days longest without mail are forgotten. */
function counted(used: Readonly<Record<string, number>>, day: string, more: number): Record<string, number> {
  const { [day]: before = 0, ...others } = used;
  const kept = Object.entries(others).slice(1 - DAYS_KEPT);
  return Object.fromEntries([...kept, [day, before + more]]);
}
