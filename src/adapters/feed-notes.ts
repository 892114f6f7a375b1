import type { RecordedEvent } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import { timeOf } from '../domain/time.ts';
import type { BestEffortEvents } from '../ports/events.ts';
import type { Store } from '../ports/store.ts';
import { type Clock, type Ids, type Log, realTime } from '../ports/system.ts';

/** The maximum number of notes in the queue. With it, many refused clients can't flood the disk. */
const MAX_WAITING = 500;
const BATCH = 100;
/** The pause between two transactions, in milliseconds. */
const REST_MS = 50;

/** A note without the time in its workspace, which the record adds. `realAt` is real time. */
type Note = Omit<RecordedEvent, 'id' | 'at'> & { readonly realAt: number };

/** Creates the notes. It records them in batches as events of the feed. */
export function createNotes(store: Store, clock: Clock, ids: Ids, log: Log): BestEffortEvents {
  const waiting: Note[] = [];
  let leftOut = 0;
  let closed = false;
  let writing: Promise<void> | null = null;

  const record = async () => {
    const notes = waiting.splice(0, BATCH);
    try {
      await store.transaction(async (tx) => {
        const serverOffsetMs = clock.offsetMs();
        for (const { realAt, ...note } of notes) {
          const id = ids.next<EventId>(realAt, await tx.events.lastId());
          const workspace = note.workspaceId === null ? null : await tx.workspaces.get(note.workspaceId);
          const at = timeOf(workspace, { realNow: realAt, serverOffsetMs });
          // `tell` took type and data together, so they form one member of the union.
          await tx.events.insert({ ...note, at, id } as RecordedEvent);
        }
      });
    } catch (error) {
      log.debug('the feed could not store events', { notes: notes.length, error });
    }
  };
  const write = async () => {
    while (waiting.length > 0) {
      await record();
      if (waiting.length > 0 && !closed) await clock.sleep(REST_MS);
    }
    if (leftOut > 0) log.debug('the feed left out events, because too many came at once', { leftOut });
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
      // `type` and `data` fit together by the signature, so they form one member of the union.
      waiting.push({ type, realAt: realTime(clock), workspaceId, data } as Note);
      writing ??= write();
    },
    async close() {
      closed = true;
      await writing;
    },
  };
}
