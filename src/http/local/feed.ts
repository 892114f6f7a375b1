import { z } from 'zod';
import { refuse } from '../../domain/errors.ts';
import { type EventType, parseEventTypes } from '../../domain/event.ts';
import type { EventId, MailboxId } from '../../domain/ids.ts';
import { momentNow } from '../../ports/system.ts';
import { toEventResponse } from '../feed/event.ts';
import { flag, localRoute, type Param, ulid, whole } from '../route.ts';
import { EventResponse } from './schemas.ts';

// This module serves the requests of docs/feed.md that are not WebSocket handshakes.

export const FEED_PATH = '/_mailcap/feed';

const types: Param<ReadonlySet<EventType> | undefined> = {
  kind: 'list',
  parse: parseEventTypes,
  fallback: undefined,
  code: 'invalid_types',
  about: 'Only events of these types, with commas between them; all if left out',
};

export const feedQuery = {
  types,
  mailboxId: ulid<MailboxId>('invalid_mailbox_id', 'Only events of this mailbox'),
  since: ulid<EventId>('invalid_since', 'Only events after this one'),
};

export const feed = [
  localRoute('GET', '/_mailcap/events', {
    id: 'listEvents',
    summary: 'List past events of the feed',
    description:
      'At most limit events, oldest first: for the next page, since is the last id of this one. With newest=1 newest first: for the next page, before is the last id. Neither event needs to exist.',
    query: {
      ...feedQuery,
      before: ulid<EventId>('invalid_before', 'Only events before this one'),
      newest: flag('invalid_newest', '1: the newest events, newest first'),
      limit: whole(1, 500, 100, 'invalid_limit', 'The most events to return'),
    },
    returns: { 200: z.array(EventResponse) },
    handle: async ({ ctx, query: { since, ...query } }) => {
      const items = await ctx.store.read.events.list({ ...query, after: since ?? null, now: momentNow(ctx.clock) });
      return items.map(toEventResponse).map((event) => ({ ...event, data: { ...event.data } }));
    },
  }),

  localRoute('GET', FEED_PATH, {
    id: 'followFeed',
    summary: 'Follow events over a WebSocket',
    description:
      'Each event is a JSON text: id, type, at, workspaceId, data. since resumes after the event with this id.',
    gives: { status: 101 },
    query: feedQuery,
    returns: {},
    fails: ['upgrade_required'],
    handle: async () => {
      throw refuse('upgrade_required');
    },
  }),
];
