import { z } from 'zod';
import { refuse } from '../../domain/errors.ts';
import { type EventType, parseEventTypes } from '../../domain/event.ts';
import type { EventId, MailboxId } from '../../domain/ids.ts';
import { toEventResponse } from '../feed/event.ts';
import { type Param, ulid, whole } from '../query.ts';
import { localRoute } from '../route.ts';
import { EventResponse } from './schemas.ts';

// This module answers requests for docs/contract.md#feed that ask for no WebSocket.

export const FEED_PATH = '/_mailcap/feed';

const types: Param<ReadonlySet<EventType> | undefined> = {
  kind: 'text',
  parse: parseEventTypes,
  fallback: undefined,
  code: 'invalid_types',
};

export const feedQuery = {
  types,
  mailboxId: ulid<MailboxId>('invalid_mailbox_id'),
  since: ulid<EventId>('invalid_since'),
};

export const feed = [
  localRoute('GET', '/_mailcap/events', {
    query: { ...feedQuery, limit: whole(1, 500, 100, 'invalid_limit') },
    returns: { 200: z.array(EventResponse) },
    fails: ['invalid_types', 'invalid_mailbox_id', 'invalid_since', 'invalid_limit'],
    handle: async ({ ctx, query: { since, ...query } }) => {
      const items = await ctx.store.read.events.after({ ...query, after: since ?? null, now: ctx.clock.now() });
      return items.map(toEventResponse).map((event) => ({ ...event, data: { ...event.data } }));
    },
  }),

  localRoute('GET', FEED_PATH, {
    query: feedQuery,
    returns: {},
    fails: ['invalid_types', 'invalid_mailbox_id', 'invalid_since', 'upgrade_required'],
    handle: async () => {
      throw refuse('upgrade_required');
    },
  }),
];
