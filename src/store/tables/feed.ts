import type { FeedItem, RecordedEvent } from '../../domain/event.ts';
import type { EventId } from '../../domain/ids.ts';
import type { FeedQuery, Reader } from '../../ports/store.ts';
import { take, type Write, type Writes } from './aggregates/rows.ts';
import type { State } from './state.ts';
import { merged, type RowWithId, type SortedRows } from './table.ts';

export function readEvents(state: State): Reader['events'] {
  return {
    list: async (query) => listFeed(state, query),
    // The cast is safe: the id of a feed row is an event id.
    lastId: async () => (state.newestFeedId === '' ? null : (state.newestFeedId as EventId)),
  };
}

export function writeEvents(state: State, write: Write): Writes<'events'> {
  return {
    insert: async (event) => {
      checkNewest(state, event.id);
      write(['put', 'events', event]);
    },
    trim: async (keep, limit) => {
      const rows = state.eventsInOrder.rows;
      const doomed = take(rows.ascending(), Math.min(limit, rows.size - keep)).map(({ id }) => id);
      for (const id of doomed) write(['remove', 'events', id]);
      return doomed.length;
    },
  };
}

/**
 * Throws if an id is not the newest of the feed. A subscriber that resumes at an id relies on later events having
 * higher ids.
 */
export function checkNewest(state: State, id: string): void {
  if (id <= state.newestFeedId) throw new Error(`${id} is not the newest of the feed`);
}

/** Lists the feed: recorded events, messages and requests, merged by id. */
function listFeed(state: State, query: FeedQuery): FeedItem[] {
  const isSooner = (id: string, other: string) => (query.newest ? id > other : id < other);
  const received = merged(messages(state, query), requests(state, query), isSooner);
  return take(merged(events(state, query), received, isSooner), query.limit).map(({ item }) => item);
}

/** Yields the rows between both positions of a query, in its order. It reads none outside. */
function* between<Row extends RowWithId>(rows: SortedRows<Row>, query: FeedQuery): Generator<Row, void, void> {
  const { after, before, newest } = query;
  for (const row of newest ? rows.descending(before) : rows.ascending(after ?? undefined)) {
    if (newest ? after !== null && row.id <= after : before !== undefined && row.id >= before) return;
    yield row;
  }
}

type Source = Generator<{ readonly id: string; readonly item: FeedItem }, void, void>;

function* events(state: State, query: FeedQuery): Source {
  const { types, mailboxId } = query;
  for (const event of between(state.eventsInOrder.rows, query)) {
    if (types !== undefined && !types.has(event.type)) continue;
    if (mailboxId !== undefined && !concerns(event, mailboxId)) continue;
    yield { id: event.id, item: { kind: 'event', event } };
  }
}

function* messages(state: State, query: FeedQuery): Source {
  const { types, mailboxId, now } = query;
  if (types !== undefined && !types.has('message.received')) return;
  const rows = mailboxId === undefined ? state.messages.inOrder : state.messages.of(mailboxId);
  for (const message of between(rows, query)) {
    if (!state.isExpiredMessage(message, now)) yield { id: message.id, item: { kind: 'message', message } };
  }
}

function* requests(state: State, query: FeedQuery): Source {
  const { types, mailboxId, now } = query;
  if (mailboxId !== undefined || (types !== undefined && !types.has('webhook.captured'))) return;
  for (const request of between(state.requestsInOrder.rows, query)) {
    if (!state.isExpiredRequest(request, now)) yield { id: request.id, item: { kind: 'request', request } };
  }
}

/** Tells whether an event concerns a mailbox. A reset concerns every mailbox. */
function concerns(event: RecordedEvent, mailboxId: string): boolean {
  return event.type === 'reset' || ('mailboxId' in event.data && event.data.mailboxId === mailboxId);
}
