import type { FeedItem, RecordedEvent } from '../../domain/event.ts';
import { isExpired } from '../../domain/retention.ts';
import type { FeedQuery } from '../../ports/store-queries.ts';
import type { State } from './state.ts';

/** Returns the feed after a position: recorded events, messages and requests, merged by id. */
export function feedAfter(state: State, query: FeedQuery): FeedItem[] {
  const sources = [events(state, query), messages(state, query), requests(state, query)].map((source) => ({
    source,
    head: source.next(),
  }));
  const items: FeedItem[] = [];
  while (items.length < query.limit) {
    let first: (typeof sources)[number] | null = null;
    for (const candidate of sources) {
      if (candidate.head.done) continue;
      if (first === null || first.head.done || candidate.head.value.id < first.head.value.id) first = candidate;
    }
    if (first === null || first.head.done) break;
    items.push(first.head.value.item);
    first.head = first.source.next();
  }
  return items;
}

type Source = Generator<{ readonly id: string; readonly item: FeedItem }, void, void>;

function* events(state: State, { after, types, mailboxId }: FeedQuery): Source {
  for (const event of state.eventsInOrder.rows.ascending(after ?? undefined)) {
    if (types !== undefined && !types.has(event.type)) continue;
    if (mailboxId !== undefined && !concerns(event, mailboxId)) continue;
    yield { id: event.id, item: { kind: 'event', event } };
  }
}

function* messages(state: State, { after, types, mailboxId, now }: FeedQuery): Source {
  if (types !== undefined && !types.has('message.received')) return;
  const rows = mailboxId === undefined ? state.messagesInOrder.rows : state.messagesByMailbox.of(mailboxId);
  for (const message of rows.ascending(after ?? undefined)) {
    const expiry = state.expiryOfMailbox(message.mailboxId, now);
    if (!isExpired(message.receivedAt, expiry)) yield { id: message.id, item: { kind: 'message', message } };
  }
}

function* requests(state: State, { after, types, mailboxId, now }: FeedQuery): Source {
  if (mailboxId !== undefined || (types !== undefined && !types.has('webhook.captured'))) return;
  for (const request of state.requestsInOrder.rows.ascending(after ?? undefined)) {
    const expiry = state.expiryOfWebhook(request.webhookId, now);
    if (!isExpired(request.receivedAt, expiry)) yield { id: request.id, item: { kind: 'request', request } };
  }
}

/** Tells whether an event concerns a mailbox. A reset concerns every mailbox. */
function concerns(event: RecordedEvent, mailboxId: string): boolean {
  return event.type === 'reset' || ('mailboxId' in event.data && event.data.mailboxId === mailboxId);
}
