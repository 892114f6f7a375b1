import type { MailboxId, MessageId } from '../../domain/ids.ts';
import { isExpired, type Message, mayHide } from '../../domain/message.ts';
import type { Moment } from '../../domain/time.ts';
import type { PageQuery, Reader, WalkQuery, WalkStep } from '../../ports/store.ts';
import { arrivalsWith } from '../tables/aggregates/in-time.ts';
import { counted, type Writes } from '../tables/aggregates/rows.ts';
import { checkNewest } from '../tables/feed.ts';
import {
  END,
  expiredIds,
  limitOf,
  momentOf,
  type ReadSource,
  rangesAfter,
  rangesUpTo,
  removal,
} from './append-tables.ts';
import type { BatchWrites } from './commit-batch.ts';
import { type DatabaseRow, documentOf, numberColumn, statement } from './connection.ts';
import type { SmallState } from './small-state.ts';

const GET = statement('get message', 'select row from messages where id = $1');
const GET_MANY = statement('get messages', 'select row from messages where id = any ($1::text[])');
const PAGE = statement(
  'page messages',
  `select row from messages
   where mailbox_id = $1 and id < $2 and id >= $3 and received_at >= $4 and received_at > $5
   order by id desc limit $6`,
);
const WALK = statement('walk messages', 'select id, row from messages where id < $1 order by id desc limit $2');
const WALK_MAILBOX = statement(
  'walk messages of mailbox',
  `select id, row from messages where mailbox_id = $1 and id < $2 and id >= $3 and received_at > $4
   order by id desc limit $5`,
);
const AFTER = statement(
  'messages after',
  `select row from messages where mailbox_id = $1 and id > $2 and received_at > $3 order by id limit $4`,
);
// Between two shifts of the clock, messages expire in the order of their ids. The count ends at the first one that has
// not expired.
const EXPIRED = statement(
  'count expired messages',
  `select count(*)::float8 as count from messages where mailbox_id = $1 and id < coalesce(
     (select id from messages where mailbox_id = $1 and received_at > $2 and id >= $3 and id < $4 order by id limit 1), $4)
   and id >= $3`,
);
const OLDEST = statement(
  'oldest messages',
  'select id, received_at from messages where mailbox_id = $1 and id >= $3 and id < $4 order by id limit $2',
);
const REMOVE_IDS = removal('remove messages', 'messages', 'id = any ($1::text[])', 'size_bytes');
const CLEAR = removal('clear messages', 'messages', 'mailbox_id = $1', 'size_bytes');

export function readMessages({ query, small }: ReadSource): Reader['messages'] {
  return {
    get: async (id, now) => {
      const [state, [row]] = await Promise.all([small(), query(GET, [id])]);
      if (row === undefined) return null;
      const message = documentOf<Message>(row);
      return isExpired(message.receivedAt, state.expiryOfMailbox(message.mailboxId, now)) ? null : message;
    },
    many: async (ids, now) => {
      if (ids.length === 0) return [];
      const [state, rows] = await Promise.all([small(), query(GET_MANY, [ids])]);
      const found = new Map(rows.map(documentOf<Message>).map((message) => [message.id, message]));
      return ids.map((id) => {
        const message = found.get(id) ?? null;
        return message === null || isExpired(message.receivedAt, state.expiryOfMailbox(message.mailboxId, now))
          ? null
          : message;
      });
    },
    page: async (mailboxId, wanted) => page(await small(), query, mailboxId, wanted),
    walk: async (wanted) => walk(await small(), query, wanted),
    after: async (mailboxId, after, limit, now) => {
      const { shown } = (await small()).expiryOfMailbox(mailboxId, now);
      const rows = await query(AFTER, [mailboxId, after ?? '', momentOf(shown), limitOf(limit)]);
      return rows.map(documentOf<Message>);
    },
    lastId: async (mailboxId) => (await small()).inbound.get(mailboxId)?.lastId ?? null,
    count: async (mailboxId, now) => {
      const state = await small();
      const hasShifted = state.inbound.get(mailboxId)?.steps !== undefined;
      return mayHide(state.expiryOfMailbox(mailboxId, now), hasShifted)
        ? countUnexpired(state, query, mailboxId, now)
        : (state.stored.get(mailboxId)?.messages ?? 0);
    },
    countUnexpired: async (mailboxId, now) => countUnexpired(await small(), query, mailboxId, now),
  };
}

export function writeMessages(state: SmallState, batch: BatchWrites): Writes<'messages'> {
  const insert = (message: Message, received: 0 | 1): void => {
    const { id, mailboxId, workspaceId, sizeBytes } = message;
    const inbound = state.inbound.get(mailboxId);
    if (inbound !== undefined && inbound.lastId >= id)
      throw new Error(`message ${id} is not the newest of its mailbox`);
    checkNewest(state, id);
    batch.write(['put', 'messages', message]);
    state.learn(id);
    const used = counted(inbound?.used, message.receivedAt, received);
    batch.write(['put', 'inbound', { id: mailboxId, used, lastId: id, ...arrivalsWith(inbound, message) }]);
    const { messages = 0, bytes = 0 } = state.stored.get(mailboxId) ?? {};
    const row = { id: mailboxId, workspaceId, messages: messages + 1, bytes: bytes + sizeBytes };
    batch.change({ kind: 'stored', id: mailboxId, row });
  };
  const removeEach = async (mailboxId: MailboxId, ids: readonly MessageId[]): Promise<void> => {
    if (ids.length === 0) return;
    const [row] = await batch.query(REMOVE_IDS, [ids]);
    countGone(state, batch, mailboxId, numberColumn(row, 'count'), numberColumn(row, 'bytes'));
    for (const id of ids) batch.note(['remove', 'messages', id]);
  };
  return {
    insert: async (message) => insert(message, 1),
    insertOwn: async (message) => insert(message, 0),
    remove: async (id) => {
      const [row] = await batch.query(GET, [id]);
      if (row === undefined) return false;
      await removeEach(documentOf<Message>(row).mailboxId, [id]);
      return true;
    },
    removeAll: async (mailboxId) => clearMessages(state, batch, mailboxId),
    removeExpired: async (mailboxId, now, limit) => {
      // Most mailboxes have no mail when they are swept. Without a query, the transaction does not hold up others.
      if ((state.stored.get(mailboxId)?.messages ?? 0) === 0) return [];
      const expiry = state.expiryOfMailbox(mailboxId, now);
      const ids: MessageId[] = [];
      for (const { floor, end } of rangesUpTo(state.inbound.get(mailboxId)?.steps, expiry.real)) {
        const rows = await batch.query(OLDEST, [mailboxId, limitOf(limit - ids.length), floor, end]);
        // The cast is safe: the column holds ids of messages.
        ids.push(...(expiredIds(rows, expiry) as MessageId[]));
      }
      await removeEach(mailboxId, ids);
      return ids;
    },
  };
}

/** Removes every message of a mailbox and returns their number. */
export async function clearMessages(state: SmallState, batch: BatchWrites, mailboxId: MailboxId): Promise<number> {
  if ((state.stored.get(mailboxId)?.messages ?? 0) === 0) return 0;
  const [row] = await batch.query(CLEAR, [mailboxId]);
  const count = numberColumn(row, 'count');
  countGone(state, batch, mailboxId, count, numberColumn(row, 'bytes'));
  batch.note(['clear', mailboxId, END]);
  return count;
}

function countGone(state: SmallState, batch: BatchWrites, mailboxId: MailboxId, messages: number, bytes: number): void {
  const stored = state.stored.get(mailboxId);
  if (stored === undefined) return;
  const row = { ...stored, messages: stored.messages - messages, bytes: stored.bytes - bytes };
  batch.change({ kind: 'stored', id: mailboxId, row });
}

async function countUnexpired(
  state: SmallState,
  query: ReadSource['query'],
  mailboxId: MailboxId,
  now: Moment,
): Promise<number> {
  let count = state.stored.get(mailboxId)?.messages ?? 0;
  if (count === 0) return 0;
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  for (const { floor, end } of rangesUpTo(state.inbound.get(mailboxId)?.steps)) {
    const [row] = await query(EXPIRED, [mailboxId, momentOf(shown), floor, end]);
    count -= numberColumn(row, 'count');
  }
  return count;
}

async function page(
  state: SmallState,
  query: ReadSource['query'],
  mailboxId: MailboxId,
  { before, since = Number.NEGATIVE_INFINITY, limit, now }: PageQuery,
): Promise<Message[]> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  const found: Message[] = [];
  for (const { floor, end } of rangesAfter(state.inbound.get(mailboxId)?.steps, Math.max(since, shown), before)) {
    const left = limitOf(limit - found.length);
    const rows = await query(PAGE, [mailboxId, end, floor, momentOf(since), momentOf(shown), left]);
    found.push(...rows.map(documentOf<Message>));
    if (found.length >= limit) break;
  }
  return found;
}

async function walk(
  state: SmallState,
  query: ReadSource['query'],
  { mailboxId, workspaceId, before = END as MessageId, rows: limit, now, wanted }: WalkQuery, // END is a bound, no id
): Promise<WalkStep> {
  const found =
    mailboxId === undefined
      ? await query(WALK, [before, limit + 1])
      : await walkMailbox(state, query, mailboxId, { before, limit: limit + 1, now });
  const examined = found.slice(0, limit).map(documentOf<Message>);
  const messages = examined.filter(
    (message) =>
      (workspaceId === undefined || message.workspaceId === workspaceId) &&
      !isExpired(message.receivedAt, state.expiryOfMailbox(message.mailboxId, now)) &&
      wanted(message),
  );
  return { messages, next: found.length > limit ? (examined.at(-1)?.id ?? null) : null };
}

/** Reads the rows of a step of a walk. It passes over hidden rows, because a shifted clock may hide many. */
async function walkMailbox(
  state: SmallState,
  query: ReadSource['query'],
  mailboxId: MailboxId,
  { before, limit, now }: Pick<PageQuery, 'limit' | 'now'> & { readonly before: MessageId },
): Promise<DatabaseRow[]> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  const found: DatabaseRow[] = [];
  for (const { floor, end } of rangesAfter(state.inbound.get(mailboxId)?.steps, shown, before)) {
    found.push(...(await query(WALK_MAILBOX, [mailboxId, end, floor, momentOf(shown), limit - found.length])));
    if (found.length >= limit) break;
  }
  return found;
}
