import type { CapturedRequest } from '../../domain/captured-request.ts';
import type { FeedItem, RecordedEvent } from '../../domain/event.ts';
import type { EventId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import type { Moment } from '../../domain/time.ts';
import type { FeedQuery, Reader } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/rows.ts';
import { checkNewest } from '../tables/feed.ts';
import { type BatchWrites, deletion, END, limitOf, ofOwner, type ReadSource, removeCounted } from './append-tables.ts';
import { type DatabaseRow, parseRow, type RunStatement, statement, textColumn } from './connection.ts';
import type { SmallState } from './small-state.ts';

// One statement reads all three tables from one snapshot. Every row that is committed later has a greater id than all
// of these rows, so a reader can continue after the last id and misses nothing.

/** The maximum number of rows of one query. */
const PAGE = 1_000;

const EVENTS = `select id, 'event' as kind, row from events where ($4::text[] is null or type = any ($4))`;
const MESSAGES = `select id, 'message' as kind, row from messages where $5`;
const REQUESTS = `select id, 'request' as kind, row from requests where $6`;
const BETWEEN = 'id > $1 and id < $2';
// A range of ids alone would seem small to PostgreSQL, which would read the index of all ids.
const OF_MAILBOX = `${ofOwner('mailbox_id', '$6', { from: '$1', to: '$2' })} and id <> $1`;
const OLDEST_FIRST = statementsIn('asc');
const NEWEST_FIRST = statementsIn('desc');
const TRIM = deletion(
  'trim events',
  'events',
  `id in (select id from events order by id
     limit least($2::bigint, greatest((select count(*) from events) - $1::bigint, 0)))`,
);

export function readEvents({ query, small }: ReadSource): Reader['events'] {
  return {
    list: async (wanted) => list(small(), query, wanted),
    lastId: async () => {
      const { newestFeedId } = await small();
      // The cast is safe: the id of a feed row is an event id.
      return newestFeedId === '' ? null : (newestFeedId as EventId);
    },
  };
}

export function writeEvents(state: SmallState, batch: BatchWrites): Writes<'events'> {
  return {
    insert: async (event) => {
      checkNewest(state, event.id);
      batch.write(['put', 'events', event]);
      state.learn(event.id);
    },
    trim: (keep, limit) => removeCounted(batch, 'events', TRIM, [keep, limitOf(limit)]),
  };
}

/** Returns the statements that read the whole feed and that of a mailbox, in one direction. */
function statementsIn(direction: 'asc' | 'desc') {
  const byId = `order by id ${direction} limit $3`;
  const byOwner = `order by mailbox_id ${direction}, id ${direction} limit $3`;
  return {
    ofAll: statement(
      `feed ${direction}`,
      `(${EVENTS} and ${BETWEEN} ${byId})
       union all (${MESSAGES} and ${BETWEEN} ${byId})
       union all (${REQUESTS} and ${BETWEEN} ${byId})
       ${byId}`,
    ),
    ofMailbox: statement(
      `feed of mailbox ${direction}`,
      `(${EVENTS} and ${OF_MAILBOX} ${byOwner})
       union all (${EVENTS} and ${BETWEEN} and mailbox_id is null and type = 'reset' ${byId})
       union all (${MESSAGES} and ${OF_MAILBOX} ${byOwner})
       ${byId}`,
    ),
  };
}

/** Reads the feed. The small rows are asked for meanwhile, because whoever waits for mail waits for both. */
async function list(
  small: Promise<SmallState>,
  query: RunStatement,
  { after, before, newest = false, types, mailboxId, limit, now }: FeedQuery,
): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  const kinds = types === undefined ? null : [...types];
  const withMessages = types === undefined || types.has('message.received');
  const withRequests = types === undefined || types.has('webhook.captured');
  const { ofAll, ofMailbox } = newest ? NEWEST_FIRST : OLDEST_FIRST;
  let [from, to]: [string, string] = [after ?? '', before ?? END];
  while (items.length < limit) {
    const rows = Math.min(PAGE, limit - items.length);
    const [state, found] = await Promise.all([
      small,
      mailboxId === undefined
        ? query(ofAll, [from, to, rows, kinds, withMessages, withRequests])
        : query(ofMailbox, [from, to, rows, kinds, withMessages, mailboxId]),
    ]);
    for (const row of found) {
      const item = itemOf(state, row, now);
      if (item !== null) items.push(item);
    }
    const last = found.at(-1);
    // The query filled its limit, but expired rows were left out of the result, so another query follows.
    if (last === undefined || found.length < rows) break;
    if (newest) to = textColumn(last, 'id');
    else from = textColumn(last, 'id');
  }
  return items;
}

/** Returns the feed item of a row, or null if the row is past its retention. */
function itemOf(state: SmallState, row: DatabaseRow, now: Moment): FeedItem | null {
  switch (row['kind']) {
    case 'event':
      return { kind: 'event', event: parseRow<RecordedEvent>(row) };
    case 'message': {
      const message = parseRow<Message>(row);
      return state.isExpiredMessage(message, now) ? null : { kind: 'message', message };
    }
    default: {
      const request = parseRow<CapturedRequest>(row);
      return state.isExpiredRequest(request, now) ? null : { kind: 'request', request };
    }
  }
}
