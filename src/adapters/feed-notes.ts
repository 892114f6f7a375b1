import type { RecordedEvent } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Notes } from '../ports/notes.ts';
import type { Store } from '../ports/store.ts';

/** A crowd of clients that is refused may say more than a disk is to write: so much is kept of it. */
const MAX_WAITING = 500;
const BATCH = 100;
/** Between two transactions. */
const REST_MS = 50;

type Note = Omit<RecordedEvent, 'id'>;

/** Records notes in batches, as events of the feed. */
export function createNotes(store: Store, clock: Clock, ids: Ids, log: Log): Notes {
  const waiting: Note[] = [];
  let leftOut = 0;
  let closed = false;
  let writing: Promise<void> | null = null;

  const record = async () => {
    const notes = waiting.splice(0, BATCH);
    try {
      await store.transaction(async (tx) => {
        for (const note of notes) {
          const id = ids.next<EventId>(note.at, await tx.events.lastId());
          // The pair of type and data came as one.
          await tx.events.insert({ ...note, id } as RecordedEvent);
        }
      });
    } catch (error) {
      log.debug('what happened could not be told to the feed', { notes: notes.length, error });
    }
  };
  const write = async () => {
    while (waiting.length > 0) {
      await record();
      if (waiting.length > 0 && !closed) await clock.sleep(REST_MS);
    }
    if (leftOut > 0) log.debug('more happened than the feed is told', { leftOut });
    leftOut = 0;
    writing = null;
  };

  return {
    tell(type, workspaceId, data) {
      if (closed) return;
      if (waiting.length >= MAX_WAITING) {
        leftOut++;
        return;
      }
      // The pair of type and data is one of the union's.
      waiting.push({ type, at: clock.now(), workspaceId, data } as Note);
      writing ??= write();
    },
    async close() {
      closed = true;
      await writing;
    },
  };
}
