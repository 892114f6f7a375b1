import { type IdempotencyRecord, REPLAY_WINDOW_MS } from '../../domain/idempotency.ts';
import type { MailboxId, WebhookId, WorkspaceId } from '../../domain/ids.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import { readMailboxes, writeMailboxes } from '../tables/aggregates/mailboxes.ts';
import { readProviderRecords, writeProviderRecords } from '../tables/aggregates/providers.ts';
import type { Write, Writes } from '../tables/aggregates/rows.ts';
import { readRuns, writeRuns } from '../tables/aggregates/runs.ts';
import { readSuppression, writeSuppression } from '../tables/aggregates/sends.ts';
import { readWebhooks, writeWebhooks } from '../tables/aggregates/webhooks.ts';
import {
  readAuthenticators,
  readGroups,
  readIdentities,
  readKeys,
  readSettings,
  readWorkspaces,
  writeAuthenticators,
  writeGroups,
  writeIdentities,
  writeKeys,
  writeSettings,
  writeWorkspaces,
} from '../tables/aggregates/workspaces.ts';
import { limitOf, momentOf, type ReadSource } from './append-tables.ts';
import type { BatchWrites } from './commit-batch.ts';
import { numberColumn, parseRow, statement } from './connection.ts';
import { readEvents, writeEvents } from './events.ts';
import { clearMessages, readMessages, writeMessages } from './messages.ts';
import { clearRequests, readRequests, writeRequests } from './requests.ts';
import { clearSendsOfMailbox, clearSendsOfWorkspace, readSends, writeSends } from './sends.ts';
import type { SmallState } from './small-state.ts';

/** Creates a reader. It reads small rows from memory and those of append tables from the database. */
export function createReader(state: SmallState, source: ReadSource): Reader {
  const refreshed = <Reads extends object>(reads: Reads): Reads => afterEach(reads, () => source.small());
  const workspaces = readWorkspaces(state);
  return {
    workspaces: refreshed({
      ...workspaces,
      // Rows of other servers may have arrived in another order.
      list: async () => (await workspaces.list()).sort((one, other) => (one.id < other.id ? -1 : 1)),
    }),
    keys: refreshed(readKeys(state)),
    groups: refreshed(readGroups(state)),
    authenticators: refreshed(readAuthenticators(state)),
    mailboxes: refreshed(readMailboxes(state)),
    identities: refreshed(readIdentities(state)),
    suppression: refreshed(readSuppression(state)),
    webhooks: refreshed(readWebhooks(state)),
    providerRecords: refreshed(readProviderRecords(state)),
    settings: refreshed(readSettings(state)),
    runs: refreshed(readRuns(state)),
    messages: readMessages(source),
    sends: readSends(source),
    requests: readRequests(source),
    events: readEvents(source),
    idempotency: readIdempotency(source),
    counts: async () => {
      const { workspaces: all, mailboxes, messages, toldByWebhook } = await source.small();
      return {
        workspaces: all.size,
        mailboxes: mailboxes.size,
        messages: messages.size,
        storedBytes: messages.bytes,
        capturedBytes: toldByWebhook.total,
      };
    },
  };
}

/** Creates the reads and writes for the transactions of a batch, which run on `state`. */
export function createTx(state: SmallState, batch: BatchWrites): Tx {
  const reader = createReader(state, { query: batch.query, small: async () => state });
  const write: Write = (change) => batch.write(change);
  const mailboxes = writeMailboxes(state, write);
  const webhooks = writeWebhooks(state, write);
  const workspaces = writeWorkspaces(state, write);
  const emptyMailbox = async (id: MailboxId): Promise<void> => {
    await clearMessages(state, batch, id);
    await clearSendsOfMailbox(batch, id);
    if (state.stored.get(id) !== undefined) batch.change({ kind: 'stored', id, row: null });
  };
  const emptyWebhook = async (id: WebhookId): Promise<void> => {
    if (state.captured.get(id) !== undefined) await clearRequests(state, batch, id);
  };
  const emptyWorkspace = async (id: WorkspaceId): Promise<void> => {
    for (const mailbox of [...state.mailboxesByWorkspace.of(id).ascending()]) await emptyMailbox(mailbox.id);
    for (const webhook of [...state.webhooksByWorkspace.of(id).ascending()]) await emptyWebhook(webhook.id);
    await clearSendsOfWorkspace(batch, id);
  };
  return {
    ...reader,
    workspaces: {
      ...reader.workspaces,
      ...workspaces,
      remove: async (id) => {
        await emptyWorkspace(id);
        await workspaces.remove(id);
      },
    },
    keys: { ...reader.keys, ...writeKeys(state, write) },
    groups: { ...reader.groups, ...writeGroups(state, write) },
    authenticators: { ...reader.authenticators, ...writeAuthenticators(write) },
    mailboxes: {
      ...reader.mailboxes,
      ...mailboxes,
      remove: async (id) => {
        await emptyMailbox(id);
        await mailboxes.remove(id);
      },
    },
    messages: { ...reader.messages, ...writeMessages(state, batch) },
    identities: { ...reader.identities, ...writeIdentities(write) },
    suppression: { ...reader.suppression, ...writeSuppression(state, write) },
    sends: { ...reader.sends, ...writeSends(batch) },
    webhooks: {
      ...reader.webhooks,
      ...webhooks,
      remove: async (id) => {
        await emptyWebhook(id);
        await webhooks.remove(id);
      },
    },
    requests: { ...reader.requests, ...writeRequests(state, batch) },
    events: { ...reader.events, ...writeEvents(state, batch) },
    idempotency: { ...reader.idempotency, ...writeIdempotency(batch) },
    providerRecords: { ...reader.providerRecords, ...writeProviderRecords(state, write) },
    settings: { ...reader.settings, ...writeSettings(write) },
    runs: { ...reader.runs, ...writeRuns(state, write) },
  };
}

/** Returns functions like the given ones, each of which first waits for `before`. */
function afterEach<Reads extends object>(reads: Reads, before: () => Promise<unknown>): Reads {
  const entries = Object.entries(reads).map(([name, read]: [string, (...given: unknown[]) => unknown]) => [
    name,
    async (...given: unknown[]) => {
      await before();
      return read(...given);
    },
  ]);
  // The cast is safe: every function of the batch is asynchronous and keeps its parameters and result.
  return Object.fromEntries(entries) as Reads;
}

const GET = statement('get idempotency record', 'select row from idempotency where id = $1');
const EXPIRE = statement(
  'expire idempotency records',
  `with gone as (
     delete from idempotency where id in (
       select id from idempotency where created_at <= $1 order by created_at limit $2)
     returning 1)
   select count(*)::float8 as count from gone`,
);

export function readIdempotency({ query }: ReadSource): Reader['idempotency'] {
  return {
    get: async (id) => {
      const [row] = await query(GET, [id]);
      return row === undefined ? null : parseRow<IdempotencyRecord>(row);
    },
  };
}

export function writeIdempotency(batch: BatchWrites): Writes<'idempotency'> {
  return {
    put: async (record) => batch.write(['put', 'idempotency', record]),
    removeExpired: async (realNow, limit) => {
      const [row] = await batch.query(EXPIRE, [momentOf(realNow - REPLAY_WINDOW_MS), limitOf(limit)]);
      const count = numberColumn(row, 'count');
      if (count > 0) batch.note(['remove', 'idempotency', '']);
      return count;
    },
  };
}
