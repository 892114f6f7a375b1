import type { CapturedRequest } from '../../domain/captured-request.ts';
import type { FeedItem, RecordedEvent } from '../../domain/event.ts';
import type { EventId } from '../../domain/ids.ts';
import { isExpired, type Message } from '../../domain/message.ts';
import type { Moment } from '../../domain/time.ts';
import type { FeedQuery, Reader } from '../../ports/store.ts';
import type { Writes } from '../tables/aggregates/rows.ts';
import { checkNewest } from '../tables/feed.ts';
import { END, limitOf, ofOwner, type ReadSource } from './append-tables.ts';
import type { BatchWrites } from './commit-batch.ts';
import { type DatabaseRow, numberColumn, parseRow, type RunStatement, statement, textColumn } from './connection.ts';
import type { SmallState } from './small-state.ts';

// One statement reads all three tables from one snapshot. Every row that is committed later has a greater id than all
// of these rows, so a reader can continue after the last id and misses nothing.

/** The maximum number of rows of one query. */
const PAGE = 1_000;

const EVENTS = `select id, 'event' as kind, row from events where id > $1
  and ($3::text[] is null or type = any ($3))`;
const MESSAGES = `select id, 'message' as kind, row from messages where id > $1 and $4`;
const REQUESTS = `select id, 'request' as kind, row from requests where id > $1 and $5`;
const FEED = statement(
  'feed',
  `(${EVENTS} order by id limit $2)
   union all (${MESSAGES} order by id limit $2)
   union all (${REQUESTS} order by id limit $2)
   order by id limit $2`,
);
const OF_MAILBOX = ofOwner('mailbox_id', '$5', { from: '$1', to: `'${END}'` });
const FEED_OF_MAILBOX = statement(
  'feed of mailbox',
  `(${EVENTS} and ${OF_MAILBOX} order by mailbox_id, id limit $2)
   union all (${EVENTS} and mailbox_id is null and type = 'reset' order by id limit $2)
   union all (${MESSAGES} and ${OF_MAILBOX} order by mailbox_id, id limit $2)
   order by id limit $2`,
);
const TRIM = statement(
  'trim events',
  `with gone as (
     delete from events where id in (
       select id from events order by id
       limit least($2::bigint, greatest((select count(*) from events) - $1::bigint, 0)))
     returning 1)
   select count(*)::float8 as count from gone`,
);

export function readEvents({ query, small }: ReadSource): Reader['events'] {
  return {
    after: async (wanted) => after(small(), query, wanted),
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
    trim: async (keep, limit) => {
      const [row] = await batch.query(TRIM, [keep, limitOf(limit)]);
      const count = numberColumn(row, 'count');
      if (count > 0) batch.note(['remove', 'events', '']);
      return count;
    },
  };
}

/** Reads the feed. The small rows are asked for meanwhile, because whoever waits for mail waits for both. */
async function after(
  small: Promise<SmallState>,
  query: RunStatement,
  { after: from, types, mailboxId, limit, now }: FeedQuery,
): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  const kinds = types === undefined ? null : [...types];
  const withMessages = types === undefined || types.has('message.received');
  const withRequests = types === undefined || types.has('webhook.captured');
  for (let cursor: string = from ?? ''; items.length < limit; ) {
    const rows = Math.min(PAGE, limit - items.length);
    const [state, found] = await Promise.all([
      small,
      mailboxId === undefined
        ? query(FEED, [cursor, rows, kinds, withMessages, withRequests])
        : query(FEED_OF_MAILBOX, [cursor, rows, kinds, withMessages, mailboxId]),
    ]);
    for (const row of found) {
      const item = itemOf(state, row, now);
      if (item !== null) items.push(item);
    }
    const last = found.at(-1);
    // The query filled its limit, but expired rows were left out of the result, so another query follows.
    if (last === undefined || found.length < rows) break;
    cursor = textColumn(last, 'id');
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
      const expiry = state.expiryOfMailbox(message.mailboxId, now);
      return isExpired(message.receivedAt, expiry) ? null : { kind: 'message', message };
    }
    default: {
      const request = parseRow<CapturedRequest>(row);
      const expiry = state.expiryOfWebhook(request.webhookId, now);
      return isExpired(request.receivedAt, expiry) ? null : { kind: 'request', request };
    }
  }
}
