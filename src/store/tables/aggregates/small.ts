import { refuse } from '../../../domain/errors.ts';
import type { Reader, Tx } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import { readMailboxes, writeMailboxes } from './mailboxes.ts';
import { readProviderRecords, writeProviderRecords } from './providers.ts';
import { found, ofWorkspace, type Write, type Writes } from './rows.ts';
import { readRuns, writeRuns } from './runs.ts';
import { readSuppression, writeSuppression } from './sends.ts';
import { readWebhooks, writeWebhooks } from './webhooks.ts';
import { readWorkspaces, writeWorkspaces } from './workspaces.ts';

// The aggregates that stay small under any traffic. Every store has their rows in memory, and reads and writes them there.

/** The aggregates that a transaction writes. */
type Aggregate = Exclude<keyof Reader, 'counts'>;
type SmallAggregate = Exclude<Aggregate, 'messages' | 'requests' | 'sends' | 'events' | 'idempotency'>;

export type SmallReads = Pick<Reader, SmallAggregate>;

export function readSmall(state: State): SmallReads {
  return {
    workspaces: readWorkspaces(state),
    keys: {
      ...ofWorkspace(state.keys, state.keysByWorkspace),
      byHash: async (hash) => found(state.keys, state.keysByHash.idOf(hash)),
    },
    groups: ofWorkspace(state.groups, state.groupsByWorkspace),
    authenticators: ofWorkspace(state.authenticators, state.authenticatorsByWorkspace),
    mailboxes: readMailboxes(state),
    identities: ofWorkspace(state.identities, state.identitiesByWorkspace),
    suppression: readSuppression(state),
    webhooks: readWebhooks(state),
    providerRecords: readProviderRecords(state),
    settings: { clockOffsetMs: async () => state.settings.get('clockOffsetMs')?.value ?? 0 },
    runs: readRuns(state),
  };
}

export function writeSmall(state: State, write: Write): { readonly [Name in SmallAggregate]: Writes<Name> } {
  return {
    workspaces: writeWorkspaces(state, write),
    keys: {
      insert: async (key, maxActive) => {
        if (state.activeKeys.of(key.workspaceId) >= maxActive)
          throw refuse('plan_max_keys_reached', { limit: maxActive });
        write(['put', 'keys', key]);
      },
      update: async (key) => write(['put', 'keys', key]),
    },
    groups: {
      insert: async (group) => write(['put', 'groups', group]),
      remove: async (id) => {
        for (const mailbox of [...state.mailboxesByGroup.of(id).ascending()])
          write(['put', 'mailboxes', { ...mailbox, groupId: null }]);
        write(['remove', 'groups', id]);
      },
    },
    authenticators: {
      insert: async (authenticator) => write(['put', 'authenticators', authenticator]),
      remove: async (id) => write(['remove', 'authenticators', id]),
    },
    mailboxes: writeMailboxes(state, write),
    identities: {
      insert: async (identity) => write(['put', 'identities', identity]),
      remove: async (id) => write(['remove', 'identities', id]),
    },
    suppression: writeSuppression(state, write),
    webhooks: writeWebhooks(state, write),
    providerRecords: writeProviderRecords(state, write),
    settings: { setClockOffsetMs: async (value) => write(['put', 'settings', { id: 'clockOffsetMs', value }]) },
    runs: writeRuns(state, write),
  };
}

/** Adds the writes of each aggregate to its reads. */
export function withWrites(reader: Reader, writes: { readonly [Name in Aggregate]: Writes<Name> }): Tx {
  const names = Object.keys(writes) as Aggregate[]; // the type lists them
  // The cast is safe: each aggregate gets its own writes.
  return {
    ...reader,
    ...Object.fromEntries(names.map((name) => [name, { ...reader[name], ...writes[name] }])),
  } as Tx;
}
