import type { Reader, Tx } from '../../ports/store.ts';
import type { Write } from './aggregates/aggregate.ts';
import { readAuthenticators, writeAuthenticators } from './aggregates/authenticators.ts';
import { readEvents, writeEvents } from './aggregates/events.ts';
import { readGroups, writeGroups } from './aggregates/groups.ts';
import { readIdempotency, writeIdempotency } from './aggregates/idempotency.ts';
import { readIdentities, writeIdentities } from './aggregates/identities.ts';
import { readKeys, writeKeys } from './aggregates/keys.ts';
import { readMailboxes, writeMailboxes } from './aggregates/mailboxes.ts';
import { readMessages, writeMessages } from './aggregates/messages.ts';
import { readRequests, writeRequests } from './aggregates/requests.ts';
import { readSends, writeSends } from './aggregates/sends.ts';
import { readSettings, writeSettings } from './aggregates/settings.ts';
import { readSuppression, writeSuppression } from './aggregates/suppression.ts';
import { readWebhooks, writeWebhooks } from './aggregates/webhooks.ts';
import { readWorkspaces, writeWorkspaces } from './aggregates/workspaces.ts';
import type { State } from './state.ts';

/** Creates the reader of a state. No read scans rows that it does not return. */
export function createReader(state: State): Reader {
  return {
    workspaces: readWorkspaces(state),
    keys: readKeys(state),
    groups: readGroups(state),
    authenticators: readAuthenticators(state),
    mailboxes: readMailboxes(state),
    messages: readMessages(state),
    identities: readIdentities(state),
    suppression: readSuppression(state),
    sends: readSends(state),
    webhooks: readWebhooks(state),
    requests: readRequests(state),
    events: readEvents(state),
    idempotency: readIdempotency(state),
    settings: readSettings(state),
    counts: async () => ({
      workspaces: state.workspaces.size,
      mailboxes: state.mailboxes.size,
      messages: state.messages.size,
      storedBytes: state.storedBytes.total,
      capturedBytes: state.heldByWebhook.total,
    }),
  };
}

/**
 * Creates the reads and writes of a transaction. Each write calls `write`, which applies it to `state` at once and
 * records it.
 */
export function createTx(state: State, write: Write): Tx {
  const reader = createReader(state);
  return {
    ...reader,
    workspaces: { ...reader.workspaces, ...writeWorkspaces(state, write) },
    keys: { ...reader.keys, ...writeKeys(state, write) },
    groups: { ...reader.groups, ...writeGroups(state, write) },
    authenticators: { ...reader.authenticators, ...writeAuthenticators(write) },
    mailboxes: { ...reader.mailboxes, ...writeMailboxes(state, write) },
    messages: { ...reader.messages, ...writeMessages(state, write) },
    identities: { ...reader.identities, ...writeIdentities(write) },
    suppression: { ...reader.suppression, ...writeSuppression(state, write) },
    sends: { ...reader.sends, ...writeSends(state, write) },
    webhooks: { ...reader.webhooks, ...writeWebhooks(state, write) },
    requests: { ...reader.requests, ...writeRequests(state, write) },
    events: { ...reader.events, ...writeEvents(state, write) },
    idempotency: { ...reader.idempotency, ...writeIdempotency(state, write) },
    settings: { ...reader.settings, ...writeSettings(write) },
  };
}
