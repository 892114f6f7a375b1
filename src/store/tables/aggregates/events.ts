import type { EventId } from '../../../domain/ids.ts';
import type { Reader } from '../../../ports/store.ts';
import { feedAfter } from '../feed.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { take } from './rows.ts';

export function readEvents(state: State): Reader['events'] {
  return {
    after: async (query) => feedAfter(state, query),
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
