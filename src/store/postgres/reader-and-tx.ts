import { type IdempotencyRecord, REPLAY_WINDOW_MS } from '../../domain/idempotency.ts';
import type { MailboxId, WebhookId, WorkspaceId } from '../../domain/ids.ts';
import type { Reader, Tx } from '../../ports/store.ts';
import type { Write, Writes } from '../tables/aggregates/rows.ts';
import { readSmall, type SmallReads, withWrites, writeSmall } from '../tables/aggregates/small.ts';
import {
  type BatchWrites,
  deletion,
  limitOf,
  momentOf,
  oneRow,
  type ReadSource,
  removeCounted,
} from './append-tables.ts';
import { readEvents, writeEvents } from './events.ts';
import { clearMessages, readMessages, writeMessages } from './messages.ts';
import { clearRequests, readRequests, writeRequests } from './requests.ts';
import { CLEAR_SENDS_OF_MAILBOX, CLEAR_SENDS_OF_WORKSPACE, readSends, writeSends } from './sends.ts';
import type { SmallState } from './small-state.ts';

/** Creates a reader. It reads small rows from memory and those of append tables from the database. */
export function createReader(state: SmallState, source: ReadSource): Reader {
  const { workspaces, ...others } = readSmall(state);
  const small: SmallReads = {
    ...others,
    workspaces: {
      ...workspaces,
      // Rows of other servers may have arrived in another order.
      list: async () => (await workspaces.list()).sort((one, other) => (one.id < other.id ? -1 : 1)),
    },
  };
  return {
    ...afterEach(small, () => source.small()),
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
  const small = writeSmall(state, write);
  const emptyMailbox = async (id: MailboxId): Promise<void> => {
    await clearMessages(state, batch, id);
    await batch.query(CLEAR_SENDS_OF_MAILBOX, [id]);
    if (state.stored.get(id) !== undefined) batch.change({ kind: 'stored', id, row: null });
  };
  const emptyWebhook = async (id: WebhookId): Promise<void> => {
    if (state.captured.get(id) !== undefined) await clearRequests(state, batch, id);
  };
  const emptyWorkspace = async (id: WorkspaceId): Promise<void> => {
    for (const mailbox of [...state.mailboxesByWorkspace.of(id).ascending()]) await emptyMailbox(mailbox.id);
    for (const webhook of [...state.webhooksByWorkspace.of(id).ascending()]) await emptyWebhook(webhook.id);
    await batch.query(CLEAR_SENDS_OF_WORKSPACE, [id]);
  };
  return withWrites(reader, {
    ...small,
    workspaces: emptiedFirst(small.workspaces, emptyWorkspace),
    mailboxes: emptiedFirst(small.mailboxes, emptyMailbox),
    webhooks: emptiedFirst(small.webhooks, emptyWebhook),
    messages: writeMessages(state, batch),
    sends: writeSends(batch),
    requests: writeRequests(state, batch),
    events: writeEvents(state, batch),
    idempotency: writeIdempotency(batch),
  });
}

/** Returns the writes of an aggregate whose removals first call `empty`. */
function emptiedFirst<Id, Own extends { remove(id: Id): Promise<void> }>(
  own: Own,
  empty: (id: Id) => Promise<void>,
): Own {
  const remove = async (id: Id): Promise<void> => {
    await empty(id);
    await own.remove(id);
  };
  return { ...own, remove };
}

/** Returns aggregates whose reads first wait for `before`. */
function afterEach(aggregates: SmallReads, before: () => Promise<unknown>): SmallReads {
  const late = (read: (...given: unknown[]) => unknown) => {
    return async (...given: unknown[]) => {
      await before();
      return read(...given);
    };
  };
  const mapped = <Value>(of: object, change: (value: Value) => unknown) =>
    Object.fromEntries(Object.entries(of).map(([name, value]: [string, Value]) => [name, change(value)]));
  // The cast is safe: every read is asynchronous and keeps its parameters and result.
  return mapped(aggregates, (reads: object) => mapped(reads, late)) as SmallReads;
}

const EXPIRE = deletion(
  'expire idempotency records',
  'idempotency',
  'id in (select id from idempotency where created_at <= $1 order by created_at limit $2)',
);

export function readIdempotency({ query }: ReadSource): Reader['idempotency'] {
  return { get: (id) => oneRow<IdempotencyRecord>(query, 'idempotency', id) };
}

export function writeIdempotency(batch: BatchWrites): Writes<'idempotency'> {
  return {
    put: async (record) => batch.write(['put', 'idempotency', record]),
    removeExpired: (realNow, limit) =>
      removeCounted(batch, 'idempotency', EXPIRE, [momentOf(realNow - REPLAY_WINDOW_MS), limitOf(limit)]),
  };
}
