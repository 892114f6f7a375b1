import { isKept } from '../../../domain/idempotency.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import { removeMailbox } from './mailboxes.ts';
import { counted, countOn, removeEach, type Write, type Writes } from './rows.ts';
import { removeWebhook } from './webhooks.ts';

export function readWorkspaces(state: State): Reader['workspaces'] {
  return {
    get: async (id) => state.workspaces.get(id) ?? null,
    list: async () => [...state.workspaces.values()],
    storedBytes: async (id) => state.messages.bytesOf(id),
    outboundUsed: async (id, now) => countOn(state.outbound.get(id)?.used, now),
  };
}

export function writeWorkspaces(state: State, write: Write): Writes<'workspaces'> {
  return {
    insert: async (workspace) => write(['put', 'workspaces', workspace]),
    update: async (workspace) => write(['put', 'workspaces', workspace]),
    remove: async (id) => {
      for (const mailbox of [...state.mailboxesByWorkspace.of(id).ascending()]) removeMailbox(state, write, mailbox.id);
      removeEach(write, 'groups', state.groupsByWorkspace.of(id));
      removeEach(write, 'authenticators', state.authenticatorsByWorkspace.of(id));
      for (const webhook of [...state.webhooksByWorkspace.of(id).ascending()]) removeWebhook(state, write, webhook.id);
      removeEach(write, 'identities', state.identitiesByWorkspace.of(id));
      removeEach(write, 'suppression', state.suppressionByWorkspace.of(id));
      removeEach(write, 'sends', state.sendsByWorkspace.of(id));
      removeEach(write, 'providerRecords', state.providerRecordsByWorkspace.of(id));
      write(['remove', 'outbound', id]);
      removeEach(write, 'keys', state.keysByWorkspace.of(id));
      write(['remove', 'workspaces', id]);
    },
    countOutbound: async (id, now, emails) =>
      write(['put', 'outbound', { id, used: counted(state.outbound.get(id)?.used, now, emails) }]),
  };
}

export function readIdempotency(state: State): Reader['idempotency'] {
  return { get: async (id) => state.idempotency.get(id) ?? null };
}

export function writeIdempotency(state: State, write: Write): Writes<'idempotency'> {
  return {
    put: async (record) => {
      // The record is removed and inserted again, which keeps the table in the order of expiry.
      if (state.idempotency.get(record.id) !== undefined) write(['remove', 'idempotency', record.id]);
      write(['put', 'idempotency', record]);
    },
    removeExpired: async (realNow, limit) => {
      const expired: string[] = [];
      for (const record of state.idempotency.values()) {
        if (expired.length >= limit || isKept(record, realNow)) break;
        expired.push(record.id);
      }
      for (const id of expired) write(['remove', 'idempotency', id]);
      return expired.length;
    },
  };
}
