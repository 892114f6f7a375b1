import type { MailboxId, MessageId, WorkspaceId } from '../../domain/ids.ts';
import type { WorkspaceTags } from '../../domain/marks.ts';
import { type BlobRef, type Message, type MessageKind, mayHide } from '../../domain/message.ts';
import type { Moment } from '../../domain/time.ts';
import type { PackedMessages, PackedQuery, PageQuery, Reader, WalkQuery, WalkStep } from '../../ports/store.ts';
import { arrivalsWith } from '../tables/aggregates/in-time.ts';
import { counted, type Writes } from '../tables/aggregates/rows.ts';
import { checkNewest } from '../tables/feed.ts';
import { TagCounts } from '../tables/tag-counts.ts';
import {
  type BatchWrites,
  END,
  expiredIds,
  limitOf,
  momentOf,
  ofOwner,
  oneRow,
  type ReadSource,
  rangesAfter,
  rangesUpTo,
  readRanges,
  removal,
} from './append-tables.ts';
import {
  type DatabaseRow,
  numberColumn,
  parseRow,
  type RunStatement,
  type Statement,
  statement,
  textColumn,
} from './connection.ts';
import { type MailboxUsage, type SmallState, tagId } from './small-state.ts';

const GET_MANY = statement('get many messages', 'select row from messages where id = any ($1::text[])');
// The driver takes longer for many rows than for a long text.
const RAWS = statement(
  'places of mails',
  `select coalesce(string_agg(concat_ws(' ', id, mailbox_id, received_at, blobs[1], size_bytes), ' '), '') as raws
   from messages where id = any ($1::text[])`,
);
const RAW_FACTS = 5;
const PAGES = forKinds((kind, condition) =>
  statement(
    `page ${kind}`,
    `select row from messages
     where ${ofOwner('mailbox_id', '$1', { from: '$3', to: '$2' })} and received_at >= $4 and received_at > $5${condition}
     order by mailbox_id desc, id desc limit $6`,
  ),
);
const WALK = statement('walk messages', 'select id, row from messages where id < $1 order by id desc limit $2');
const WALKS = forKinds((kind, condition) =>
  statement(
    `walk ${kind} of mailbox`,
    `select id, row from messages where ${ofOwner('mailbox_id', '$1', { from: '$3', to: '$2' })} and received_at > $4${condition}
     order by mailbox_id desc, id desc limit $5`,
  ),
);
// The database joins what it lists, because the driver takes a microsecond for each value. A row is JSON without spaces,
// in which quotation marks of texts are escaped.
const PACKED = statement(
  'pack messages of mailbox',
  `select count(*)::float8 as count, coalesce(string_agg(id, '' order by id), '') as ids,
     coalesce(string_agg(((not unread)::int + 2 * (strpos(row, '"isStarred":true') > 0)::int)::text, '' order by id), '') as marks,
     coalesce(string_agg(size_bytes::text, ' ' order by id), '') as sizes,
     coalesce(string_agg(received_at::text, ' ' order by id), '') as times,
     json_object_agg(id, tags::json) filter (where tags is not null)::text as tags
   from (select id, unread, row, size_bytes, received_at, tags from messages
         where ${ofOwner('mailbox_id', '$1', { from: '$3', to: '$2' })} and received_at > $4 and not is_sms
         order by mailbox_id desc, id desc limit $5) as listed`,
);
const AFTER = statement(
  'messages after',
  `select row from messages where ${ofOwner('mailbox_id', '$1', { from: '$2', to: `'${END}'` })} and id > $2 and received_at > $3
   order by mailbox_id, id limit $4`,
);
// Between two shifts of the clock, messages expire in the order of their ids. The count ends at the first one that has
// not expired. PostgreSQL reads the index of the mailbox up to its end, so it has to know first whether any has expired.
const EXPIRED_ROWS = `(select received_at <= $2 from messages where ${ofOwner('mailbox_id', '$1', { from: '$3', to: '$4' })}
     order by mailbox_id, id limit 1) and (mailbox_id, id) >= ($1, $3) and (mailbox_id, id) < ($1, coalesce(
     (select id from messages where ${ofOwner('mailbox_id', '$1', { from: '$3', to: '$4' })} and received_at > $2
      order by mailbox_id, id limit 1), $4))`;
const EXPIRED = statement(
  'count expired messages',
  `select count(*)::float8 as count from messages where ${EXPIRED_ROWS}`,
);
const EXPIRED_UNREAD = statement(
  'count expired unread messages',
  `select count(*)::float8 as count from messages where ${EXPIRED_ROWS} and unread`,
);
const EXPIRED_TAGS = statement(
  'tags of expired messages',
  `select tags from messages where ${EXPIRED_ROWS} and tags is not null`,
);
/** Makes a statement for all messages, and one for each kind. A kind has an index of its own. */
function forKinds(
  make: (kind: 'messages' | MessageKind, condition: string) => Statement,
): (kind: MessageKind | undefined) => Statement {
  const all = make('messages', '');
  const byKind = { email: make('email', ' and not is_sms'), sms: make('sms', ' and is_sms') };
  return (kind) => (kind === undefined ? all : byKind[kind]);
}

/** What the counters of a mailbox and of the tags lose with removed messages. */
const MARKS = {
  columns: ', unread, tags',
  results: `, count(*) filter (where unread)::float8 as unread,
     (select json_object_agg(tag, number)::text from (
        select tag, count(*) as number from gone, json_array_elements_text(gone.tags::json) as tag group by tag) as tagged) as tags`,
};
const REMOVE_IDS = removal('remove messages', 'messages', 'id = any ($1::text[])', 'size_bytes', MARKS);
const CLEAR = removal('clear messages', 'messages', 'mailbox_id = $1', 'size_bytes', MARKS);

export function readMessages({ query, small }: ReadSource): Reader['messages'] {
  return {
    get: async (id, now) => {
      const [state, message] = await Promise.all([small(), oneRow<Message>(query, 'messages', id)]);
      return message === null || state.isExpiredMessage(message, now) ? null : message;
    },
    many: async (ids, now, wanted = () => true) => {
      if (ids.length === 0) return [];
      const [state, found] = await Promise.all([small(), byId(query, ids)]);
      return ids.map((id, index) => {
        const message = found.get(id);
        if (message === undefined || state.isExpiredMessage(message, now)) return null;
        return wanted(message, index) ? message : null;
      });
    },
    raws: async (ids, now) => {
      if (ids.length === 0) return [];
      const [state, [row]] = await Promise.all([small(), query(RAWS, [ids])]);
      const found = new Map<string, BlobRef>();
      const words = textColumn(row, 'raws').split(' ');
      for (let at = 0; at + RAW_FACTS <= words.length; at += RAW_FACTS) {
        const [id = '', mailboxId, receivedAt, blob, size] = words.slice(at, at + RAW_FACTS);
        // The casts are safe: the statement wrote an id and the two numbers of a reference.
        const facts = { mailboxId: mailboxId as MailboxId, receivedAt: Number(receivedAt) };
        if (!state.isExpiredMessage(facts, now)) found.set(id, `${blob}.${size}` as BlobRef);
      }
      return ids.map((id) => found.get(id) ?? null);
    },
    page: async (mailboxId, wanted) => page(await small(), query, mailboxId, wanted),
    walk: async (wanted) => walk(await small(), query, wanted),
    packed: async (wanted) => packed(await small(), query, wanted),
    after: async (mailboxId, after, limit, now) => {
      const { shown } = (await small()).expiryOfMailbox(mailboxId, now);
      const rows = await query(AFTER, [mailboxId, after ?? '', momentOf(shown), limitOf(limit)]);
      return rows.map(parseRow<Message>);
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
    countUnread: async (mailboxId, now) => {
      const state = await small();
      const unread = state.messages.unreadOf(mailboxId);
      return unread === 0 ? 0 : unread - (await countExpired(state, query, EXPIRED_UNREAD, mailboxId, now));
    },
    tags: async (workspaceId, now) => tags(await small(), query, workspaceId, now),
  };
}

export function writeMessages(state: SmallState, batch: BatchWrites): Writes<'messages'> {
  const insert = (message: Message, received: 0 | 1): void => {
    const { id, mailboxId } = message;
    const inbound = state.inbound.get(mailboxId);
    if (inbound !== undefined && inbound.lastId >= id)
      throw new Error(`message ${id} is not the newest of its mailbox`);
    checkNewest(state, id);
    batch.write(['put', 'messages', message]);
    state.learn(id);
    const used = counted(inbound?.used, message.receivedAt, received);
    batch.write(['put', 'inbound', { id: mailboxId, used, lastId: id, ...arrivalsWith(inbound, message) }]);
    countMessage(state, batch, message);
  };
  const removeEach = async (mailboxId: MailboxId, ids: readonly MessageId[]): Promise<void> => {
    if (ids.length === 0) return;
    const [row] = await batch.query(REMOVE_IDS, [ids]);
    countGone(state, batch, mailboxId, row);
    for (const id of ids) batch.note(['remove', 'messages', id]);
  };
  return {
    insert: async (message) => insert(message, 1),
    insertOwn: async (message) => insert(message, 0),
    mark: async (ids, now, marksOf) => {
      const found = await byId(batch.query, ids);
      const changed: Message[] = [];
      for (const id of ids) {
        const message = found.get(id);
        if (message === undefined || state.isExpiredMessage(message, now)) continue;
        const marks = marksOf(message);
        if (marks === null) continue;
        const marked = { ...message, ...marks };
        batch.replace(['put', 'messages', message], ['put', 'messages', marked]);
        countMarks(state, batch, marked, { unread: Number(!marked.isRead) - Number(!message.isRead) });
        const added = marked.tags.filter((tag) => !message.tags.includes(tag));
        const removed = message.tags.filter((tag) => !marked.tags.includes(tag));
        countTags(state, batch, message.workspaceId, added, 1);
        countTags(state, batch, message.workspaceId, removed, -1);
        found.set(id, marked);
        changed.push(marked);
      }
      return changed;
    },
    remove: async (id) => {
      const message = await oneRow<Message>(batch.query, 'messages', id);
      if (message === null) return false;
      await removeEach(message.mailboxId, [id]);
      return true;
    },
    removeAll: async (mailboxId) => clearMessages(state, batch, mailboxId),
    removeExpired: async (mailboxId, now, limit) => {
      // Most mailboxes have no mail when they are swept. Without a query, the transaction does not hold up others.
      if ((state.stored.get(mailboxId)?.messages ?? 0) === 0) return [];
      const expiry = state.expiryOfMailbox(mailboxId, now);
      const { steps } = state.inbound.get(mailboxId) ?? {};
      // The cast is safe: the column holds ids of messages.
      const ids = (await expiredIds(batch.query, 'messages', mailboxId, steps, expiry, limit)) as MessageId[];
      await removeEach(mailboxId, ids);
      return ids;
    },
  };
}

async function byId(query: RunStatement, ids: readonly MessageId[]): Promise<Map<MessageId, Message>> {
  const rows = await query(GET_MANY, [ids]);
  return new Map(rows.map(parseRow<Message>).map((message) => [message.id, message]));
}

/** Removes every message of a mailbox and returns their number. */
export async function clearMessages(state: SmallState, batch: BatchWrites, mailboxId: MailboxId): Promise<number> {
  if ((state.stored.get(mailboxId)?.messages ?? 0) === 0) return 0;
  const [row] = await batch.query(CLEAR, [mailboxId]);
  countGone(state, batch, mailboxId, row);
  batch.note(['clear', mailboxId, END]);
  return numberColumn(row, 'count');
}

/** What a commit adds to the counters of a mailbox. */
type UsageChange = Partial<Pick<MailboxUsage, 'messages' | 'bytes' | 'unread'>>;

/** Counts a new message: in its mailbox, and by its tags. */
export function countMessage(state: SmallState, batch: Pick<BatchWrites, 'change'>, message: Message): void {
  countMarks(state, batch, message, { messages: 1, bytes: message.sizeBytes, unread: message.isRead ? 0 : 1 });
  countTags(state, batch, message.workspaceId, message.tags, 1);
}

function countMarks(
  state: SmallState,
  batch: Pick<BatchWrites, 'change'>,
  { mailboxId: id, workspaceId }: Pick<Message, 'mailboxId' | 'workspaceId'>,
  by: UsageChange,
): void {
  const { messages = 0, bytes = 0, unread = 0 } = state.stored.get(id) ?? {};
  const counted = {
    messages: messages + (by.messages ?? 0),
    bytes: bytes + (by.bytes ?? 0),
    unread: unread + (by.unread ?? 0),
  };
  batch.change({ kind: 'stored', id, row: { id, workspaceId, ...counted } });
}

function countTags(
  state: SmallState,
  batch: Pick<BatchWrites, 'change'>,
  workspaceId: string,
  tags: readonly string[],
  by: number,
): void {
  for (const name of tags) {
    const id = tagId(workspaceId, name);
    const known = state.tagged.get(id);
    const count = (known?.count ?? 0) + by;
    const row = { id, workspaceId, name: by > 0 ? name : (known?.name ?? name), count };
    batch.change({ kind: 'tagged', id, row: count > 0 ? row : null });
  }
}

/** Takes removed messages from the counters. `row` is the answer of a removal. */
function countGone(state: SmallState, batch: BatchWrites, mailboxId: MailboxId, row: DatabaseRow | undefined): void {
  const stored = state.stored.get(mailboxId);
  if (stored === undefined) return;
  const { workspaceId } = stored;
  countMarks(
    state,
    batch,
    // The cast is safe: the row was counted with the id of a workspace.
    { mailboxId, workspaceId: workspaceId as WorkspaceId },
    { messages: -numberColumn(row, 'count'), bytes: -numberColumn(row, 'bytes'), unread: -numberColumn(row, 'unread') },
  );
  if (row?.['tags'] === null) return;
  const gone = JSON.parse(textColumn(row, 'tags')) as Readonly<Record<string, number>>; // written by the statement
  for (const [tag, count] of Object.entries(gone)) countTags(state, batch, workspaceId, [tag], -count);
}

async function countUnexpired(
  state: SmallState,
  query: RunStatement,
  mailboxId: MailboxId,
  now: Moment,
): Promise<number> {
  const count = state.stored.get(mailboxId)?.messages ?? 0;
  return count === 0 ? 0 : count - (await countExpired(state, query, EXPIRED, mailboxId, now));
}

/** Runs a statement on the expired messages of each range of ids between two shifts of the clock. */
async function ofExpired(
  state: SmallState,
  query: RunStatement,
  wanted: Statement,
  mailboxId: MailboxId,
  now: Moment,
): Promise<DatabaseRow[]> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  return readRanges(rangesUpTo(state.inbound.get(mailboxId)?.steps), Number.POSITIVE_INFINITY, ({ floor, end }) =>
    query(wanted, [mailboxId, momentOf(shown), floor, end]),
  );
}

async function countExpired(...given: Parameters<typeof ofExpired>): Promise<number> {
  const rows = await ofExpired(...given);
  return rows.reduce((sum, row) => sum + numberColumn(row, 'count'), 0);
}

async function tags(
  state: SmallState,
  query: RunStatement,
  workspaceId: WorkspaceId,
  now: Moment,
): Promise<WorkspaceTags> {
  const all = state.messages.tagsOf(workspaceId);
  const expired = new TagCounts();
  for (const { id } of state.mailboxesByWorkspace.of(workspaceId).ascending()) {
    const hasShifted = state.inbound.get(id)?.steps !== undefined;
    if (!mayHide(state.expiryOfMailbox(id, now), hasShifted) || (state.stored.get(id)?.messages ?? 0) === 0) continue;
    for (const row of await ofExpired(state, query, EXPIRED_TAGS, id, now))
      expired.add(JSON.parse(textColumn(row, 'tags')) as string[], -1); // the column holds a list
  }
  return expired.size === 0 ? all : all.with(expired);
}

async function page(
  state: SmallState,
  query: RunStatement,
  mailboxId: MailboxId,
  { kind, before, since = Number.NEGATIVE_INFINITY, limit, now }: PageQuery,
): Promise<Message[]> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  const ranges = rangesAfter(state.inbound.get(mailboxId)?.steps, Math.max(since, shown), before);
  const found = await readRanges(ranges, limit, ({ floor, end }, left) =>
    query(PAGES(kind), [mailboxId, end, floor, momentOf(since), momentOf(shown), limitOf(left)]),
  );
  return found.map(parseRow<Message>);
}

async function walk(
  state: SmallState,
  query: RunStatement,
  { mailboxId, workspaceId, kind, before = END as MessageId, rows: limit, now, wanted }: WalkQuery, // END is a bound, no id
): Promise<WalkStep> {
  const found =
    mailboxId === undefined
      ? await query(WALK, [before, limit + 1])
      : await walkMailbox(state, query, mailboxId, { kind, before, limit: limit + 1, now });
  const examined = found.slice(0, limit).map(parseRow<Message>);
  const messages = examined.filter(
    (message) =>
      (workspaceId === undefined || message.workspaceId === workspaceId) &&
      !state.isExpiredMessage(message, now) &&
      wanted(message),
  );
  return { messages, next: found.length > limit ? (examined.at(-1)?.id ?? null) : null };
}

/** Reads the rows of a step of a walk. It passes over hidden rows, because a shifted clock may hide many. */
async function walkMailbox(
  state: SmallState,
  query: RunStatement,
  mailboxId: MailboxId,
  { kind, before, limit, now }: Pick<PageQuery, 'kind' | 'limit' | 'now'> & { readonly before: MessageId },
): Promise<DatabaseRow[]> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  return readRanges(rangesAfter(state.inbound.get(mailboxId)?.steps, shown, before), limit, ({ floor, end }, left) =>
    query(WALKS(kind), [mailboxId, end, floor, momentOf(shown), left]),
  );
}

async function packed(
  state: SmallState,
  query: RunStatement,
  { mailboxId, before = END as MessageId, rows: limit, now }: PackedQuery, // END is a bound, no id
): Promise<PackedMessages> {
  const { shown } = state.expiryOfMailbox(mailboxId, now);
  const lists = { ids: '', marks: '', sizes: '', times: '' };
  const tags = new Map<MessageId, readonly string[]>();
  let left = limit;
  // The ranges come the newest first.
  for (const { floor, end } of rangesAfter(state.inbound.get(mailboxId)?.steps, shown, before)) {
    const [row] = await query(PACKED, [mailboxId, end, floor, momentOf(shown), left]);
    const count = numberColumn(row, 'count');
    if (count === 0) continue;
    const space = left === limit ? '' : ' ';
    lists.ids = textColumn(row, 'ids') + lists.ids;
    lists.marks = textColumn(row, 'marks') + lists.marks;
    lists.sizes = `${textColumn(row, 'sizes')}${space}${lists.sizes}`;
    lists.times = `${textColumn(row, 'times')}${space}${lists.times}`;
    const tagged = row?.['tags'] ? (JSON.parse(textColumn(row, 'tags')) as Record<string, readonly string[]>) : {};
    // The casts are safe: the statement wrote ids and lists.
    for (const [id, names] of Object.entries(tagged)) tags.set(id as MessageId, names);
    left -= count;
    if (left <= 0) break;
  }
  const numbers = (list: string) => Float64Array.from(list === '' ? [] : list.split(' '), Number);
  return {
    ids: Buffer.from(lists.ids, 'latin1'),
    marks: Uint8Array.from(lists.marks, Number),
    sizes: numbers(lists.sizes),
    times: numbers(lists.times),
    tags,
    next: left <= 0 ? (lists.ids.slice(0, 26) as MessageId) : null,
  };
}
