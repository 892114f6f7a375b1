import { refuse } from '../../domain/errors.ts';
import { type EventType, parseEventTypes } from '../../domain/event.ts';
import type { EventId, MailboxId } from '../../domain/ids.ts';
import { type Param, ulid } from '../query.ts';
import { localRoute } from '../route.ts';

// docs/contract.md#feed. This is what a request gets that asks for no WebSocket.

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
  localRoute('GET', FEED_PATH, {
    query: feedQuery,
    returns: {},
    fails: ['invalid_types', 'invalid_mailbox_id', 'invalid_since', 'upgrade_required'],
    handle: async () => {
      throw refuse('upgrade_required');
    },
  }),
];
